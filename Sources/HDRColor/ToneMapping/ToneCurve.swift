/// What brings the source's range of luminance into the target's.
public enum ToneCurve: CaseIterable, Sendable {
    /// Nothing: light keeps its level, and what the target cannot show is left to the gamut mapping.
    case none
    /// Each component is cut at the target's peak.
    case clip
    case bt2390
    /// BT.2446 methods A and C are defined from HDR to SDR only; between other pairs they do what `clip` does.
    case bt2446a
    case bt2446c
    case spline
    case reinhard
    case hable
    case mobius
    /// Nothing up to SDR white, and what is above it into what the display shows above it.
    case rolloff
}

/// What a curve acts on.
public enum ToneDomain: CaseIterable, Sendable {
    /// The largest of R, G, B; all three take its gain, so hue is kept and no component leaves the range.
    case maxRGB
    /// The luminance; all three components take its gain, so saturated colours can leave the range.
    case luminance
    /// Each component by itself, which turns hues towards the primaries' mixtures and desaturates.
    case rgb
    /// I of ICtCp; Ct and Cp shrink with it, as BT.2390 section 5.4.1 describes.
    case ictcp
}

/// From SDR to HDR: what is done with highlights.
public enum InverseToneCurve: CaseIterable, Sendable {
    /// SDR white lands at the reference white.
    case none
    case bt2446a
    case bt2446c
    case spline
}

/// A scalar curve, from source light to target light in cd/m².
public enum LightCurve<T: ColorScalar>: Sendable {
    case bt2390(BT2390<T>)
    case spline(SplineCurve<T>)
    case reinhard(source: T, target: T)
    case hable(source: T, target: T)
    case mobius(source: T, target: T)
    case rolloff(RollOff<T>)

    /// The curve between two peaks in cd/m², or `nil` for those that are no scalar curve (none, clip, BT.2446).
    /// - Parameter white: luminance of SDR white, in cd/m².
    @inlinable public init?(_ curve: ToneCurve, sourcePeak: T, targetPeak: T, white: T = 203) {
        switch curve {
        case .bt2390: self = .bt2390(BT2390(sourcePeak: sourcePeak, targetPeak: targetPeak))
        case .spline: self = .spline(SplineCurve(sourcePeak: sourcePeak, targetPeak: targetPeak))
        case .reinhard: self = .reinhard(source: sourcePeak, target: targetPeak)
        case .hable: self = .hable(source: sourcePeak, target: targetPeak)
        case .mobius: self = .mobius(source: sourcePeak, target: targetPeak)
        case .rolloff: self = .rolloff(RollOff(white: white, sourcePeak: sourcePeak, targetPeak: targetPeak))
        case .none, .clip, .bt2446a, .bt2446c: return nil
        }
    }

    /// Target light of source light, in cd/m². Light above the source's peak gives no more than the target's peak.
    @inlinable public func callAsFunction(_ light: T) -> T {
        switch self {
        case .bt2390(let curve): return curve(light)
        case .spline(let curve): return curve(light)
        case .rolloff(let curve): return curve(light)
        case .reinhard(let source, let target):
            return target * ClassicCurves.reinhard(light.limited(0, source) / target, peak: source / target)
        case .hable(let source, let target):
            return target * ClassicCurves.hable(light.limited(0, source) / target, peak: source / target)
        case .mobius(let source, let target):
            return target * ClassicCurves.mobius(light.limited(0, source) / target, peak: source / target)
        }
    }

    /// Target over source light: what a colour whose measure is `light` is multiplied by.
    @inlinable public func gain(_ light: T) -> T {
        light > 1e-9 ? self(light) / light : 1
    }
}
