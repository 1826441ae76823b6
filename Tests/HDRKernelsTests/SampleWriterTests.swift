import HDRColor
import Testing

@testable import HDRKernels

@Suite struct SampleWriterTests {
    /// A 16-bit grey between two 8-bit codes comes out as their mixture in the right share.
    @Test func orderedDitherKeepsTheMean() {
        let source = Picture(layout("Y444_16LE"), 64, 64)
        let target = Picture(layout("Y444"), 64, 64)
        let plan = ConversionPlan(source: .sdr(source.layout), target: .sdr(target.layout), settings: .init())
        for sixteenths in 0...16 {
            let level = 100 * 256 + sixteenths * 16
            for c in 0..<3 { source[c] = Array(repeating: level, count: 64 * 64) }
            convert(source, target, plan, dither: .ordered)
            let mean = Double(target[0].reduce(0, +)) / Double(64 * 64)
            #expect(abs(mean - Double(level) / 256) < 0.01)
            #expect(Set(target[0]).count <= 2)
        }
    }

    /// Values that are codes stay those codes: black, white and every grey.
    @Test func exactCodesAreNotDithered() {
        let source = Picture(layout("Y444_16LE"), 256, 8)
        let target = Picture(layout("Y444"), 256, 8)
        let codes = (0..<8).flatMap { _ in 0..<256 }
        for c in 0..<3 { source[c] = codes.map { $0 * 256 } }
        let plan = ConversionPlan(source: .sdr(source.layout), target: .sdr(target.layout), settings: .init())
        convert(source, target, plan, dither: .ordered)
        for c in 0..<3 { #expect(target[c] == codes) }
    }

    /// Full range in 10 bits: the half that centres chroma would be one code beyond the top.
    @Test func chromaOfFullRangeStaysInRange() {
        let rgb = Picture(layout("GBR_10LE"), 3, 1)
        rgb[0] = [1023, 0, 0]
        rgb[1] = [0, 1023, 0]
        rgb[2] = [0, 0, 1023]
        let yuv = Picture(layout("Y444_10LE"), 3, 1)
        let plan = ConversionPlan(
            source: .pq(rgb.layout), target: .pq(yuv.layout, full: true), settings: ConversionSettings())
        convert(rgb, yuv, plan)
        #expect(yuv[2][0] == 1023 && yuv[1][2] == 1023)
    }

    /// Every level of the dither, in every column and in rows of any length.
    @Test(arguments: InstructionSet.supported, ["Y444", "NV12", "RGBA", "RGB", "v210"])
    func ditherIsTheSameEverywhere(_ set: InstructionSet, _ name: String) {
        let to = layout(name)
        let from = layout(
            to.isRGB
                ? "RGBA64_LE" : to.verticalShift > 0 ? "P016_LE" : to.horizontalShift > 0 ? "I422_12LE" : "Y444_16LE")
        for width in [1, 7, 16, 45] {
            let source = Picture(from, width, 16)
            for c in 0..<3 {
                let count = source[c].count
                let depth = from.bits - to.bits
                source[c] = (0..<count).map { 100 << depth | $0 * 3 % (1 << depth) }
            }
            let job = Job(
                "dither", to.isRGB ? .make(.sRGB, .bt709, .bt709, from, true) : .sdr(from),
                to.isRGB ? .make(.sRGB, .bt709, .bt709, to, true) : .sdr(to), (from, to), dither: .ordered)
            let got = job.picture(Kernel(set: set, quality: .balanced), source)
            let want = job.definition(source)
            for c in 0..<3 { #expect(got[c] == want[c], "width \(width), component \(c)") }
        }
    }
}
