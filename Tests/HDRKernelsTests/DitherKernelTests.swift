import HDRColor
import Testing

@testable import HDRKernels

/// Dither in the kernels of each instruction set, by both patterns.
@Suite struct DitherKernelTests {
    static let patterns = [Dither.ordered, .blueNoise]
    static let targets = ["Y444", "NV12", "I420", "RGBA", "RGB", "v210", "P010_10LE"]

    /// Samples between two codes of the target, in each share, of which only the depth changes.
    static func levels(_ name: String, _ width: Int, _ height: Int, _ dither: Dither) -> (Job, Picture) {
        let to = layout(name)
        let from = layout(
            to.isRGB
                ? "RGBA64_LE" : to.verticalShift > 0 ? "P016_LE" : to.horizontalShift > 0 ? "I422_12LE" : "Y444_16LE")
        let source = Picture(from, width, height)
        let depth = from.bits - to.bits
        for c in 0..<3 {
            source[c] = (0..<source[c].count).map { 100 << depth | $0 * 3 % (1 << depth) }
        }
        let job = Job(
            "\(dither) \(name)", to.isRGB ? .make(.sRGB, .bt709, .bt709, from, true) : .sdr(from),
            to.isRGB ? .make(.sRGB, .bt709, .bt709, to, true) : .sdr(to), (from, to), dither: dither)
        return (job, source)
    }

    /// Every level, in every column and row, in rows of any length and beyond a chunk of the kernels, by any number of
    /// threads.
    @Test(arguments: InstructionSet.supported, targets)
    func isTheSameEverywhere(_ set: InstructionSet, _ name: String) {
        for dither in Self.patterns {
            for (width, height) in [(1, 16), (7, 16), (16, 16), (45, 16), (900, 70)] {
                let (job, source) = Self.levels(name, width, height, dither)
                let want = job.definition(source)
                for threads in [1, 3] {
                    let got = job.converter(Kernel(set: set, quality: .balanced), width: width, threads: threads)
                        .picture(source, job.format.target)
                    for c in 0..<3 {
                        #expect(got[c] == want[c], "\(dither), \(width)x\(height), \(threads) threads, component \(c)")
                    }
                }
            }
        }
    }

    /// Where light is computed, by each quality and so in fixed point too: of a flat field, samples that get the upper
    /// code have the larger offsets, in luma and in chroma, beyond a chunk.
    @Test(arguments: Kernel.all.filter { $0.quality != .reference || $0.set == .best }, ["NV12", "I420", "Y444"])
    func offsetsDecide(_ kernel: Kernel, _ name: String) {
        let (from, to) = (layout(name == "NV12" ? "P010_10LE" : name + "_10LE"), layout(name))
        for dither in Self.patterns {
            for curve in [ToneCurve.bt2446a, .bt2390] {
                var settings = ConversionSettings()
                settings.toneCurve = curve
                let job = Job("flat", .pq(from), .sdr(to), (from, to), settings, dither: dither)
                for colour in [[401, 500, 540], [523, 530, 470], [610, 515, 505]] {
                    let source = Picture(from, 2000, 66)
                    for c in 0..<3 { source[c] = source[c].map { _ in colour[c] } }
                    let picture = job.picture(kernel, source)
                    for c in 0..<3 {
                        let (low, high) = Self.offsets(picture[c], width: picture.extent(c).width, dither)
                        // Chroma at the edges of a picture and of chunks is computed otherwise, by less than this.
                        #expect(low <= high + 0.01, "\(dither), \(curve), \(colour), component \(c)")
                    }
                }
            }
        }
    }

    /// The largest offset of samples with the lower code, and the smallest of those with the upper one.
    private static func offsets(_ codes: [Int], width: Int, _ dither: Dither) -> (low: Float, high: Float) {
        let lower = codes.min() ?? 0
        #expect(codes.allSatisfy { $0 - lower <= 1 })
        var (low, high) = (-Float.infinity, Float.infinity)
        for (i, code) in codes.enumerated() {
            let offset = dither.offset(x: i % width, y: i / width)
            if code == lower { low = max(low, offset) } else { high = min(high, offset) }
        }
        return (low, high)
    }
}
