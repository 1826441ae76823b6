import CKernels
import Glibc
import HDRColor
import TestSupport
import Testing

@testable import HDRKernels

/// The kernels of 16-bit fixed point, which convert PQ to SDR at `fast` where the instruction set has them.
@Suite struct FixedPointKernelTests {
    /// Formats that cover each way of reading samples and each way of writing them.
    static let formats = [
        ("P010_10LE", "NV12"), ("P010_10LE", "Y42B"), ("P010_10LE", "Y444_10LE"), ("I420_10LE", "NV21"),
        ("I420_12LE", "I422_10LE"), ("I422_10LE", "I420"), ("P012_LE", "I420_10LE"), ("P016_LE", "P010_10LE"),
        ("Y444_10LE", "Y444"), ("Y444_16LE", "NV12"),
    ]
    static let sitings: [ChromaSiting] = [.left, .topLeft, .center]

    private static let hasFixedPoint = InstructionSet.best.kernels.convert_fixed_point != nil
    private let kernel = Kernel(set: .best, quality: .fast)

    static func job(
        _ formats: (String, String), _ siting: ChromaSiting = .left, _ mode: ChromaMode = .linear,
        _ curve: ToneCurve? = nil, peak: Double = 1000, dither: Dither = .none
    ) -> Job {
        let (from, to) = (layout(formats.0), layout(formats.1))
        var settings = ConversionSettings.clipped
        settings.toneCurve = curve
        settings.sourcePeak = peak
        return Job(
            "\(formats.0) -> \(formats.1)", .pq(from), .sdr(to), (from, to), settings, siting: (siting, siting),
            mode: mode, dither: dither)
    }

