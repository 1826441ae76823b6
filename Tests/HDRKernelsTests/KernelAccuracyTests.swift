import HDRColor
import Testing

@testable import HDRKernels

/// Every kernel against the definition in double precision, over random and edge colours, without chroma's filters.
///
/// The definition takes longer than all kernels together, so that each case computes it once and tries every
/// instruction set and quality on it.
@Suite struct KernelAccuracyTests {
    static let ycbcr = layout("Y444_10LE")
    static let rgb = layout("GBR_10LE")

    enum Signal: String, CaseIterable, Sendable {
        case pq, hlg, sdr, sRGB, bt601, gamma, linear

        var isHDR: Bool { self == .pq || self == .hlg }

        func signal(_ layout: PixelLayout) -> ColorSignal {
            switch self {
            case .pq: .pq(layout)
            case .hlg: .hlg(layout)
            case .sdr: .sdr(layout)
            case .sRGB: .make(.sRGB, .displayP3, .bt709, layout, nil)
            case .bt601: .make(.bt1886, .bt601, .bt601, layout, nil)
            case .gamma: .make(.gamma(2.2), .bt601x625, .bt601, layout, true)
            case .linear: .make(.linear, .bt709, .bt709, layout, true)
            }
        }
    }

    static func job(
        _ from: Signal, _ to: Signal, _ format: PixelLayout = ycbcr,
        _ change: (inout ConversionSettings) -> Void = { _ in }
    ) -> Job {
        var s = ConversionSettings.clipped
        change(&s)
        let curve = s.toneCurve.map { "\($0)" } ?? "auto"
        let gamut = s.gamutMapping.map { "\($0)" } ?? "auto"
        let name = """
            \(from) -> \(to) \(curve) in \(s.domain), inverse \(s.inverseToneCurve), gamut \(gamut), \
            peaks \(s.sourcePeak ?? 0) -> \(s.targetPeak ?? 0), average \(s.sourceAverage ?? 0), \
            HLG \(s.hlgPeak), white \(s.referenceWhite), \
            \(format.isRGB ? "RGB" : "YCbCr")
            """
        return Job(name, from.signal(format), to.signal(format), (format, format), s)
    }

    // MARK: Cases

    static let scalarCurves = ToneCurve.choices.filter { $0.operation == .light }

    /// Each curve in each domain that makes a difference to it.
    static let curves: [(ToneCurve, ToneDomain)] = ToneCurve.allCases.flatMap { curve in
        let takesDomain = scalarCurves.contains(curve) && curve.measure == .chosen
        return (takesDomain ? ToneDomain.allCases : [.maxRGB]).map { (curve, $0) }
    }

    static let hdrToSDR: [Job] = {
        var jobs: [Job] = []
        for from in [Signal.pq, .hlg] {
            for (curve, domain) in curves {
                jobs.append(job(from, .sdr) { ($0.toneCurve, $0.domain) = (curve, domain) })
            }
            for gamut in [GamutMapping.softclip, .desaturate, .perceptual] {
                for curve in [ToneCurve.bt2446a, .bt2446c, .bt2390, .clip] {
                    jobs.append(job(from, .sdr) { ($0.toneCurve, $0.gamutMapping) = (curve, gamut) })
                }
            }
            for curve in [ToneCurve.bt2446a, .bt2446c, .bt2390, .hable, .clip] {
                jobs.append(job(from, .sdr, rgb) { $0.toneCurve = curve })
            }
            for to in [Signal.sRGB, .bt601, .gamma, .linear] { jobs.append(job(from, to)) }
            // This is the conversion of a user who chooses nothing.
            for format in [ycbcr, rgb] { jobs.append(job(from, .sdr, format) { $0.gamutMapping = nil }) }
            jobs.append(job(from, .sdr) { ($0.referenceWhite, $0.hlgPeak, $0.sourcePeak) = (100, 600, 4000) })
            jobs.append(job(from, .sRGB, rgb) { ($0.toneCurve, $0.gamutMapping) = (.mobius, .softclip) })
        }
        return jobs
    }()

