extension ToneCurve {
    public static let bt2446a = ToneCurve(
        "bt2446a",
        "Report ITU-R BT.2446 method A: compresses the whole range, in its own domain; from HDR to SDR only, else "
            + "the same as clip",
        inverse: "Inverse of Report ITU-R BT.2446 method A: SDR white becomes the target's peak", .bt2446a,
        followsPeak: true)
}

/// Method A of Report ITU-R BT.2446-1 in both directions. It works in BT.2020 primaries, on all three components at
/// once.
public struct BT2446A<T: ColorScalar>: Sendable {
    @usableFromInline let sourcePeak: T
    @usableFromInline let rhoHDR: T
    @usableFromInline let rhoSDR: T

    /// - Parameters:
    ///   - sourcePeak: the luminance of the HDR peak, in cd/m².
    ///   - targetPeak: the luminance of SDR white that the curve is made for, in cd/m²; the report's is 100.
    @inlinable public init(sourcePeak: T, targetPeak: T = 100) {
        func rho(_ peak: T) -> T { 1 + 32 * T.pow(peak / 10000, 1 / 2.4) }
        self.sourcePeak = sourcePeak
        rhoHDR = rho(sourcePeak)
        rhoSDR = rho(targetPeak)
    }

    /// The weights of R', G', B' in Y'.
    @inlinable public static var luma: SIMD3<T> { SIMD3(0.2627, 0.6780, 0.0593) }

    /// Converts BT.2020 display light in cd/m² to the BT.2020 SDR signal R'G'B' (gamma 2.4), which may leave [0, 1].
    @inlinable public func toSDR(_ light: SIMD3<T>) -> SIMD3<T> {
        fromCompanded((light / sourcePeak).map { T.pow($0.nonNegative, 1 / 2.4) })
    }

    /// Maps light that is companded to (light / peak)^(1/2.4).
    @inlinable public func fromCompanded(_ r: SIMD3<T>) -> SIMD3<T> {
        let y = r.dot(Self.luma)
        let ySDR = toneMappedLuma(y)
        let f = y > 0 ? ySDR / (1.1 * y) : 0
        let cb = f * (r.z - y) / 1.8814
        let cr = f * (r.x - y) / 1.4746
        return Self.rgb(luma: ySDR - (0.1 * cr).nonNegative, cb: cb, cr: cr)
    }

    /// Maps Y' of the companded HDR signal to Y' of the SDR signal.
    @inlinable public func toneMappedLuma(_ y: T) -> T {
        let perceptual = T.log(1 + (rhoHDR - 1) * y) / T.log(rhoHDR)
        let compressed: T
        if perceptual <= 0.7399 {
            compressed = 1.0770 * perceptual
        } else if perceptual < 0.9909 {
            compressed = -1.1510 * perceptual * perceptual + 2.7811 * perceptual - 0.6302
        } else {
            compressed = 0.5 * perceptual + 0.5
        }
        return (T.pow(rhoSDR, compressed) - 1) / (rhoSDR - 1)
    }

    /// The values of Y' of the companded HDR signal at which the report's curve goes from one part to the next; at the
    /// first of them it has a step.
    @inlinable public var corners: [T] {
        [0.7399, 0.9909].map { (T.pow(rhoHDR, $0) - 1) / (rhoHDR - 1) }
    }
    /// The value of Y' of the SDR signal at which the inverse curve has a step.
    @inlinable public static var inverseStep: T { 70 / 255 }

    /// Converts SDR BT.2020 R'G'B' (gamma 2.4) to BT.2020 display light in cd/m² with a peak of 1000.
    @inlinable public static func toHDR(_ signal: SIMD3<T>) -> SIMD3<T> {
        let y = signal.dot(luma)
        let yHDR = inverseLuma(y)
        let scale: T = y > 0 ? 1.075 * yHDR / y : 1
        let cb = scale * (signal.z - y) / 1.8814
        let cr = scale * (signal.x - y) / 1.4746
        return rgb(luma: yHDR, cb: cb, cr: cr).map { 1000 * T.pow($0.limited(0, 1000) / 1000, 2.4) }
    }

    /// Maps Y' of the SDR signal, [0, 1], to Y' of the HDR signal, [0, 1000].
    @inlinable public static func inverseLuma(_ y: T) -> T {
        let y255 = 255 * y
        let squared = y255 * y255
        let exponent: T
        if y255 <= 70 {
            exponent = 1.8712e-5 * squared - 2.7334e-3 * y255 + 1.3141
        } else {
            exponent = 2.8305e-6 * squared - 7.4622e-4 * y255 + 1.2528
        }
        return T.pow(y255.nonNegative, exponent)
    }

    @inlinable static func rgb(luma y: T, cb: T, cr: T) -> SIMD3<T> {
        let gFromCb: T = 0.0593 * 1.8814 / 0.6780
        let gFromCr: T = 0.2627 * 1.4746 / 0.6780
        return SIMD3(y + 1.4746 * cr, y - gFromCb * cb - gFromCr * cr, y + 1.8814 * cb)
    }
}
