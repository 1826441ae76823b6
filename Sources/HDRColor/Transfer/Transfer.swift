/// The relation of a signal's code values to display light.
public enum Transfer: Equatable, Sendable {
    /// Perceptual quantizer, absolute, BT.2100.
    case pq
    /// Hybrid Log-Gamma, relative to the nominal peak of the display, BT.2100.
    case hlg
    /// BT.709, BT.601 and BT.2020 signals, displayed with the EOTF of BT.1886: a power of 2.4.
    case bt1886
    /// The transfer function of sRGB, IEC 61966-2-1.
    case sRGB
    /// A pure power law.
    case gamma(Double)
    /// Linear light; 1 is SDR white.
    case linear
    /// Linear light in extended range, as displays take it: SDR white has this value, and larger values are brighter.
    case extendedLinear(white: Double)

    /// Whether the signal can express light above SDR white.
    public var isHDR: Bool {
        switch self {
        case .pq, .hlg, .extendedLinear: true
        case .bt1886, .sRGB, .gamma, .linear: false
        }
    }

    /// The EOTF of one component for every transfer function except HLG, whose OOTF needs all three components.
    /// - Parameters:
    ///   - signal: the signal, [0, 1] nominal.
    ///   - white: the luminance of SDR white, in cd/m²; PQ ignores it.
    /// - Returns: display light in cd/m². For HLG: scene light, [0, 1] nominal.
    @inlinable public func eotf<T: ColorScalar>(_ signal: T, white: T) -> T {
        switch self {
        case .pq: PQ.eotf(signal)
        case .hlg: HLG<T>.inverseOETF(signal)
        case .bt1886: white * SDR.bt1886(signal)
        case .sRGB: white * SDR.sRGB(signal)
        case .gamma(let g): white * T.pow(signal.nonNegative, T(g))
        case .linear: white * signal
        case .extendedLinear(let one): white / T(one) * signal
        }
    }

    /// The inverse of ``eotf(_:white:)``.
    @inlinable public func inverseEOTF<T: ColorScalar>(_ light: T, white: T) -> T {
        switch self {
        case .pq: PQ.inverseEOTF(light)
        case .hlg: HLG<T>.oetf(light)
        case .bt1886: SDR.inverseBT1886(light / white)
        case .sRGB: SDR.inverseSRGB(light / white)
        case .gamma(let g): T.pow((light / white).nonNegative, 1 / T(g))
        case .linear: light / white
        case .extendedLinear(let one): light / white * T(one)
        }
    }
}
