import HDRColor
import Testing

@testable import HDRKernels

/// A picture depends on itself and on the plan: not on the pictures before it, nor on other plans.
@Suite struct KernelStateTests {
    static let formats = [
        ("I420_10LE", "NV12"), ("P010_10LE", "RGBA"), ("v210", "I420_10LE"), ("Y444_10LE", "Y444_10LE"),
    ]

    static func job(_ formats: (String, String), peak: Double = 1000, curve: ToneCurve? = nil) -> Job {
        let (from, to) = (layout(formats.0), layout(formats.1))
        var s = ConversionSettings()
        s.sourcePeak = peak
        s.toneCurve = curve
        return Job("", .pq(from), .sdr(to), (from, to), s, siting: (.topLeft, .topLeft))
    }

    /// The first picture of a stream is as good as the second, and as the one after another picture.
    @Test(arguments: InstructionSet.supported, formats)
    func theFirstPictureIsAsTheOthers(_ set: InstructionSet, _ formats: (String, String)) {
        let job = Self.job(formats)
        let source = Picture(job.format.source, 131, 38)
        source.fill(1)
        let other = Picture(job.format.source, 131, 38)
        other.fill(2)
        for quality in Quality.allCases {
            let kernel = Kernel(set: set, quality: quality)
            let converter = job.converter(kernel, width: 131, threads: 2)
            let first = converter.picture(source, job.format.target).content
            #expect(converter.picture(source, job.format.target).content == first, "\(kernel)")
            #expect(converter.picture(other, job.format.target).content != first, "\(kernel)")
            #expect(converter.picture(source, job.format.target).content == first, "\(kernel)")
            #expect(job.converter(kernel, width: 131).picture(source, job.format.target).content == first, "\(kernel)")
            // The previous content of the target has no effect.
            let used = Picture(job.format.target, 131, 38)
            used.fill(3)
            converter.run(source, used)
            #expect(used.content == first, "\(kernel)")
        }
    }

    /// Plans whose peaks or curves differ follow each other, as where a stream's metadata changes: each picture is its
    /// plan's.
    @Test(arguments: InstructionSet.supported) func plansFollowEachOther(_ set: InstructionSet) {
        let format = layout("Y444_10LE")
        let source = KernelColors.wide(.pq(format), format, height: 32)
        let kernel = Kernel(set: set, quality: .balanced)
        var jobs: [Job] = []
        for peak in [400.0, 1000, 4000, 10000] {
            for curve in [ToneCurve.bt2446a, .bt2390, .hable] {
                jobs.append(Self.job(("Y444_10LE", "Y444_10LE"), peak: peak, curve: curve))
            }
        }
        let definitions = jobs.map { $0.definition(source) }
        let converters = jobs.map { $0.converter(kernel, width: source.width) }
        for _ in 0..<2 {
            for (index, converter) in converters.enumerated() {
                let picture = converter.picture(source, format)
                let d = Difference(picture, definitions[index], from: source)
                #expect(d.largest <= 2 && d.mean <= 0.05, "\(kernel), \(jobs[index].plan.sourcePeak): \(d)")
            }
        }
        // Each result differs from all others by more than kernels may err.
        for (index, a) in definitions.enumerated() {
            for b in definitions.dropFirst(index + 1) { #expect(Difference(a, b).largest > 20) }
        }
    }

    /// A converter that takes curves over from the one that it replaces makes the picture that it would make by itself,
    /// and the one before can still run.
    @Test(arguments: InstructionSet.supported, [("I420_10LE", "NV12"), ("P010_10LE", "P010_10LE")])
    func curvesAreTakenOver(_ set: InstructionSet, _ formats: (String, String)) {
        let (from, to) = (layout(formats.0), layout(formats.1))
        let source = Picture(from, 96, 8)
        source.fill(4)
        for quality in Quality.allCases {
            let kernel = Kernel(set: set, quality: quality)
            var last: (job: Job, converter: PictureConverter)?
            // Peaks, curves, domains and targets change by turns, and come back.
            for step in 0..<24 {
                var s = ConversionSettings()
                s.sourcePeak = [1000, 1190, 640, 4000, 999, 10000][step % 6]
                s.targetPeak = step % 8 == 7 ? 120 : nil
                s.toneCurve = [.bt2446a, .bt2390, .bt2446a, .bt2390][step / 2 % 4]
                s.domain = step / 8 % 2 == 1 ? .ictcp : .maxRGB
                s.gamutMapping = step % 7 == 6 ? .desaturate : .clip
                let job = Job("step \(step)", .pq(from), step % 5 == 4 ? .hlg(to) : .sdr(to), (from, to), s)
                let converter = PictureConverter(
                    plan: job.plan, format: job.format, quality: quality, width: 96, threads: 1, instructionSet: set,
                    replacing: last?.converter)
                let expected = job.picture(kernel, source).content
                #expect(converter.picture(source, to).content == expected, "\(kernel), \(job.name)")
                if let last {
                    let again = last.converter.picture(source, to).content
                    #expect(again == last.job.picture(kernel, source).content, "\(kernel), before \(job.name)")
                }
                last = (job, converter)
            }
        }
    }
}
