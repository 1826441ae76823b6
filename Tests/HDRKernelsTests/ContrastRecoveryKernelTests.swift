import HDRColor
import Testing

@testable import HDRKernels

/// Contrast recovery by the kernels of each instruction set, against the definition in double precision.
@Suite struct ContrastRecoveryKernelTests {
    static func job(
        _ from: KernelAccuracyTests.Signal, _ formats: (String, String), _ curve: ToneCurve = .bt2390,
        _ domain: ToneDomain = .maxRGB, strength: Double = 0.3, siting: ChromaSiting = .left,
        mode: ChromaMode = .linear, to: KernelAccuracyTests.Signal = .sdr, primaries: Primaries? = nil
    ) -> Job {
        var settings = ConversionSettings()
        (settings.toneCurve, settings.domain, settings.contrastRecovery) = (curve, domain, strength)
        let (source, target) = (layout(formats.0), layout(formats.1))
        var signal = from.signal(source)
        if let primaries { signal.primaries = primaries }
        return Job(
            "\(from) \(formats) \(curve) \(domain) \(strength) \(siting) \(mode)", signal, to.signal(target),
            (source, target), settings, siting: (siting, siting), mode: mode)
    }

    static let jobs: [Job] = [
        job(.pq, ("P010_10LE", "P010_10LE")), job(.pq, ("P010_10LE", "NV12")),
        job(.pq, ("I420_10LE", "Y444_10LE"), strength: 1, siting: .topLeft),
        job(.pq, ("I422_10LE", "I422_10LE"), .referenceWhite), job(.pq, ("v210", "v210"), .spline),
        job(.pq, ("Y444_10LE", "Y444_10LE"), .hable, .luminance, strength: 1),
        job(.pq, ("GBR_10LE", "GBR_10LE"), .referenceWhite, strength: 1),
        job(.pq, ("GBR_10LE", "GBR_10LE"), .referenceWhite, primaries: .displayP3),
        job(.pq, ("P010_10LE", "RGBA"), siting: .center, mode: .nearest), job(.pq, ("RGB10A2_LE", "P010_10LE")),
        job(.hlg, ("P010_10LE", "P010_10LE")), job(.hlg, ("Y444_10LE", "Y444_10LE"), .spline, .luminance),
        job(.hlg, ("RGBA64_LE", "I420_10LE"), .referenceWhite), job(.pq, ("I420_10BE", "I420_10LE")),
        job(.pq, ("Y210", "I422_10LE")), job(.pq, ("GRAY16_LE", "Y444_10LE")),
        job(.pq, ("P010_10LE", "P010_10LE"), to: .hlg),
    ].filter { $0.plan.contrastRecovery > 0 }

    /// A part of a picture with everything in it.
    static func source(_ job: Job, _ width: Int, _ height: Int) -> Picture {
        let natural = KernelColors.natural(job.plan.source, job.format.source, peak: 1000)
        let picture = Picture(job.format.source, width, height)
        picture.clear()
        for component in 0..<3 where !job.format.source.isGray || component == 0 {
            let (w, h) = picture.extent(component)
            let (from, extent) = (natural[component], natural.extent(component))
            picture[component] = (0..<w * h).map { from[$0 / w % extent.height * extent.width + $0 % w % extent.width] }
        }
        if job.format.source.hasAlpha { picture[3] = Array(repeating: 1, count: width * height) }
        return picture
    }

    static func convert(
        _ converter: PictureConverter, _ source: Picture, into target: Picture, slices: Int, cells: Int
    ) {
        for step in RecoveryStep.allCases {
            for slice in (0..<cells).reversed() {
                converter.prepare(source.view, step, slice: slice, of: cells, thread: 0)
            }
        }
        for slice in 0..<slices { converter.convert(source.view, target.view, slice: slice, of: slices, thread: 0) }
    }

    static func picture(
        _ job: Job, _ kernel: Kernel?, _ source: Picture, slices: Int = 1, cells: Int = 1, padding: Int = 0
    ) throws -> Picture {
        let map = try #require(RecoveryMap(width: source.width, height: source.height))
        let converter =
            kernel.map {
                PictureConverter(
                    plan: job.plan, format: job.format, quality: $0.quality, width: source.width, threads: 1,
                    instructionSet: $0.set, map: map)
            } ?? PictureConverter.definition(job.plan, job.format, width: source.width, map: map)
        #expect(converter.needsPreparation)
        #expect(converter.takes(width: source.width, height: source.height))
        #expect(!converter.takes(width: source.width, height: source.height + 1))
        let target = Picture(job.format.target, source.width, source.height, padding: padding)
        convert(converter, source, into: target, slices: slices, cells: cells)
        #expect(!target.guardIsBroken)
        return target
    }

