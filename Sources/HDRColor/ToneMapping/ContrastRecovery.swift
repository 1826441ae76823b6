/// Local detail that a tone curve would flatten, kept in part: a share of the curve's gain is that of the light around
/// a pixel in place of its own, so that neighbours with one gain keep their contrast.
///
/// In the form of libplacebo's option of this name: with the curve in PQ, `hi` of the pixel and `lo` of a low-pass, the
/// result is mix(tone(hi), tone(lo) + hi - lo, strength), at most the target's peak. A difference of PQ signals is
/// nearly a ratio of light, so that here gains are mixed, which keep hue exactly:
///
///     gain = G + strength * d(g - G), at most max(G, peak / light)
///
/// with `G` the curve's gain of the pixel's light, as the curve measures it, `g` that of the low-pass, and `d` a
/// difference that is limited to half of `G`, and from which what lies within a slack is taken. The limit is for edges
/// between light and dark, where what differs is no detail: no halo is stronger than half of the strength, 15 % of the
/// light for 0.3. With the slack a pixel keeps its value exactly where the curve is the identity at both, or has one
/// gain for both. Black stays black, because it is only multiplied.
///
/// The low-pass, on cells of 4x4 pixels, the picture's edges being repeated:
/// 1. the mean of the code values in the cell's middle two rows, each component's by itself; of subsampled chroma that
///    of the samples in these rows, or where rows are halved in both of the cell's. The tone curve's light of that
///    colour, as a PQ signal;
/// 2. the binomial filter 1/4, 1/2, 1/4 in both directions. The mean of PQ signals, unlike that of light, lets a dark
///    cell beside a bright one stay below the curve's knee, which is what halos depend on;
/// 3. `g`, the curve's gain of that light;
/// 4. `g` at the pixels: cells are doubled twice in both directions with the weights 3/4 and 1/4 of the quadratic
///    B-spline's subdivision (G. Chaikin, An algorithm for high speed curve generation, 1974).
public enum ContrastRecovery {
    /// Columns and rows of pixels in a cell.
    public static let cell = 4
    /// Differences of gains that count as none.
    public static let slack = 0x1p-9
    /// The largest difference that counts, as a share of the pixel's own gain.
    public static let reach = 0.5

    /// Weights of the cell before, of a pixel's own and of the one behind it, for each pixel of a cell: step 4 in one
    /// direction.
    public static let weights: [(before: Double, own: Double, behind: Double)] = [
        (3.0 / 8, 5.0 / 8, 0), (3.0 / 16, 3.0 / 4, 1.0 / 16), (1.0 / 16, 3.0 / 4, 3.0 / 16), (0, 5.0 / 8, 3.0 / 8),
    ]

    /// The gain of a pixel.
    /// - Parameters:
    ///   - gain: the curve's gain of the pixel's light.
    ///   - lowPass: the same of the low-pass at the pixel.
    ///   - strength: [0, 1].
    ///   - light: the pixel's, as the curve measures it, in cd/m².
    ///   - peak: the target's, in cd/m².
    @inlinable public static func gain<T: ColorScalar>(
        _ gain: T, lowPass: T, strength: T, light: T, peak: T
    ) -> T {
        let limit = gain * T(reach)
        let difference = (lowPass - gain).limited(-limit, limit)
        let slack = T(slack)
        let mixed = gain + strength * (difference - difference.limited(-slack, slack))
        let most = light > 0 ? peak / light : mixed
        return mixed > gain && mixed > most ? (gain > most ? gain : most) : mixed
    }
}

extension Conversion {
    /// The light that the tone curve measures of a source signal R'G'B', as a PQ signal in [0, 1]: step 1 of
    /// ``ContrastRecovery``.
    @inlinable public func toneSignal(_ signal: SIMD3<T>) -> T {
        PQ.inverseEOTF(toneMeasure(decode(signal))).limited(0, 1)
    }

    /// The tone curve's gain of light that is given as a PQ signal: step 3.
    @inlinable public func toneGain(_ signal: T) -> T { curve?.gain(PQ.eotf(signal)) ?? 1 }

    /// The light in cd/m² that a curve with one gain for all components acts on.
    @inlinable func toneMeasure(_ light: SIMD3<T>) -> T {
        if plan.domain == .luminance { return light.dot(sourceLuminance).nonNegative }
        return (plan.measuresInBT2020 ? toBT2020 * light : light).maxComponent.nonNegative
    }

    /// The gain of a pixel whose light the curve measures as `light`.
    /// - Parameter lowPass: the gain of the low-pass; `nil` without contrast recovery.
    @inlinable func gain(_ curve: LightCurve, _ light: T, _ lowPass: T?) -> T {
        let own: T = curve.gain(light)
        guard let lowPass, plan.contrastRecovery > 0 else { return own }
        return ContrastRecovery.gain(
            own, lowPass: lowPass, strength: T(plan.contrastRecovery), light: light, peak: targetPeak)
    }
}
