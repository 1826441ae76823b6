import HDRColor

/// The conversion of light to the signal for which a look-up table is made, and of the table's values to light.
package enum LUTShaper: Equatable, Sendable {
    /// The table's input and output are light, where 1.0 is reference white.
    case none
    /// The table's input and output are PQ signals (SMPTE ST 2084) from 0 to 1, of light times `white`, the luminance
    /// of reference white in cd/m².
    case pq(white: Double)
    /// The table's input and output are logarithms: the signal y of light x, where 1.0 is reference white, is
    ///
    ///     y = (log2(x + t) - lowest) / (log2(2^highest + t) - lowest),  t = 2^lowest
    ///
    /// so that black is 0, light of 2^`highest` is 1, and equal steps of y are equal numbers of stops for light well
    /// above 2^`lowest`. `lowest` and `highest` are in stops relative to reference white: -24...0 and 0...12.
    case log2(lowest: Double, highest: Double)

    /// The logarithm from 10 stops below reference white to 6.5 stops above it.
    package static let log = LUTShaper.log2(lowest: -10, highest: 6.5)

    package static let lowestStops = -24.0...0.0
    package static let highestStops = 0.0...12.0

    /// The signal of light. Light below 0, and NaN, count as black, and light beyond the signal's range is clipped.
    package func signal(_ light: Double) -> Double {
        switch self {
        case .none: return light
        case .pq(let white): return PQ.inverseEOTF(light * white)
        case .log2:
            let (toe, top, range) = logarithm
            let limited = light > 0 ? min(light, top) : 0
            return Double.log(limited / toe + 1) / range
        }
    }

    /// The light of a signal, which is limited to [0, 1].
    package func light(_ signal: Double) -> Double {
        switch self {
        case .none: return signal
        case .pq(let white): return PQ.eotf(signal) / white
        case .log2:
            let (toe, _, range) = logarithm
            let limited = signal > 0 ? min(signal, 1) : 0
            return (Double.exp(limited * range) - 1) * toe
        }
    }

    /// The light of the signal 1.
    var highestLight: Double {
        switch self {
        case .none: .infinity
        case .pq(let white): PQ.peak / white
        case .log2: logarithm.top
        }
    }

    /// The light below which the signal counts as black: its signal is 4e-6 in PQ and less in logarithms, a 250th of a
    /// 10-bit code.
    var lowestLight: Double {
        switch self {
        case .none, .pq: 0x1p-40
        case .log2: logarithm.toe * 0x1p-16
        }
    }

    /// The constant t, the highest light, and the natural logarithm of their ratio.
    private var logarithm: (toe: Double, top: Double, range: Double) {
        guard case .log2(let lowest, let highest) = self else { return (1, 1, 1) }
        func limit(_ x: Double, _ range: ClosedRange<Double>) -> Double {
            x > range.lowerBound ? min(x, range.upperBound) : range.lowerBound
        }
        let toe = Double.pow(2, limit(lowest, Self.lowestStops))
        let top = Double.pow(2, limit(highest, Self.highestStops))
        return (toe, top, Double.log(top / toe + 1))
    }
}
