import HDRColor
import Testing

@testable import HDRKernels

@Suite struct SampleWriterTests {
    /// A 16-bit grey between two 8-bit codes comes out as their mixture in the right share.
    @Test(arguments: [Dither.ordered, .blueNoise]) func ditherKeepsTheMean(_ dither: Dither) {
        let source = Picture(layout("Y444_16LE"), 64, 64)
        let target = Picture(layout("Y444"), 64, 64)
        let plan = ConversionPlan(source: .sdr(source.layout), target: .sdr(target.layout), settings: .init())
        for sixteenths in 0...16 {
            let level = 100 * 256 + sixteenths * 16
            for c in 0..<3 { source[c] = Array(repeating: level, count: 64 * 64) }
            convert(source, target, plan, dither: dither)
            let mean = Double(target[0].reduce(0, +)) / Double(64 * 64)
            #expect(abs(mean - Double(level) / 256) < 0.01)
            #expect(Set(target[0]).count <= 2)
        }
    }

    /// Values that are codes stay those codes: black, white and every grey.
    @Test(arguments: Dither.allCases) func exactCodesAreNotDithered(_ dither: Dither) {
        let source = Picture(layout("Y444_16LE"), 256, 64)
        let target = Picture(layout("Y444"), 256, 64)
        let codes = (0..<64).flatMap { _ in 0..<256 }
        for c in 0..<3 { source[c] = codes.map { $0 * 256 } }
        let plan = ConversionPlan(source: .sdr(source.layout), target: .sdr(target.layout), settings: .init())
        convert(source, target, plan, dither: dither)
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
            source: .pq(rgb.layout), target: .pq(yuv.layout, full: true), settings: .clipped)
        convert(rgb, yuv, plan)
        #expect(yuv[2][0] == 1023 && yuv[1][2] == 1023)
    }
}
