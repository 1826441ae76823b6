import TestSupport
import Testing

@testable import HDRColor

typealias RGB = SIMD3<Double>

extension SeededGenerator {
    mutating func color(in range: ClosedRange<Double> = 0...1) -> RGB {
        RGB(.random(in: range, using: &self), .random(in: range, using: &self), .random(in: range, using: &self))
    }
}

extension SIMD3 where Scalar: ColorScalar {
    /// The largest of the components' magnitudes; a NaN in any of them gives infinity, so that no bound holds for it.
    var magnitude: Scalar {
        x.isNaN || y.isNaN || z.isNaN ? .infinity : Swift.max(abs(x), Swift.max(abs(y), abs(z)))
    }
    var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
    /// Largest minus smallest component.
    var spread: Scalar { maxComponent - minComponent }
}

extension Quantization {
    static let rgb10 = Quantization(bits: 10, fullRange: false, matrix: nil)
    static let rgb12 = Quantization(bits: 12, fullRange: false, matrix: nil)
    static let rgb10Full = Quantization(bits: 10, fullRange: true, matrix: nil)
    static let rgb12Full = Quantization(bits: 12, fullRange: true, matrix: nil)

    /// The code of one R', G' or B'.
    func code(_ signal: Double) -> Int { Int(encode(RGB(repeating: signal)).x) }
    /// The signal of one code.
    func signal(_ code: Int) -> Double { decode(RGB(repeating: Double(code))).x }
    /// The codes of a colour as integers.
    func codes(of signal: RGB) -> [Int] {
        let codes = encode(signal)
        return [Int(codes.x), Int(codes.y), Int(codes.z)]
    }
}

extension ColorSignal {
    /// 10-bit narrow-range R'G'B'.
    init(_ transfer: Transfer, _ primaries: Primaries) {
        self.init(transfer: transfer, primaries: primaries, quantization: .rgb10)
    }
    static let pq = ColorSignal(.pq, .bt2020)
    static let hlg = ColorSignal(.hlg, .bt2020)
    static let sdr = ColorSignal(.bt1886, .bt709)
}

/// Settings by name; light in cd/m².
func settings(
    _ curve: ToneCurve? = nil, _ domain: ToneDomain = .maxRGB, inverse: ToneCurve = .none,
    gamut: GamutMapping = .clip, white: Double = 203, source: Double? = nil, target: Double? = nil, hlg: Double = 1000
) -> ConversionSettings {
    var settings = ConversionSettings()
    settings.toneCurve = curve
    settings.domain = domain
    settings.inverseToneCurve = inverse
    settings.gamutMapping = gamut
    settings.referenceWhite = white
    settings.sourcePeak = source
    settings.targetPeak = target
    settings.hlgPeak = hlg
    return settings
}

extension ConversionPlan {
    init(_ source: ColorSignal, _ target: ColorSignal, _ choices: ConversionSettings = settings()) {
        self.init(source: source, target: target, settings: choices)
    }
}

extension Conversion {
    init(_ source: ColorSignal, _ target: ColorSignal, _ choices: ConversionSettings = settings()) {
        self.init(ConversionPlan(source, target, choices))
    }
}

/// How far light may fall while it gets brighter, in parts of the target's peak: ST 2094-50 joins eight points, between
/// the last of which its curve dips by up to 5 % where the source's peak is above 28 reference whites.
func allowedFall(_ curve: ToneCurve?, sourcePeak: Double, targetPeak: Double, white: Double = 203) -> Double {
    curve == .referenceWhite && sourcePeak > 28 * min(white, targetPeak) ? 0.05 : 1e-9
}

/// `count` values evenly over a range, both ends included.
func steps(_ range: ClosedRange<Double>, count: Int) -> [Double] {
    (0..<count).map { range.lowerBound + (range.upperBound - range.lowerBound) * Double($0) / Double(count - 1) }
}

/// The largest fall from one value to the next; 0 or below for values that never fall, infinity where one is a NaN.
func largestFall(_ values: [Double]) -> Double {
    zip(values, values.dropFirst()).map { $0.isNaN || $1.isNaN ? .infinity : $0 - $1 }.max() ?? 0
}