    @Test(.enabled(if: hasFixedPoint)) func theyAreUsed() {
        for formats in Self.formats {
            for curve in [ToneCurve.bt2446a, .bt2390, .spline, .reinhard, .hable, .mobius, .referenceWhite] {
                let job = Self.job(formats, .left, .linear, curve)
                #expect(
                    FixedPointPlanner.fixedPointPlan(job.plan, job.format, TableStore()) != nil, "\(job.name), \(curve)"
                )
            }
        }
    }

    /// Conversions that 16 bits are too coarse for, or that have steps of their own.
    @Test func theyAreNotUsedBeyond() {
        func plan(_ change: (inout ConversionSettings) -> Void, to: String = "NV12") -> FixedPointPlan? {
            let (source, target) = (layout("P010_10LE"), layout(to))
            var settings = ConversionSettings.clipped
            change(&settings)
            let job = Job("", .pq(source), .sdr(target), (source, target), settings)
            return FixedPointPlanner.fixedPointPlan(job.plan, job.format, TableStore())
        }
        #expect(plan { _ in } != nil)
        #expect(plan { $0.gamutMapping = .softclip } == nil)
        #expect(plan { $0.gamutMapping = nil } == nil)
        #expect(plan { ($0.toneCurve, $0.domain) = (.bt2390, .luminance) } == nil)
        #expect(plan { $0.toneCurve = .clip } == nil)
        #expect(plan { $0.sourcePeak = 200 } == nil)
        #expect(plan { $0.targetPeak = 10 } == nil)
        #expect(plan({ _ in }, to: "I420_12LE") == nil)
        #expect(plan({ _ in }, to: "RGBA") == nil)
    }

    /// The promise of `fast` holds with chroma in every siting.
    @Test(.enabled(if: hasFixedPoint), arguments: formats, sitings)
    func naturalPictures(_ formats: (String, String), _ siting: ChromaSiting) {
        let wide = layout(formats.0)
        let source = KernelColors.natural(.pq(wide), wide, peak: 1000)
        let curve = siting == .topLeft ? ToneCurve.bt2390 : .bt2446a
        for mode in siting == .left ? ChromaMode.allCases : [.linear] {
            let job = Self.job(formats, siting, mode, curve)
            // P010 has its codes in the highest bits of 16.
            let far = 2 << (job.format.target.bits - 8 + Int(KernelLayout(job.format.target).shift))
            let d = Difference(job.picture(kernel, source), job.definition(source), far: far)
            #expect(d.farSamples <= 0.001, "\(job.name), \(siting), \(mode), \(curve): \(d)")
        }
    }

    /// The promise also holds between other peaks, low and high.
    @Test(
        .enabled(if: hasFixedPoint), arguments: [ToneCurve.bt2446a, .bt2390, .spline, .hable, .referenceWhite],
        [(300.0, 100.0), (10000, 203), (4000, 48)])
    func peaks(_ curve: ToneCurve, _ peaks: (Double, Double)) {
        let wide = layout("Y444_10LE")
        let source = KernelColors.natural(.pq(wide), wide, peak: peaks.0)
        let target = layout("Y444")
        var settings = ConversionSettings.clipped
        settings.toneCurve = curve
        (settings.sourcePeak, settings.targetPeak) = peaks
        let job = Job("", .pq(wide), .sdr(target), (wide, target), settings)
        let d = Difference(job.picture(kernel, source), job.definition(source), far: 2, from: source)
        #expect(d.farPixels <= 0.001 && d.mean < 0.2, "\(curve), \(peaks): \(d)")
    }

    /// Widths whose last vector, pair or column of chroma is cut off: the picture's edges are the definition's.
    @Test(.enabled(if: hasFixedPoint), arguments: formats, sitings)
    func edges(_ formats: (String, String), _ siting: ChromaSiting) {
        for width in [1, 2, 3, 15, 31, 32, 33, 47, 63, 64, 65, 479, 480, 481, 511, 513, 961] {
            for height in [1, 2, 5] {
                let job = Self.job(formats, siting, width % 4 == 3 ? .nearest : .linear)
                let source = Self.gentle(job.format.source, width, height)
                let far = 3 << (job.format.target.bits - 8 + Int(KernelLayout(job.format.target).shift))
                let picture = job.picture(kernel, source)
                let d = Difference(picture, job.definition(source))
                #expect(d.largest <= far, "\(job.name), \(siting), \(width)x\(height): \(d)")
                #expect(!picture.guardIsBroken, "\(job.name), \(siting), \(width)x\(height)")
            }
        }
    }

    /// Colours inside BT.709 that change from pixel to pixel.
    private static func gentle(_ wide: PixelLayout, _ width: Int, _ height: Int) -> Picture {
        let picture = Picture(wide, width, height)
        let top = Double((1 << wide.bits) - 1)
        var random = SeededGenerator(seed: UInt64(width * 8 + height))
        for c in 0..<3 {
            let (w, h) = picture.extent(c)
            let middle = c == 0 ? 0.45 : 0.5
            let reach = c == 0 ? 0.2 : 0.02
            picture[c] = (0..<w * h).map { _ in
                Int(top * (middle + Double.random(in: -reach...reach, using: &random)))
            }
        }
        return picture
    }

    /// Greys are neutral, black is its very code and white is at most one less, dither or not.
    @Test(.enabled(if: hasFixedPoint), arguments: [ToneCurve.bt2446a, .bt2390, .hable]) func greys(_ curve: ToneCurve) {
        for dither in Dither.allCases {
            let job = Self.job(("Y444_10LE", "Y444"), .left, .linear, curve, dither: dither)
            let source = KernelColors.greys(job.format.source, height: 8)
            let codes = job.picture(kernel, source).samples
            #expect(codes[(1024 * 8)...].allSatisfy { $0 == 128 }, "\(curve), \(dither)")
            for y in 0..<8 {
                let row = Array(codes[y * 1024..<y * 1024 + 1024])
                #expect(row[...64].allSatisfy { $0 == 16 }, "\(curve), \(dither)")
                #expect(row[940...].allSatisfy { $0 == 235 || $0 == 234 }, "\(curve), \(dither)")
            }
        }
    }

    /// Light above the peak that the curve is made for, in any colour, stays at the top.
    @Test(.enabled(if: hasFixedPoint)) func lightAboveThePeak() {
        for curve in [ToneCurve.bt2446a, .bt2390, .hable] {
            let job = Self.job(("Y444_10LE", "Y444"), .left, .linear, curve, peak: 600)
            let source = KernelColors.wide(.pq(job.format.source), job.format.source)
            let d = Difference(job.picture(kernel, source), job.definition(source), far: 16, from: source)
            #expect(d.farPixels < 0.02, "\(curve): \(d)")
        }
    }

    // MARK: Tables

    /// Lines come as close to a smooth function as its curvature lets them, and meet it at the first word.
    @Test(arguments: [FixedPointParts.parts32, .parts64, .fineAtZero]) func tables(_ kind: FixedPointParts) {
        func function(_ x: Double) -> Double { 30000 * pow(x / 32767, 1.5) }
        let table = FixedPointTable(kind, 0...32767, up: 1, function)
        #expect(table.value(0, kind) == 0)
        let largest = (0...32767).map { abs(Double(table.value(Int16($0), kind)) - function(Double($0))) }.max() ?? 0
        // In the first part the line is not free: 0.15 of what the function rises there. Beyond, a sixteenth of the
        // square of a part's length times the second derivative; and three roundings.
        let first = 0.2 * function(Double(kind.words(0).count))
        let size = Double(kind.words(kind.count - 1).count)
        let second = 30000 * 0.75 / pow(32767, 1.5) / 2100.0.squareRoot() * size * size / 16
        #expect(largest < max(first, second) + 3, "\(largest)")
    }

    /// Every word belongs to the part that says so.
    @Test(arguments: [FixedPointParts.parts32, .parts64, .fineAtZero]) func parts(_ kind: FixedPointParts) {
        #expect((0...32767).allSatisfy { kind.words(kind.part($0)).contains($0) })
    }

    /// Steep lines, and falling ones, are what they should be between any two parts.
    @Test func steepTables() {
        func function(_ x: Double) -> Double { 16000 * sin(x / 2400) }
        let table = FixedPointTable(.parts32, 0...32767, up: 3, function)
        let errors = (1024...32767).map { abs(Double(table.value(Int16($0), .parts32)) - function(Double($0))) }
        let largest = errors.max() ?? 0
        #expect(largest < 16000 * (1024.0 / 2400) * (1024.0 / 2400) / 16 * 1.1 + 3, "\(largest)")
    }
}