    @Test(arguments: jobs) func kernelsAreTheDefinition(_ job: Job) throws {
        for (width, height) in [(1, 1), (2, 3), (5, 4), (47, 21), (776, 10)] {
            let source = Self.source(job, width, height)
            let expected = try Self.picture(job, nil, source)
            for kernel in Kernel.all {
                let found = try Self.picture(job, kernel, source)
                let most = kernel.quality == .fast ? 8 : 1
                for component in 0..<3 {
                    let largest = zip(found[component], expected[component]).map { abs($0 - $1) }.max() ?? 0
                    #expect(largest <= most, "\(kernel) \(width)x\(height) component \(component): \(largest)")
                }
            }
        }
    }

    /// However a picture is cut, for the steps before and for the conversion.
    @Test(arguments: jobs) func slicesChangeNothing(_ job: Job) throws {
        for (width, height) in [(3, 5), (38, 33), (790, 22)] {
            let source = Self.source(job, width, height)
            for kernel in Kernel.all where kernel.quality != .reference || width < 100 {
                let whole = try Self.picture(job, kernel, source).content
                for (slices, cells) in [(2, 5), (3, 2), (16, 40)] {
                    let cut = try Self.picture(job, kernel, source, slices: slices, cells: cells, padding: 18)
                    #expect(cut.content == whole, "\(kernel) \(width)x\(height) \(slices) \(cells)")
                }
            }
        }
    }

    /// It has an effect, within limits: light never exceeds the target's peak, and black stays.
    @Test func detailIsKept() throws {
        let job = Self.job(.pq, ("Y444_10LE", "Y444_10LE"), strength: 1)
        // Stripes of 400 and 700 cd/m² every second column, in 10-bit narrow range.
        let source = Picture(job.format.source, 64, 16)
        source[0] = (0..<64 * 16).map { $0 % 64 < 16 ? 64 : $0 % 2 == 0 ? 636 : 690 }
        for c in 1...2 { source[c] = Array(repeating: 512, count: 64 * 16) }
        for kernel in Kernel.all {
            let plain = job.picture(kernel, source)[0]
            let kept = try Self.picture(job, kernel, source)[0]
            func contrast(_ row: [Int]) -> Int { row[8 * 64 + 41] - row[8 * 64 + 40] }
            #expect(contrast(kept) > 2 * contrast(plain), "\(kernel): \(contrast(plain)) \(contrast(kept))")
            #expect(kept.max() ?? 0 <= 941)
            #expect(kept[8 * 64] == plain[8 * 64])
        }
    }

    /// Below the knee nothing changes at all: the curve is the identity there.
    @Test func belowTheKneeNothingChanges() throws {
        let job = Self.job(.pq, ("P010_10LE", "P010_10LE"), strength: 1)
        let source = Picture(job.format.source, 96, 40)
        // Up to 80 cd/m².
        source[0] = (0..<96 * 40).map { 64 + $0 * 7919 % 370 }
        for c in 1...2 { source[c] = Array(repeating: 512, count: 48 * 20) }
        for kernel in Kernel.exact {
            #expect(try Self.picture(job, kernel, source).content == job.picture(kernel, source).content, "\(kernel)")
        }
    }

    @Test func withoutItOrAMapNothingIsPrepared() throws {
        let map = try #require(RecoveryMap(width: 8, height: 8))
        for (strength, map) in [(0.0, map), (0.3, nil)] as [(Double, RecoveryMap?)] {
            let job = Self.job(.pq, ("P010_10LE", "NV12"), strength: strength)
            let converter = PictureConverter(
                plan: job.plan, format: job.format, quality: .balanced, width: 8, threads: 1, map: map)
            #expect(!converter.needsPreparation)
        }
        #expect(RecoveryMap(width: 0, height: 4) == nil && RecoveryMap(width: 1 << 30, height: 1 << 30) == nil)
    }

    /// Pictures that the map does not hold are left alone.
    @Test func higherPicturesAreLeftAlone() throws {
        let job = Self.job(.pq, ("P010_10LE", "NV12"))
        let map = try #require(RecoveryMap(width: 8, height: 8))
        let converter = PictureConverter(
            plan: job.plan, format: job.format, quality: .balanced, width: 8, threads: 1, map: map)
        let source = Self.source(job, 8, 12)
        let target = Picture(job.format.target, 8, 12)
        let before = target.content
        Self.convert(converter, source, into: target, slices: 1, cells: 1)
        #expect(target.content == before)
    }

    /// The picture is read before any of it is written, so that a target may lie where the source does.
    @Test func inPlace() throws {
        let job = Self.job(.pq, ("Y444_10LE", "Y444_10LE"))
        for kernel in Kernel.all where kernel.quality != .reference {
            let source = Self.source(job, 70, 30)
            let expected = try Self.picture(job, kernel, source).content
            let map = try #require(RecoveryMap(width: 70, height: 30))
            let converter = PictureConverter(
                plan: job.plan, format: job.format, quality: kernel.quality, width: 70, threads: 1,
                instructionSet: kernel.set, map: map)
            Self.convert(converter, source, into: source, slices: 3, cells: 2)
            #expect(source.content == expected, "\(kernel)")
        }
    }
}
