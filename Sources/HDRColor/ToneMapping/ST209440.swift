extension ToneCurve {
    /// The curve of a scene's HDR10+ metadata, ``ConversionSettings/sceneCurve``. It is no value of `tone-mapping`,
    /// because its parameters come with the pictures. Without them it is ``bt2390``.
    public static let st209440 = ToneCurve(
        "st2094-40", "The scene's own curve, SMPTE ST 2094-40, as HDR10+ metadata have it", measure: .maxRGB
    ) { range in
        guard let scene = range.sceneCurve,
            let curve = ST209440(scene, scenePeak: range.sourcePeak, displayPeak: range.targetPeak)
        else {
            return LightCurve(.bt2390, range) ?? LightCurve(corners: []) { min($0, range.targetPeak) }
        }
        return LightCurve(corners: curve.corners) { curve($0) }
    }
}

/// The tone curve of a scene for the display that its metadata name, which SMPTE ST 2094-40 calls the basis.
public struct SceneToneCurve: Equatable, Sendable {
    /// The maximum number of anchors: bezier_curve_anchors are counted in four bits.
    public static let maximumOfAnchors = 15

    /// The end of the line that the curve begins with: fractions of the scene's largest light and of the targeted
    /// display's maximum, [0, 1].
    public let kneePoint: SIMD2<Double>
    /// The ordinates of the Bézier curve's inner control points, as fractions of the way from the knee to the maximum,
    /// [0, 1].
    public let anchors: [Double]
    /// The maximum luminance of the targeted display, in cd/m².
    public let targetedPeak: Double

    /// Numbers outside of their range are limited to it.
    /// - Returns: `nil` where the targeted display has a luminance of 0.
    public init?(kneePoint: SIMD2<Double>, anchors: [Double], targetedPeak: Double) {
        guard targetedPeak > 0, targetedPeak.isFinite else { return nil }
        // A line of zero length begins and ends with black.
        let x = kneePoint.x.limited(0, 1)
        self.kneePoint = SIMD2(x, x > 0 ? kneePoint.y.limited(0, 1) : 0)
        self.anchors = anchors.prefix(Self.maximumOfAnchors).map { $0.limited(0, 1) }
        self.targetedPeak = targetedPeak
    }
}

/// The curve of SMPTE ST 2094-40 between a scene and a display, for luminance in cd/m²: a line up to a knee, and a
/// Bézier curve above it.
///
/// For the targeted display it is the standard's own curve. For another display it is adapted as in libplacebo's
/// `pl_tone_map_st2094_40`: towards clipping on a darker display, as far as the Bézier curve's degree permits, and
/// towards the identity on a brighter one.
public struct ST209440: Sendable {
    private let scenePeak: Double
    private let displayPeak: Double
    private let knee: SIMD2<Double>
    /// The control points times their binomial coefficients, from the knee, 0, to the end, 1.
    private let points: [Double]

    /// - Parameters:
    ///   - scenePeak: the scene's largest light, in cd/m².
    ///   - displayPeak: the peak of the actual display, in cd/m².
    /// - Returns: `nil` where a peak is not above 0.
    public init?(_ scene: SceneToneCurve, scenePeak: Double, displayPeak: Double) {
        guard scenePeak > 0, displayPeak > 0, scenePeak.isFinite, displayPeak.isFinite else { return nil }
        let targeted = min(scene.targetedPeak, scenePeak)
        let display = min(displayPeak, scenePeak)
        var knee = SIMD2(scene.kneePoint.x, scene.kneePoint.y)
        var points = [0] + scene.anchors + [1]
        if display < targeted {
            Self.fit(&knee, &points, toDarker: display, targeted, scenePeak)
        } else if display > targeted {
            Self.fit(&knee, &points, toBrighter: display, targeted, scenePeak)
        }
        let degree = points.count - 1
        var binomial: Double = 1
        for index in points.indices {
            points[index] *= binomial
            binomial *= Double(degree - index) / Double(index + 1)
        }
        self.scenePeak = scenePeak
        self.displayPeak = display
        self.knee = knee
        self.points = points
    }

    private static func mix(_ a: Double, _ b: Double, _ share: Double) -> Double { a + (b - a) * share }

    /// The first control point behind the knee with which the Bézier curve continues the line's direction.
    private static func intercept(_ degree: Int, _ knee: SIMD2<Double>) -> Double {
        guard knee.x > 0, knee.y < 1 else { return 1 / Double(degree) }
        return min(knee.y / knee.x * (1 - knee.x) / (1 - knee.y) / Double(degree), 1)
    }

    /// Adapts the curve to a darker display: the knee moves down and closer to clipping, and control points move up.
    private static func fit(
        _ knee: inout SIMD2<Double>, _ points: inout [Double], toDarker display: Double, _ targeted: Double,
        _ scenePeak: Double
    ) {
        let degree = points.count - 1
        let share = display / targeted
        knee *= share
        // This is the steepest slope that keeps the first control point below the end.
        let steepest = Double(degree) * knee.x / (1 - knee.x + Double(degree) * knee.x)
        knee.y = mix(min(knee.x * scenePeak / display, steepest), knee.y, share)
        for index in points.indices.dropFirst(2) { points[index] = mix(1, points[index], share) }
        if degree > 1 { points[1] = mix(intercept(degree, knee), points[1], share) }
    }

    /// Adapts the curve to a brighter display: knee and control points move towards the identity of light, which they
    /// reach for a display as bright as the scene.
    private static func fit(
        _ knee: inout SIMD2<Double>, _ points: inout [Double], toBrighter display: Double, _ targeted: Double,
        _ scenePeak: Double
    ) {
        let degree = points.count - 1
        let share = Double.pow(1 - (display - targeted) / (scenePeak - targeted), 1.4)
        knee.y = mix(min(knee.x * scenePeak / display, 1), knee.y * targeted / display, share)
        for index in points.indices.dropFirst(2).dropLast() {
            points[index] = mix(Double(index) / Double(degree), points[index], share)
        }
        if degree > 1 { points[1] = mix(intercept(degree, knee), points[1], share) }
    }

    /// The light at which the curve is not smooth, in cd/m².
    var corners: [Double] {
        let corner = knee.x * scenePeak
        return (corner > 1e-3 && knee.x < 1 ? [corner] : []) + [scenePeak]
    }

    /// Maps scene light to display light. Light above the scene's peak has the result of the peak.
    public func callAsFunction(_ light: Double) -> Double {
        let x = (light / scenePeak).limited(0, 1)
        if x < knee.x { return x * knee.y / knee.x * displayPeak }
        guard knee.x < 1 else { return knee.y * displayPeak }
        let t = (x - knee.x) / (1 - knee.x)
        var sum: Double = 0
        var power: Double = 1
        for point in points {
            sum = sum * (1 - t) + point * power
            power *= t
        }
        return (knee.y + (1 - knee.y) * sum) * displayPeak
    }
}
