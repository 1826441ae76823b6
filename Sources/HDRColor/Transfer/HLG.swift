/// Hybrid Log-Gamma: Rec. ITU-R BT.2100 table 5. The OOTF acts on luminance, never on single components.
public struct HLG<T: ColorScalar>: Sendable {
    /// The peak in cd/m² of the display in BT.2100's reference environment, for which the system gamma is 1.2.
    @inlinable public static var nominalPeak: T { 1000 }

    /// The nominal peak luminance of the display, L_W, in cd/m².
    public let peak: T
    /// The system gamma of the OOTF.
    public let gamma: T
    /// The black level lift of the display, in signal units.
    public let lift: T

    /// - Parameters:
    ///   - peak: the nominal peak luminance L_W, in cd/m².
    ///   - black: the luminance of black L_B, in cd/m².
    ///   - surround: the luminance of the surround, in cd/m²; 5 is the reference environment.
    @inlinable public init(peak: T = HLG.nominalPeak, black: T = 0, surround: T = 5) {
        self.peak = peak
        gamma = HLG.systemGamma(peak: peak, surround: surround)
        lift = black > 0 ? (3 * T.pow(black / peak, 1 / gamma)).squareRoot() : 0
    }

    /// The system gamma: by BT.2100 table 5 note 5f from 400 to 2000 cd/m² in the reference surround of 5 cd/m², by the
    /// extended form of BT.2390 section 6.2 elsewhere.
    @inlinable public static func systemGamma(peak: T, surround: T = 5) -> T {
        if peak >= 400 && peak <= 2000 && surround == 5 { return 1.2 + 0.42 * T.log10(peak / 1000) }
        return 1.2 * T.pow(1.111, T.log2(peak / 1000)) * T.pow(0.98, T.log2(surround / 5))
    }

    /// The weights of R, G, B in the OOTF's luminance.
    @inlinable public static var luma: SIMD3<T> { SIMD3(0.2627, 0.6780, 0.0593) }

    @inlinable static var a: T { 0.17883277 }
    @inlinable static var b: T { 1 - 4 * 0.17883277 }
    /// The constant c of BT.2100: 0.5 - a ln(4a).
    @inlinable static var c: T { 0.559910729529562 }

    /// The OETF, from scene light, [0, 1] nominal, to signal.
    @inlinable public static func oetf(_ scene: T) -> T {
        let e = scene.nonNegative
        if e <= 1.0 / 12.0 { return (3 * e).squareRoot() }
        return a * T.log(12 * e - b) + c
    }

    /// The inverse OETF, from signal to scene light, [0, 1] nominal; signals above 1 result in light above 1.
    @inlinable public static func inverseOETF(_ signal: T) -> T {
        let v = signal.nonNegative
        if v <= 0.5 { return v * v / 3 }
        return (T.exp((v - c) / a) + b) / 12
    }

    /// The EOTF, from signals R'G'B' to display light, in cd/m².
    @inlinable public func toDisplay(_ signal: SIMD3<T>) -> SIMD3<T> {
        let scale = 1 - lift
        let lifted = (signal * scale + lift).nonNegative
        let scene = lifted.map(Self.inverseOETF)
        return scene * (peak * ootfGain(sceneLuminance: scene.dot(Self.luma)))
    }

    /// The inverse EOTF for a black of 0, from display light in cd/m² to signals R'G'B'. Negative light is taken as 0.
    @inlinable public func fromDisplay(_ light: SIMD3<T>) -> SIMD3<T> {
        let display = light.nonNegative
        let gain = inverseOOTFGain(displayLuminance: display.dot(Self.luma)) / peak
        return (display * gain).map(Self.oetf)
    }

    /// The OOTF's common factor of the three components, Ys^(gamma - 1); 0 at black.
    @inlinable public func ootfGain(sceneLuminance: T) -> T {
        sceneLuminance > 0 ? T.pow(sceneLuminance, gamma - 1) : 0
    }

    /// The inverse OOTF's common factor, (Yd / L_W)^((1 - gamma) / gamma); 0 at black.
    @inlinable public func inverseOOTFGain(displayLuminance: T) -> T {
        let relative = displayLuminance / peak
        return relative > 0 ? T.pow(relative, (1 - gamma) / gamma) : 0
    }
}
