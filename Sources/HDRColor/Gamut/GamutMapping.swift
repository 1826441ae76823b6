/// The treatment of colours that the target cannot show: components below 0 or above its peak.
public enum GamutMapping: CaseIterable, Sendable {
    /// Each component is clipped, as BT.2407 section 2 describes: colours inside the gamut stay exact, hues outside
    /// change.
    case clip
    /// Distances from grey beyond a knee are compressed, so that gradations outside the gamut stay visible.
    case softclip
    /// Colours outside are mixed with the grey of their luminance until they fit, which keeps luminance and hue.
    case desaturate
    /// Hue is kept, and chroma is compressed softly: ``PerceptualGamut``.
    case perceptual
}

/// A ``GamutMapping`` prepared for one pair of primaries and one peak.
public struct GamutMapper<T: ColorScalar>: Sendable {
    public let method: GamutMapping
    /// The target's peak, in cd/m².
    public let peak: T
    /// The weights of the target's R, G, B in the luminance.
    public let luminance: SIMD3<T>
    /// For each component of the target: the largest distance from grey, (max - component) / max, that a colour of the
    /// source's gamut reaches; 1 is the edge of the target's gamut.
    public let reach: SIMD3<T>
    /// The perceptual mapping, which takes light in the source's primaries; `nil` for other mappings.
    public let perceptual: PerceptualGamut<T>?
    /// The distance from grey up to which `softclip` changes nothing.
    @inlinable public static var knee: T { 0.8 }

    public init(_ method: GamutMapping, from source: Primaries, to target: Primaries, peak: T) {
        self.method = method
        perceptual = method == .perceptual ? PerceptualGamut(from: source, to: target, peak: peak) : nil
        self.peak = peak
        luminance = target.luminance.converted(to: T.self)
        reach = Self.reach(source.matrix(to: target)).converted(to: T.self)
    }

    @inlinable static func reach(_ matrix: Matrix3<Double>) -> SIMD3<Double> {
        let corners = [
            SIMD3(1.0, 0, 0), SIMD3(1, 1, 0), SIMD3(0, 1, 0), SIMD3(0, 1, 1), SIMD3(0, 0, 1), SIMD3(1.0, 0, 1),
        ]
        var reach = SIMD3(repeating: 1.0)
        let steps = 32
        for (index, corner) in corners.enumerated() {
            let next = corners[(index + 1) % corners.count]
            for step in 0..<steps {
                let color = matrix * (corner + (next - corner) * (Double(step) / Double(steps)))
                let most = color.maxComponent
                if most > 0 { reach = pointwiseMax(reach, (SIMD3(repeating: most) - color) / most) }
            }
        }
        return reach
    }

    /// Maps linear light in cd/m² in the target's primaries (for `perceptual`, in the source's) to linear light in [0,
    /// peak] in the target's.
    @inlinable public func callAsFunction(_ light: SIMD3<T>) -> SIMD3<T> {
        switch method {
        case .clip: return light.limited(0, peak)
        case .softclip: return softclipped(light).limited(0, peak)
        case .desaturate: return desaturated(light).limited(0, peak)
        case .perceptual: return (perceptual?(light) ?? light).limited(0, peak)
        }
    }

    @inlinable func desaturated(_ light: SIMD3<T>) -> SIMD3<T> {
        let grey = light.dot(luminance).limited(0, peak)
        // A rounding error above the peak must not lift the other components, which would be visible in PQ: it is
        // clipped.
        let limit = peak * 1.0001
        /// The share of the distance from grey that a component may keep, and the limit that it then reaches.
        func room(_ component: T) -> (share: T, limit: T) {
            if component < 0 { return (grey / (grey - component), 0) }
            if component > limit { return ((limit - grey) / (component - grey), limit) }
            return (1, component)
        }
        let rooms = (room(light.x), room(light.y), room(light.z))
        let share = min(rooms.0.share, min(rooms.1.share, rooms.2.share))
        // The component that decides the share lies on its limit exactly, whatever the rounding.
        func fit(_ component: T, _ room: (share: T, limit: T)) -> T {
            room.share <= share ? room.limit : grey + (component - grey) * share
        }
        return SIMD3(fit(light.x, rooms.0), fit(light.y, rooms.1), fit(light.z, rooms.2))
    }

    @inlinable func softclipped(_ light: SIMD3<T>) -> SIMD3<T> {
        let most = light.maxComponent
        if !(most > 0) { return SIMD3(0, 0, 0) }
        func fit(_ component: T, _ reach: T) -> T {
            let distance = (most - component) / most
            if distance <= Self.knee || reach <= 1 { return component }
            if distance >= reach { return 0 }
            return most * ClassicCurves.mobiusComplement(distance, knee: Self.knee, peak: reach)
        }
        return SIMD3(fit(light.x, reach.x), fit(light.y, reach.y), fit(light.z, reach.z))
    }
}