    /// Between HDR signals; a lower peak on the other side makes every curve work.
    static let hdrToHDR: [Job] = {
        var jobs: [Job] = []
        for (curve, domain) in curves {
            jobs.append(job(.pq, .hlg) { ($0.toneCurve, $0.domain, $0.sourcePeak) = (curve, domain, 4000) })
            jobs.append(job(.hlg, .pq) { ($0.toneCurve, $0.domain, $0.targetPeak) = (curve, domain, 400) })
        }
        for curve in scalarCurves {
            jobs.append(job(.pq, .pq) { ($0.toneCurve, $0.sourcePeak, $0.targetPeak) = (curve, 4000, 600) })
            jobs.append(job(.hlg, .hlg) { ($0.toneCurve, $0.sourcePeak, $0.targetPeak) = (curve, 2000, 600) })
        }
        for (from, to) in [(Signal.pq, Signal.hlg), (.hlg, .pq)] {
            for gamut in GamutMapping.allCases { jobs.append(job(from, to) { $0.gamutMapping = gamut }) }
            jobs.append(job(from, to, rgb))
        }
        return jobs
    }()

    static let sdrToHDR: [Job] = {
        var jobs: [Job] = []
        for from in [Signal.sdr, .sRGB] {
            for to in [Signal.pq, .hlg] {
                for domain in ToneDomain.allCases {
                    jobs.append(job(from, to) { ($0.inverseToneCurve, $0.domain) = (.spline, domain) })
                }
                for inverse in ToneCurve.inverses where inverse != .spline {
                    jobs.append(job(from, to) { $0.inverseToneCurve = inverse })
                }
                for inverse in ToneCurve.inverses {
                    jobs.append(
                        job(from, to) {
                            ($0.inverseToneCurve, $0.referenceWhite, $0.targetPeak) = (inverse, 100, 600)
                            $0.hlgPeak = 600
                        })
                }
                for peak in [203.0, 400, 1000, 4000, 10000] {
                    for share in [0, 0.02, 1] {
                        jobs.append(
                            job(from, to, share == 0 ? rgb : ycbcr) {
                                ($0.inverseToneCurve, $0.targetPeak) = (.expansion, peak)
                                ($0.highlightShare, $0.hlgPeak) = (share, max(peak, 400))
                            })
                    }
                }
                jobs.append(job(from, to, rgb))
            }
        }
        return jobs
    }()

    static let sdrToSDR: [Job] = {
        let signals = Signal.allCases.filter { !$0.isHDR }
        return signals.flatMap { from in signals.map { job(from, $0) } }
    }()

    /// Curves that measure light in BT.2020, of sources with other primaries.
    static let otherPrimaries: [Job] = {
        var jobs: [Job] = []
        for transfer in [Transfer.pq, .hlg] {
            for primaries in [Primaries.displayP3, .bt709] {
                for (to, peak) in [(Signal.sdr, nil), (.sdr, 120), (.sRGB, nil), (.pq, 400), (.pq, 700)]
                    as [(Signal, Double?)]
                {
                    for format in [ycbcr, rgb] {
                        var s = ConversionSettings.clipped
                        (s.toneCurve, s.targetPeak) = (.referenceWhite, peak)
                        let from = ColorSignal.make(transfer, primaries, .bt2020, format, nil)
                        let name = "\(from) -> \(to) at \(peak ?? 0)"
                        jobs.append(Job(name, from, to.signal(format), (format, format), s))
                    }
                }
            }
        }
        return jobs
    }()

    /// The spline with its knee at averages of dark and bright scenes, and where it stops at its limits.
    static let sceneAverages: [Job] = [1000.0, 4000].flatMap { peak in
        [0.001, 0.5, 5, 60, 400].flatMap { average in
            [Signal.sdr, .pq].map { to in
                job(.pq, to) {
                    ($0.toneCurve, $0.sourcePeak, $0.sourceAverage) = (.spline, peak, average)
                    $0.targetPeak = to == .pq ? 500 : nil
                }
            }
        }
    }

