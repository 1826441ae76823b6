import TestSupport
import Testing

@testable import HDRColor

/// Whole conversions of single colours, code values in and out.
struct ConversionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let source: ColorSignal
        let target: ColorSignal
        let choices: ConversionSettings
        var testDescription: String {
            "\(source.transfer) to \(target.transfer), \(choices), \(codes)"
        }
        /// 10-bit narrow-range R'G'B' codes of the source.
        let codes: RGB
        /// The target's, before rounding.
        let expected: RGB
        init(
            _ source: ColorSignal, _ target: ColorSignal, _ choices: ConversionSettings, _ codes: [Double],
            _ expected: [Double]
        ) {
            (self.source, self.target, self.choices) = (source, target, choices)
            self.codes = RGB(codes[0], codes[1], codes[2])
            self.expected = RGB(expected[0], expected[1], expected[2])
        }
    }

    /// Worked out in double precision from the standards' formulas, independently of this module.
    static let standards = [
        Row(.pq, .sdr, settings(.clip), [573, 520, 430], [940.000000, 722.976701, 453.189399]),
        Row(.pq, .sdr, settings(.bt2390), [573, 520, 430], [940.000000, 658.792075, 415.282178]),
        Row(.pq, .sdr, settings(.bt2390, .luminance), [573, 520, 430], [940.000000, 706.090625, 443.216540]),
        Row(.pq, .sdr, settings(.bt2390, .rgb), [573, 520, 430], [928.583613, 729.573228, 459.155350]),
        Row(
            .pq, .sdr, settings(.bt2390, source: 4000, target: 100), [573, 520, 430],
            [925.070152, 640.167519, 404.282578]),
        Row(.pq, .sdr, settings(.bt2446a), [573, 520, 430], [741.980384, 530.353893, 357.549208]),
        Row(
            .pq, .sdr, settings(.bt2446a, white: 100, source: 4000), [573, 520, 430],
            [552.093703, 399.738915, 275.332839]),
        Row(.pq, .sdr, settings(.bt2446c), [573, 520, 430], [940.000000, 788.194202, 491.706634]),
        Row(
            .pq, .sdr, settings(.bt2446c, white: 100, source: 4000), [573, 520, 430],
            [940.000000, 788.194202, 491.706634]),
        Row(.hlg, .sdr, settings(.clip), [650, 600, 520], [816.699021, 683.479104, 581.288523]),
        Row(.hlg, .sdr, settings(.bt2390), [650, 600, 520], [805.369726, 674.154977, 573.502524]),
        Row(.hlg, .sdr, settings(.bt2390, .luminance), [650, 600, 520], [815.434773, 682.438615, 580.419675]),
        Row(.hlg, .sdr, settings(.bt2390, .rgb), [650, 600, 520], [800.698630, 684.825581, 581.605555]),
        Row(
            .hlg, .sdr, settings(.bt2390, target: 100, hlg: 600), [650, 600, 520],
            [872.840929, 729.684477, 619.871761]),
        Row(.hlg, .sdr, settings(.bt2446a), [650, 600, 520], [600.357262, 512.209112, 444.929708]),
        Row(
            .hlg, .sdr, settings(.bt2446a, white: 100, hlg: 2000), [650, 600, 520],
            [588.388173, 502.207095, 436.429065]),
        Row(.hlg, .sdr, settings(.bt2446c), [650, 600, 520], [940.000000, 801.437521, 679.788271]),
        Row(
            .hlg, .sdr, settings(.bt2446c, white: 100, hlg: 2000), [650, 600, 520],
            [940.000000, 850.275051, 720.569459]),
        Row(.pq, .hlg, settings(ToneCurve.none), [573, 520, 430], [733.660073, 629.783294, 420.268757]),
        Row(.pq, .hlg, settings(ToneCurve.none), [360, 480, 610], [303.189776, 562.207615, 818.341462]),
        Row(.pq, .hlg, settings(ToneCurve.none, hlg: 600), [700, 650, 330], [943.647571, 902.914480, 267.131204]),
        Row(.pq, .hlg, settings(.bt2390, source: 4000), [573, 520, 430], [733.660073, 629.783294, 420.268757]),
        Row(
            .pq, .hlg, settings(.bt2390, .luminance, source: 4000), [700, 650, 330],
            [919.103672, 833.487182, 228.107615]),
        Row(.pq, .hlg, settings(.bt2390, .rgb, source: 4000), [360, 480, 610], [303.189776, 562.207615, 818.341462]),
        Row(
            .pq, .hlg, settings(.bt2390, source: 2000, hlg: 400), [360, 480, 610],
            [359.238504, 642.116446, 887.120888]),
        Row(.hlg, .pq, settings(ToneCurve.none), [650, 600, 520], [525.263112, 501.448967, 467.002518]),
        Row(.hlg, .pq, settings(ToneCurve.none, hlg: 400), [880, 500, 300], [596.551039, 412.059917, 321.049215]),
        Row(.hlg, .pq, settings(ToneCurve.none, hlg: 4000), [330, 600, 860], [444.633507, 574.421996, 715.993181]),
        Row(.hlg, .pq, settings(.bt2390, target: 400), [650, 600, 520], [525.263112, 501.448967, 467.002518]),
        Row(
            .hlg, .pq, settings(.bt2390, .luminance, target: 400), [880, 500, 300],
            [635.658851, 467.759589, 369.494538]),
        Row(.hlg, .pq, settings(.bt2390, .rgb, target: 400), [330, 600, 860], [379.051034, 500.490534, 623.678932]),
        Row(
            .pq, .pq, settings(.bt2390, source: 4000, target: 600), [700, 650, 330],
            [657.171011, 607.716089, 299.643272]),
        Row(
            .hlg, .hlg, settings(.bt2390, .luminance, target: 500), [330, 600, 860],
            [330.000000, 600.000000, 860.000000]),
        Row(.sdr, .pq, settings(ToneCurve.none), [800, 640, 500], [517.437093, 487.324891, 436.814983]),
        Row(.sdr, .hlg, settings(ToneCurve.none), [800, 640, 500], [638.340144, 573.271603, 449.732363]),
        Row(.sdr, .pq, settings(ToneCurve.none), [300, 900, 420], [473.388457, 555.289478, 425.086012]),
        Row(.sdr, .hlg, settings(ToneCurve.none), [300, 900, 420], [524.795628, 699.979443, 409.490440]),
        Row(.sdr, .pq, settings(ToneCurve.none, white: 100), [800, 640, 500], [456.364155, 427.928577, 380.735981]),
        Row(
            .sdr, .hlg, settings(ToneCurve.none, white: 100, hlg: 600), [800, 640, 500],
            [571.825527, 500.543982, 387.524519]),
        Row(.sdr, .pq, settings(ToneCurve.none, white: 100), [300, 900, 420], [414.842595, 492.407410, 369.873041]),
        Row(
            .sdr, .hlg, settings(ToneCurve.none, white: 100, hlg: 600), [300, 900, 420],
            [457.684702, 643.144433, 358.475725]),
    ]

    /// Conversions that no standard specifies: spline, Reinhard, Hable and Möbius, curves in ICtCp, and SDR to HDR.
    static let others = [
        Row(.pq, .sdr, settings(.spline), [573, 520, 430], [731.903046, 510.913692, 327.945707]),
        Row(.hlg, .sdr, settings(.spline, .luminance), [650, 600, 520], [629.868537, 529.715677, 452.890236]),
        Row(.pq, .hlg, settings(.spline, .rgb, source: 4000), [700, 650, 330], [800.998369, 737.362254, 214.825437]),
        Row(.pq, .sdr, settings(.reinhard), [573, 520, 430], [860.272339, 596.809384, 378.675411]),
        Row(.hlg, .sdr, settings(.reinhard, .luminance), [650, 600, 520], [754.532533, 632.315439, 538.564925]),
        Row(
            .pq, .hlg, settings(.reinhard, .rgb, source: 4000), [700, 650, 330], [867.513011, 813.800543, 250.180940]),
        Row(.pq, .sdr, settings(.hable), [573, 520, 430], [729.604771, 509.375848, 327.037462]),
        Row(.hlg, .sdr, settings(.hable, .luminance), [650, 600, 520], [600.697112, 505.707292, 432.842325]),
        Row(.pq, .hlg, settings(.hable, .rgb, source: 4000), [700, 650, 330], [809.050511, 734.142471, 192.126029]),
        Row(.pq, .sdr, settings(.mobius), [573, 520, 430], [901.250515, 624.229095, 394.869399]),
        Row(.hlg, .sdr, settings(.mobius, .luminance), [650, 600, 520], [795.290619, 665.859767, 566.575710]),
        Row(.pq, .hlg, settings(.mobius, .rgb, source: 4000), [700, 650, 330], [881.788813, 827.532862, 229.991107]),
        Row(.pq, .sdr, settings(.bt2390, .ictcp), [573, 520, 430], [940.000000, 707.076182, 445.713378]),
        Row(.hlg, .pq, settings(.bt2390, .ictcp, target: 400), [880, 500, 300], [635.658851, 467.759589, 369.494538]),
        Row(.pq, .sdr, settings(.spline, .ictcp), [573, 520, 430], [759.930021, 546.869387, 366.293538]),
        Row(.hlg, .pq, settings(.spline, .ictcp, target: 400), [880, 500, 300], [608.157927, 436.244989, 345.864487]),
        Row(.pq, .sdr, settings(.mobius, .ictcp), [573, 520, 430], [940.000000, 678.568032, 432.131182]),
        Row(.hlg, .pq, settings(.mobius, .ictcp, target: 400), [880, 500, 300], [635.658851, 464.991693, 367.424969]),
        Row(.sdr, .pq, settings(inverse: .bt2446a), [800, 640, 500], [601.773553, 567.788913, 509.264817]),
        Row(.sdr, .hlg, settings(inverse: .bt2446a, hlg: 600), [300, 900, 420], [683.374225, 852.807759, 562.980750]),
        Row(.sdr, .pq, settings(inverse: .bt2446c), [800, 640, 500], [471.295088, 442.407467, 394.333942]),
        Row(.sdr, .hlg, settings(inverse: .bt2446c, hlg: 600), [300, 900, 420], [492.646838, 673.715188, 384.627364]),
        Row(.sdr, .pq, settings(inverse: .spline), [800, 640, 500], [643.200276, 610.938253, 555.805697]),
        Row(.sdr, .hlg, settings(inverse: .spline, hlg: 600), [300, 900, 420], [757.119147, 909.907482, 656.207200]),
        Row(
            .sdr, .pq, settings(nil, .luminance, inverse: .spline, target: 600), [800, 640, 500],
            [587.927078, 556.409182, 502.962309]),
        Row(.sdr, .pq, settings(nil, .rgb, inverse: .spline), [300, 900, 420], [604.680116, 698.258451, 520.401198]),
        Row(
            .sdr, .pq, settings(nil, .ictcp, inverse: .spline), [300, 900, 420], [611.993385, 674.966467, 573.499300]),
        Row(
            .sdr, .pq, settings(inverse: .bt2446a, white: 100, target: 600), [800, 640, 500],
            [554.884154, 521.769566, 465.171794]),
    ]

    /// Tolerance: twice the half of the last printed digit.
    @Test(arguments: standards + others) func table(_ row: Row) {
        let convert = Conversion<Double>(row.source, row.target, row.choices)
        let codes = Quantization.rgb10.codes(convert(Quantization.rgb10.decode(row.codes)))
        #expect((codes - row.expected).magnitude <= 1e-6)
    }

    /// In single precision PQ's 1e-5 of a signal, and the matrices' and OOTF's, stay within 0.1 of a 10-bit code for
    /// colours like these, whose components are all well above black.
    @Test(arguments: standards + others) func singlePrecision(_ row: Row) {
        let convert = Conversion<Float>(row.source, row.target, row.choices)
        let signal = Quantization.rgb10.decode(row.codes).converted(to: Float.self)
        let codes = Quantization.rgb10.codes(convert(signal)).converted(to: Double.self)
        #expect((codes - row.expected).magnitude <= 0.1)
    }

    // MARK: Signals to light and back

    /// SDR white is the reference white, HLG's is its nominal peak, PQ is absolute.
    @Test func decodes() {
        let white = RGB(1, 1, 1)
        #expect((Conversion<Double>(.sdr, .pq).decode(white) - 203).magnitude <= 1e-12)
        #expect((Conversion<Double>(.sdr, .pq, settings(white: 100)).decode(white) - 100).magnitude <= 1e-12)
        #expect((Conversion<Double>(.hlg, .pq, settings(hlg: 600)).decode(white) - 600).magnitude <= 1e-4)
        #expect(Conversion<Double>(.pq, .sdr).decode(white) == RGB(repeating: 10000))
        // HLG's OOTF is on luminance in a conversion too.
        let hlg = Conversion<Double>(.hlg, .pq).decode(RGB(0.75, 0.2, 0.1))
        #expect((hlg - RGB(159.41805, 8.02217, 2.00554)).magnitude <= 0.51e-5)
    }

    /// White of an SDR target is its peak, whatever that is.
    @Test(arguments: [100.0, 203, 400]) func encodesSDRWhite(_ peak: Double) {
        let convert = Conversion<Double>(.pq, .sdr, settings(target: peak))
        #expect((convert.encode(RGB(repeating: peak)) - 1).magnitude <= 1e-14)
        #expect((convert.encode(RGB(repeating: peak / 4)) - 0.5612310241546865).magnitude <= 1e-14)
    }

    /// Every signal to itself, and through its own light: black, white and colours come back.
    @Test(arguments: ConversionPropertyTests.signals) func same(_ signal: ColorSignal) {
        let convert = Conversion<Double>(signal, signal)
        var random = SeededGenerator(seed: 30)
        for color in [RGB(0, 0, 0), RGB(1, 1, 1)] + (0..<500).map({ _ in random.color() }) {
            let out = convert(color)
            // PQ's black is the light of signal 7.3e-7; sRGB's pieces and HLG's white lie 1e-7 and 5e-9 apart.
            #expect((out - color).magnitude <= 1e-6)
        }
    }

    /// SDR from one set of primaries to a wider one is the matrix on light between the same transfer.
    @Test func matrixOnLight() {
        let wide = ColorSignal(.bt1886, .bt2020)
        let out = Conversion<Double>(.sdr, wide)(RGB(1, 0, 0)).map { SDR.bt1886($0) }
        #expect((out - RGB(0.6274038959, 0.0690972894, 0.0163914389)).magnitude <= 1e-10)
        // In the opposite direction, the wider gamut's red is clipped at black.
        let back = Conversion<Double>(wide, .sdr)
        #expect(back(RGB(1, 0, 0)) == RGB(1, 0, 0))
        #expect((back(Conversion<Double>(.sdr, wide)(RGB(0.3, 0.6, 0.9))) - RGB(0.3, 0.6, 0.9)).magnitude <= 1e-9)
    }

    /// `clip` cuts components before the gamut mapping sees them, and `none` leaves them to it.
    @Test func clipAndNone() {
        let sameGamut = ColorSignal(.bt1886, .bt2020)
        let light = RGB(300, 100, 50)
        for gamut in GamutMapping.allCases {
            let cut = Conversion<Double>(.pq, sameGamut, settings(.clip, gamut: gamut))
            #expect(cut.mapped(light) == RGB(203, 100, 50))
        }
        let mixed = Conversion<Double>(.pq, sameGamut, settings(ToneCurve.none, gamut: .desaturate)).mapped(light)
        #expect(abs(mixed.x - 203) <= 0.03 && mixed.y > 110 && mixed.z > 90)
    }

    // MARK: PQ and HLG in codes

    static func worstCode(
        _ first: ColorSignal, _ second: ColorSignal, middle: Quantization, _ codes: [RGB]
    ) -> Double {
        let there = Conversion<Double>(first, second)
        let back = Conversion<Double>(second, first)
        return codes.map {
            let between = middle.decode(middle.encode(there(Quantization.rgb10.decode($0))))
            return (Quantization.rgb10.encode(back(between)) - $0).magnitude
        }.max()!
    }

    /// All grey codes of HLG through PQ, and those of PQ up to HLG's peak, code 723, through HLG. 12 bits between are
    /// enough for every code, and 10 bits, whose steps the two place differently, lose one at most.
    @Test func greyCodesComeBack() {
        let hlg = (64...940).map { RGB(repeating: Double($0)) }
        #expect(Self.worstCode(.hlg, .pq, middle: .rgb12, hlg) == 0)
        #expect(Self.worstCode(.hlg, .pq, middle: .rgb10, hlg) <= 1)
        let pq = (64...723).map { RGB(repeating: Double($0)) }
        #expect(Self.worstCode(.pq, .hlg, middle: .rgb12, pq) == 0)
        #expect(Self.worstCode(.pq, .hlg, middle: .rgb10, pq) <= 1)
    }

    @Test func colorsComeBack() {
        var random = SeededGenerator(seed: 31)
        let colors = (0..<5000).map { _ in Quantization.rgb10.encode(random.color()) }
        #expect(Self.worstCode(.hlg, .pq, middle: .rgb12, colors) == 0)
        #expect(Self.worstCode(.hlg, .pq, middle: .rgb10, colors) <= 1)
    }
}
