import Foundation
import HDRColor
import TestSupport
import Testing

@testable import HDRKernels

/// Reshaping by the kernels of each instruction set, against the definition in double precision.
@Suite struct ReshaperTests {
    static func job(
        _ formats: (String, String), _ to: KernelAccuracyTests.Signal, siting: ChromaSiting = .left,
        mode: ChromaMode = .linear, contrastRecovery: Double = 0, curve: ToneCurve = .bt2390
    ) -> Job {
        var settings = ConversionSettings.clipped
        settings.toneCurve = curve
        settings.contrastRecovery = contrastRecovery
        let (source, target) = (layout(formats.0), layout(formats.1))
        return Job(
            "\(formats) \(to) \(siting) \(mode) \(contrastRecovery) \(curve)", Reshaping.signal(), to.signal(target),
            (source, target), settings, siting: (siting, siting), mode: mode, reshapes: true)
    }

    static let jobs: [Job] = [
        job(("P010_10LE", "P010_10LE"), .pq), job(("P010_10LE", "NV12"), .sdr), job(("I420_10LE", "I420_10LE"), .sdr),
        job(("I420", "Y444_10LE"), .pq, siting: .topLeft), job(("NV12", "P010_10LE"), .hlg),
        job(("I422_10LE", "GBR_10LE"), .pq), job(("Y444_10LE", "GBR_10LE"), .pq),
        job(("Y444_12LE", "Y444_12LE"), .pq), job(("P016_LE", "RGBA"), .sdr, siting: .center, mode: .nearest),
        job(("v210", "v210"), .pq), job(("Y210", "I422_10LE"), .sdr), job(("I420_10BE", "P010_10LE"), .pq),
        job(("A420_10LE", "A420_10LE"), .pq), job(("P010_10LE", "P010_10LE"), .sdr, contrastRecovery: 0.3),
        job(("P010_10LE", "I420_10LE"), .sdr, curve: .bt2446a), job(("P010_10LE", "I420_10LE"), .sdr, curve: .bt2446c),
    ]

    /// A base layer in which every luma code appears, with chroma around grey.
    static func source(_ layout: PixelLayout, _ width: Int, _ height: Int) -> Picture {
        let picture = Picture(layout, width, height)
        picture.clear()
        var random = SeededGenerator(seed: 5)
        let top = (1 << layout.bits) - 1
        for component in 0..<3 {
            let (w, h) = picture.extent(component)
            picture[component] = (0..<w * h).map { index in
                if component == 0 { return (index * 7 + index / w * 311) % (top + 1) }
                return top / 2 + Int.random(in: -top / 24...top / 24, using: &random)
            }
        }
        if layout.hasAlpha { picture[3] = Array(repeating: 1, count: width * height) }
        return picture
    }

    static func picture(
        _ job: Job, _ kernel: Kernel?, _ reshaping: Reshaping, _ source: Picture, slices: Int = 1, padding: Int = 0
    ) throws -> Picture {
        let map = job.plan.contrastRecovery > 0 ? RecoveryMap(width: source.width, height: source.height) : nil
        let converter =
            kernel.map {
                PictureConverter(
                    plan: job.plan, format: job.format, quality: $0.quality, width: source.width, threads: 1,
                    instructionSet: $0.set, map: map)
            } ?? PictureConverter.definition(job.plan, job.format, width: source.width, map: map)
        let reshaper = Reshaper(
            reshaping, layout: job.format.source, isCoarse: job.isCoarse, instructionSet: kernel?.set ?? .baseline)
        let target = Picture(job.format.target, source.width, source.height, padding: padding)
        let view = source.view.reshaped(by: reshaper)
        withExtendedLifetime(reshaper) {
            for step in RecoveryStep.allCases where map != nil {
                for slice in 0..<slices { converter.prepare(view, step, slice: slice, of: slices, thread: 0) }
            }
            for slice in 0..<slices { converter.convert(view, target.view, slice: slice, of: slices, thread: 0) }
        }
        #expect(!target.guardIsBroken)
        return target
    }

    @Test(arguments: jobs) func kernelsAreTheDefinition(_ job: Job) throws {
        for (name, reshaping) in ReshapingFixture.all {
            for (width, height) in [(1, 1), (5, 4), (47, 21), (776, 6)] {
                let source = Self.source(job.format.source, width, height)
                let expected = try Self.picture(job, nil, reshaping, source)
                for kernel in Kernel.all {
                    let found = try Self.picture(job, kernel, reshaping, source)
                    // These colours do not occur in pictures, while the limit of `fast` is for pictures only.
                    let most = (kernel.quality == .fast ? 16 : 1) * (job.format.target.bits > 10 ? 4 : 1)
                    for component in 0..<3 {
                        let largest = zip(found[component], expected[component]).map { abs($0 - $1) }.max() ?? 0
                        #expect(largest <= most, "\(name) \(kernel) \(width)x\(height) component \(component)")
                    }
                }
            }
        }
    }

