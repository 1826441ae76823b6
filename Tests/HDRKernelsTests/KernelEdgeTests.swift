import HDRColor
import Testing

@testable import HDRKernels

/// Every width up to a few vectors and around the lengths that rows are cut into, at any place in memory: the picture
/// is that of the definition, the same wherever it lies and however it is cut, and nothing around it is touched.
@Suite struct KernelEdgeTests {
    static let chunks = Array(383...386) + Array(767...770)
    static let widths = Array(1...40) + chunks + [1919]
    /// The widths that are tested with every height, and those that suffice where each one costs a new set of tables.
    static let fewWidths = Array(1...9) + [15, 16, 17, 31, 32, 33, 385, 769]

    /// Each way of reading and of writing; of 4:2:0, with rows of chroma that end with the picture and that do not.
    static let formats: [(String, String)] = [
        ("I420_10LE", "NV12"), ("P010_10LE", "I420"), ("NV12", "P010_10LE"), ("v210", "Y42B"), ("RGB", "v210"),
        ("Y444_16LE", "RGBA64_LE"), ("BGRA", "RGB10A2_LE"), ("AYUV64", "BGR"), ("GBR_10LE", "GBRA_12LE"),
        ("RGB10A2_LE", "I422_10LE"), ("Y42B", "xRGB"), ("NV21", "Y444"),
        ("A420_10LE", "P010_10LE"), ("I420", "A420"),
    ]
    /// Formats with the same samples in another arrangement, which have a path of their own.
    static let arrangements: [(String, String)] = [
        ("I420", "P010_10LE"), ("P010_10LE", "NV12"), ("v210", "I422_12LE"), ("RGB", "ARGB64_LE"),
        ("GBRA_12LE", "BGRx"), ("Y42B", "v210"), ("AYUV64", "Y444"), ("BGR10A2_LE", "RGBA"),
        // The codes are the same and only copied, or only those of luma are.
        ("RGBA", "BGR"), ("BGR", "xRGB"), ("RGB", "BGR"), ("ARGB", "BGRx"), ("ARGB64_LE", "RGBA64_LE"),
        ("I420", "YV12"),
        ("NV12", "I420"), ("P010_10LE", "I420_10LE"), ("I422_10LE", "v210"), ("v210", "I422_10LE"), ("NV12", "Y42B"),
        ("Y42B", "NV21"), ("Y444", "I420"), ("I420", "Y444"), ("I420_10LE", "v210"), ("Y444_16LE", "AYUV64"),
        ("A420", "A420_10LE"), ("A422_10LE", "I422_10LE"), ("A444_10LE", "AYUV64"), ("A420", "NV12"),
    ]

    static func job(_ formats: (String, String), keepsLight: Bool) -> Job {
        let (from, to) = (layout(formats.0), layout(formats.1))
        return Job(
            "\(formats.0) -> \(formats.1)", .pq(from), keepsLight ? .pq(to) : .sdr(to), (from, to),
            siting: (.topLeft, .topLeft), dither: keepsLight && from.bits <= to.bits ? .none : .ordered)
    }

    @Test(arguments: InstructionSet.supported, formats)
    func colors(_ set: InstructionSet, _ formats: (String, String)) {
        let job = Self.job(formats, keepsLight: false)
        Self.check(job, Kernel(set: set, quality: .balanced), Self.widths)
        Self.check(job, Kernel(set: set, quality: .fast), Self.fewWidths)
        Self.check(job, Kernel(set: set, quality: .reference), Self.fewWidths)
    }

    @Test(arguments: InstructionSet.supported, formats + arrangements)
    func formatsOnly(_ set: InstructionSet, _ formats: (String, String)) {
        let job = Self.job(formats, keepsLight: true)
        Self.check(job, Kernel(set: set, quality: .balanced), Self.widths)
        Self.check(job, Kernel(set: set, quality: .reference), Self.fewWidths)
    }

    static func check(_ job: Job, _ kernel: Kernel, _ widths: [Int]) {
        for width in widths {
            let whole = job.converter(kernel, width: width)
            let cut = job.converter(kernel, width: width, threads: 3)
            let definition = PictureConverter.definition(job.plan, job.format, width: width)
            // The pairing of rows does not depend on their length.
            for height in fewWidths.contains(width) ? 1...5 : 2...3 {
                let name = "\(job.name), \(kernel), \(width)x\(height)"
                let source = Picture(job.format.source, width, height)
                source.fill(UInt64(100 * width + height))
                let plain = whole.picture(source, job.format.target)
                let limit =
                    job.plan.keepsLight ? 1 : KernelLayoutTests.limit(kernel.quality, job.format.target.bits)
                if kernel.quality != .fast {
                    let expected = definition.picture(source, job.format.target)
                    KernelLayoutTests.check(plain, expected, limit, name)
                }
                KernelLayoutTests.checkAlpha(plain, from: source, name)
                #expect(!plain.guardIsBroken, "\(name)")
                for (placement, padding) in [
                    (Placement.misaligned, 3), (.afterForbiddenPage, 0), (.beforeForbiddenPage, 0), (.aligned, 34),
                ] {
                    let from = Picture(job.format.source, width, height, padding: padding, at: placement)
                    from.copy(source)
                    from.forbidWriting()
                    let to = Picture(job.format.target, width, height, padding: padding, at: placement)
                    (padding == 34 ? cut : whole).run(from, to)
                    #expect(to.content == plain.content, "\(name), \(placement), padding \(padding)")
                    #expect(!to.guardIsBroken, "\(name), \(placement), padding \(padding)")
                }
            }
        }
    }

    /// Rows at every distance from a vector's alignment, the target's at another one than the source's.
    @Test(arguments: InstructionSet.supported) func everyAlignment(_ set: InstructionSet) {
        for formats in [("I420_10LE", "NV12"), ("v210", "Y42B"), ("RGB", "v210"), ("BGRA", "RGB10A2_LE")] {
            let job = Self.job(formats, keepsLight: false)
            let width = 67
            let converter = job.converter(Kernel(set: set, quality: .balanced), width: width)
            let source = Picture(job.format.source, width, 2)
            source.fill(1)
            let plain = converter.picture(source, job.format.target)
            // The second row starts at the width of the first plus the padding.
            for padding in 0..<64 {
                let from = Picture(job.format.source, width, 2, padding: padding)
                from.copy(source)
                let to = Picture(job.format.target, width, 2, padding: 64 - padding)
                converter.run(from, to)
                #expect(to.content == plain.content && !to.guardIsBroken, "\(job.name), padding \(padding)")
            }
        }
    }

    /// Bands of a large picture, all numbers of threads, are one picture.
    @Test(arguments: InstructionSet.supported, Quality.allCases)
    func bands(_ set: InstructionSet, _ quality: Quality) {
        for formats in [("I420_10LE", "NV12"), ("v210", "I420"), ("Y444_16LE", "P010_10LE")] {
            let job = Self.job(formats, keepsLight: false)
            let kernel = Kernel(set: set, quality: quality)
            let source = Picture(job.format.source, 67, 35)
            source.fill(2)
            let one = job.picture(kernel, source)
            for threads in 2...5 {
                let many = job.converter(kernel, width: 67, threads: threads).picture(source, job.format.target)
                #expect(many.content == one.content, "\(job.name), \(kernel), \(threads) threads")
            }
        }
    }
}
