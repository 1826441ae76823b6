/// Preserves part of the local detail that a tone curve would flatten: the gain of a pixel is a mix of the curve's gain
/// for its own light and the gain for the light around it, so that neighbours with the same gain keep their contrast.
///
/// The method is that of libplacebo's option of this name: with the curve in PQ, `hi` of the pixel and `lo` of a
/// low-pass, the result is mix(tone(hi), tone(lo) + hi - lo, strength), at most the target's peak. A difference of PQ
/// signals is nearly a ratio of light, so that gains are mixed here, which keep hue exactly:
///
///     gain = G + strength * (g - G)
///
/// where `G` is the curve's gain for the pixel's light, as the curve measures it, and `g` that for the low-pass, of
/// which at most a quarter more than `G` counts: at edges between light and dark the difference is not detail, and a
/// halo on the bright side makes it no more than 9 % brighter for a strength of 0.35. Where the gain would rise by r
/// and there is room for R up to the target's peak, what exceeds half of R is compressed, so that detail next to the
/// peak stays: it becomes G + R - R² / (4r). Where the curve is the identity at both, or has one gain for both, the
/// pixel keeps its value. Black stays black, because it is only multiplied.
///
/// The low-pass works on cells of 8x8 pixels, with the picture's edges repeated:
/// 1. The code values in the cell are averaged, each component by itself. The light of that colour, as the tone curve
///    measures it, is expressed as a PQ signal.
/// 2. The binomial filter 1/4, 1/2, 1/4 is applied in both directions. The mean of PQ signals, unlike that of light,
///    lets a dark cell beside a bright one stay below the curve's knee, which is what halos depend on.
/// 3. `g` is the curve's gain for that light.
/// 4. For `g` at the pixels, cells are doubled with the weights 3/4 and 1/4 of the quadratic B-spline's subdivision
///    (G. Chaikin, An algorithm for high speed curve generation, 1974), three times in both directions.
public enum ContrastRecovery {
    /// The number of columns and of rows of pixels in a cell.
    public static let cell = 8
    /// A strength that makes lines and texture in highlights stand out, with halos that are hard to see.
    public static let usual = 0.35
    /// How much higher than the pixel's own gain the low-pass's counts at most, as a share of the former.
    public static let reach = 0.25

    /// The weights of the previous cell, the pixel's own cell and the next one, for each column and each row of a cell:
    /// step 4.
    public static let weights: [(before: Double, own: Double, behind: Double)] = [
        (7.0 / 16, 9.0 / 16, 0), (21.0 / 64, 21.0 / 32, 1.0 / 64), (15.0 / 64, 23.0 / 32, 3.0 / 64),
        (5.0 / 32, 3.0 / 4, 3.0 / 32), (3.0 / 32, 3.0 / 4, 5.0 / 32), (3.0 / 64, 23.0 / 32, 15.0 / 64),
        (1.0 / 64, 21.0 / 32, 21.0 / 64), (0, 9.0 / 16, 7.0 / 16),
    ]

    /// The gain of a pixel.
    /// - Parameters:
    ///   - gain: the curve's gain for the pixel's light.
    ///   - lowPass: the curve's gain for the low-pass at the pixel.
    ///   - strength: the strength, [0, 1].
    ///   - light: the pixel's light, as the curve measures it, in cd/m².
    ///   - peak: the target's peak, in cd/m².
    @inlinable public static func gain<T: ColorScalar>(
        _ gain: T, lowPass: T, strength: T, light: T, peak: T
    ) -> T {
        let around = lowPass < gain * T(1 + reach) ? lowPass : gain * T(1 + reach)
        let mixed = gain + strength * (around - gain)
        let raise = mixed - gain
        guard light > 0, raise > 0 else { return mixed }
        let room = (peak / light - gain).nonNegative
        return 2 * raise > room ? gain + room - room * room / (4 * raise) : mixed
    }
}

extension Conversion {
    /// The light of a source signal R'G'B', as the tone curve measures it, as a PQ signal in [0, 1]: step 1 of
    /// ``ContrastRecovery``.
    @inlinable public func toneSignal(_ signal: SIMD3<T>) -> T {
        PQ.inverseEOTF(toneMeasure(decode(signal))).limited(0, 1)
    }

    /// The tone curve's gain for light that is given as a PQ signal: step 3.
    @inlinable public func toneGain(_ signal: T) -> T { curve?.gain(PQ.eotf(signal)) ?? 1 }

    /// The light in cd/m² that a curve with one gain for all components acts on.
    @inlinable func toneMeasure(_ light: SIMD3<T>) -> T {
        if plan.domain == .luminance { return light.dot(sourceLuminance).nonNegative }
        return (plan.measuresInBT2020 ? toBT2020 * light : light).maxComponent.nonNegative
    }

    /// The gain of a pixel whose light, as the curve measures it, is `light`.
    /// - Parameter lowPass: the gain of the low-pass; `nil` without contrast recovery.
    @inlinable func gain(_ curve: LightCurve, _ light: T, _ lowPass: T?) -> T {
        let own: T = curve.gain(light)
        guard let lowPass, plan.contrastRecovery > 0 else { return own }
        return ContrastRecovery.gain(
            own, lowPass: lowPass, strength: T(plan.contrastRecovery), light: light, peak: targetPeak)
    }
}