    /// However a picture is cut, and wherever its rows lie.
    @Test(arguments: jobs) func slicesChangeNothing(_ job: Job) throws {
        for (width, height) in [(3, 5), (38, 33)] {
            let source = Self.source(job.format.source, width, height)
            for kernel in Kernel.all {
                for (name, reshaping) in ReshapingFixture.all where name == "8.4" || name == "5" {
                    let whole = try Self.picture(job, kernel, reshaping, source).content
                    let cut = try Self.picture(job, kernel, reshaping, source, slices: 5, padding: 18)
                    #expect(cut.content == whole, "\(name) \(kernel) \(width)x\(height)")
                }
            }
        }
    }

    /// A code at which a piece begins belongs to that piece, on each instruction set.
    @Test func piecesBeginAtTheirCodes() throws {
        let job = Self.job(("Y444_10LE", "GBR_12LE"), .pq)
        let pivots = [0, 100, 101, 102, 513, 514, 1021, 1022, 1023].map { Double($0) / 1023 }
        let steps = (0..<8).map { Reshaping.Piece.polynomial(SIMD3(0.1 + 0.1 * Double($0), 0, 0)) }
        let curve = try #require(Reshaping.Curve(pivots: pivots, pieces: steps))
        let reshaping = try #require(
            Reshaping(
                curves: [curve, .identity, .identity],
                toSignal: Matrix3(SIMD3(1, 0, 0), SIMD3(1, 0, 0), SIMD3(1, 0, 0)),
                offset: SIMD3(0, 0, 0)))
        let source = KernelColors.greys(layout("Y444_10LE"))
        for kernel in Kernel.all {
            let found = try Self.picture(job, kernel, reshaping, source)
            for code in 0..<1024 {
                let piece = pivots[1..<8].filter { Double(code) / 1023 >= $0 }.count
                let expected = Int((4095 * (0.1 + 0.1 * Double(piece))).rounded())
                #expect(abs(found[0][code] - expected) <= 1, "\(kernel) \(code)")
            }
        }
    }

    /// Each picture has its own mapping.
    @Test func mappingsFollowEachOther() throws {
        let job = Self.job(("P010_10LE", "P010_10LE"), .pq)
        let source = Self.source(job.format.source, 70, 6)
        for kernel in Kernel.all {
            let converter = job.converter(kernel, width: 70)
            let reshaper = Reshaper(
                ReshapingFixture.identity, layout: job.format.source, instructionSet: kernel.set)
            for (name, reshaping) in ReshapingFixture.all + ReshapingFixture.all.reversed() {
                reshaper.set(reshaping)
                #expect(reshaper.reshaping == reshaping)
                let target = Picture(job.format.target, 70, 6)
                converter.convert(source.view.reshaped(by: reshaper), target.view, slice: 0)
                let expected = try Self.picture(job, kernel, reshaping, source)
                #expect(target.content == expected.content, "\(name) \(kernel)")
            }
        }
    }

    /// A source without what was planned, or with what was not, is left alone.
    @Test func unplannedSourcesAreLeftAlone() {
        let planned = Self.job(("P010_10LE", "P010_10LE"), .pq)
        let plain = Job(
            "", .pq(layout("P010_10LE")), .pq(layout("P010_10LE")), (layout("P010_10LE"), layout("P010_10LE")))
        let source = Self.source(layout("P010_10LE"), 16, 4)
        let reshaper = Reshaper(ReshapingFixture.profile84, layout: layout("P010_10LE"))
        for (job, view) in [(planned, source.view), (plain, source.view.reshaped(by: reshaper))] {
            let target = Picture(layout("P010_10LE"), 16, 4)
            let before = target.content
            job.converter(Kernel.all[0], width: 16).convert(view, target.view, slice: 0)
            #expect(target.content == before)
        }
        #expect(Reshaper.takes(layout("NV12")) && !Reshaper.takes(layout("GBR")) && !Reshaper.takes(layout("GRAY8")))
    }

    /// Absurdly large numbers do not end the program.
    @Test func absurdNumbers() throws {
        let source = Self.source(layout("P010_10LE"), 33, 5)
        var random = SeededGenerator(seed: 3)
        func number() -> Double { Double.random(in: -1...1, using: &random) * pow(10, Double.random(in: 0...300)) }
        func vector() -> SIMD3<Double> { SIMD3(number(), number(), number()) }
        for _ in 0..<20 {
            let order = SIMD8(number(), number(), number(), number(), number(), number(), number(), 0)
            let pieces = [
                Reshaping.Piece.polynomial(vector()), .regression(constant: number(), orders: [order, order]),
            ]
            let curve = try #require(Reshaping.Curve(pivots: [0, 0.5, 1], pieces: pieces))
            let single = try #require(Reshaping.Curve(pivots: [0, 1], pieces: [pieces[1]]))
            let reshaping = try #require(
                Reshaping(
                    curves: [curve, single, Bool.random(using: &random) ? single : curve],
                    toSignal: Matrix3(vector(), vector(), vector()), offset: vector(),
                    toLMS: Matrix3(vector(), vector(), vector())))
            for job in Self.jobs.prefix(2) {
                for kernel in Kernel.all { _ = try Self.picture(job, kernel, reshaping, source) }
                _ = try Self.picture(job, nil, reshaping, source)
            }
        }
    }

    /// Light is measured of what reshaping gives.
    @Test func statistics() throws {
        let base = layout("Y444_10LE")
        let source = Self.source(base, 96, 40)
        let job = Self.job(("Y444_10LE", "GBR_12LE"), .pq)
        for (name, reshaping) in ReshapingFixture.all {
            for set in InstructionSet.supported {
                let reshaper = Reshaper(reshaping, layout: base, instructionSet: set)
                var options = LightMeter.Options()
                (options.gamut, options.grid, options.reshapes) = (.bt709, .every, true)
                let converted = try Self.picture(job, nil, reshaping, source)
                let found = try Self.measure(
                    source.view.reshaped(by: reshaper), base, Reshaping.signal(), options, set)
                options.reshapes = false
                let expected = try Self.measure(
                    converted.view, converted.layout, .pq(converted.layout), options, set)
                #expect(found.pixels == expected.pixels && found.pixels == 96 * 40)
                #expect(abs(found.average / expected.average - 1) < 0.002, "\(name) \(set)")
                #expect(abs(found.maximum / expected.maximum - 1) < 0.004, "\(name) \(set)")
                #expect(abs(found.outsideGamut - expected.outsideGamut) <= 40, "\(name) \(set)")
            }
        }
        var options = LightMeter.Options()
        options.reshapes = true
        #expect(
            LightMeter(
                layout: base, signal: Reshaping.signal(), siting: .left, width: 96, height: 40, options: options)
                == nil)
    }

    /// Times of a conversion to SDR by default and at its simplest, of plain PQ and of base layers.
    @Test(.enabled(if: Benchmark.isWanted)) func speed() {
        var simple = ConversionSettings.clipped
        simple.toneCurve = .bt2390
        let formats = (layout("P010_10LE"), layout("NV12"))
        let kernels = Kernel.all.filter { $0.quality == .balanced }
        for (name, settings) in [("bt2390", simple), ("auto", ConversionSettings())] {
            Benchmark.report(Job("\(name): plain", .pq(formats.0), .sdr(formats.1), formats, settings), kernels)
            for (mapping, reshaping) in ReshapingFixture.all {
                let job = Job(
                    "\(name): \(mapping)", Reshaping.signal(), .sdr(formats.1), formats, settings, reshapes: true)
                Benchmark.report(job, kernels, reshaping: reshaping)
            }
        }
        let clock = ContinuousClock()
        for set in InstructionSet.supported {
            var reshaper: Reshaper?
            let making = clock.measure {
                reshaper = Reshaper(ReshapingFixture.profile5, layout: formats.0, instructionSet: set)
            }
            let setting = clock.measure { for _ in 0..<1000 { reshaper?.set(ReshapingFixture.profile84) } }
            print("reshaper\t\(set)\tmade in \(making), set in \(setting / 1000)")
        }
    }

    private static func measure(
        _ view: FrameView, _ layout: PixelLayout, _ signal: ColorSignal, _ options: LightMeter.Options,
        _ set: InstructionSet
    ) throws -> LightStatistics {
        let meter = try #require(
            LightMeter(
                layout: layout, signal: signal, siting: .left, width: view.width, height: view.height,
                options: options, instructionSet: set))
        var statistics = LightStatistics()
        meter.begin()
        meter.measure(view, rows: 0..<view.height, thread: 0)
        meter.read(into: &statistics)
        return statistics
    }
}