    static let targetPeaks = [100.0, 203, 600]

    static let pqPeaks: [Job] = {
        var jobs: [Job] = []
        for source in [400.0, 1000, 4000, 10000] {
            for target in targetPeaks {
                for curve in ToneCurve.allCases {
                    jobs.append(
                        job(.pq, .sdr) { ($0.toneCurve, $0.sourcePeak, $0.targetPeak) = (curve, source, target) })
                }
                for curve in scalarCurves {
                    jobs.append(
                        job(.pq, .pq) { ($0.toneCurve, $0.sourcePeak, $0.targetPeak) = (curve, source, target) })
                }
            }
        }
        return jobs
    }()

    static let hlgPeaks: [Job] = {
        var jobs: [Job] = []
        for peak in [600.0, 1000, 1500, 2000] {
            for target in targetPeaks {
                for curve in [ToneCurve.bt2446a, .bt2446c, .bt2390, .hable] {
                    jobs.append(job(.hlg, .sdr) { ($0.toneCurve, $0.hlgPeak, $0.targetPeak) = (curve, peak, target) })
                }
                jobs.append(job(.hlg, .pq) { ($0.hlgPeak, $0.targetPeak) = (peak, target) })
            }
            jobs.append(job(.pq, .hlg) { ($0.hlgPeak, $0.sourcePeak) = (peak, 10000) })
            jobs.append(job(.hlg, .pq) { $0.hlgPeak = peak })
            jobs.append(job(.sdr, .hlg) { ($0.hlgPeak, $0.inverseToneCurve) = (peak, .spline) })
        }
        return jobs
    }()

    // MARK: Tests

    @Test(arguments: hdrToSDR) func fromHDRToSDR(_ job: Job) { Self.check(job, 128) }
    @Test(arguments: hdrToHDR) func betweenHDRSignals(_ job: Job) { Self.check(job, 128) }
    @Test(arguments: sceneAverages) func averagesOfScenes(_ job: Job) { Self.check(job, 64) }
    @Test(arguments: otherPrimaries) func ofOtherPrimaries(_ job: Job) { Self.check(job, 64) }
    @Test(arguments: sdrToHDR) func fromSDRToHDR(_ job: Job) { Self.check(job, 128) }
    @Test(arguments: sdrToSDR) func betweenSDRSignals(_ job: Job) { Self.check(job, 64) }
    @Test(arguments: pqPeaks) func peaksOfPQ(_ job: Job) { Self.check(job, 64) }
    @Test(arguments: hlgPeaks) func peaksOfHLG(_ job: Job) { Self.check(job, 64) }

    /// - Parameter height: of the picture, in rows of 512 colours.
    static func check(_ job: Job, _ height: Int) {
        defer { Benchmark.report(job, Kernel.all) }
        // At the edge of the gamut, to which these move colours, every error shows near black.
        let movesToEdge = [.desaturate, .perceptual].contains(job.plan.gamutMapping)
        // A limit to a share of the samples needs many.
        let source = KernelColors.wide(job.plan.source, job.format.source, height: movesToEdge ? 256 : height)
        let expected = job.definition(source)
        for kernel in Kernel.exact {
            let d = Difference(job.picture(kernel, source), expected, from: source)
            if kernel.quality == .reference {
                #expect(d.largest <= 1 && d.mean <= 0.01, "\(kernel): \(d)")
                continue
            }
            #expect(d.mean <= 0.05, "\(kernel): \(d)")
            let usesDomain = scalarCurves.contains(job.plan.toneCurve) || job.plan.inverseToneCurve == .spline
            // I of ICtCp and the mixing with grey take small differences of large numbers, which shows near black.
            if usesDomain && job.plan.domain == .ictcp {
                #expect(d.largest <= 4, "\(kernel): \(d)")
            } else if movesToEdge {
                #expect(d.farSamples <= (job.plan.gamutMapping == .perceptual ? 2e-5 : 1e-5), "\(kernel): \(d)")
            } else {
                #expect(d.largest <= 2, "\(kernel): \(d)")
            }
        }
    }
}
