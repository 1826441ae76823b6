/// The tone curve of a window of HDR10+ metadata, which ST 2094-40 calls the basis tone mapping curve: from light as a
/// share of the scene's largest to light as a share of the targeted display's maximum. Up to the knee it is a line
/// from zero; from there to (1, 1) it is a Bézier curve of the places on the way.
package struct HDR10PlusToneCurve: Equatable, Sendable {
    /// The end of the straight line, 0...1.
    package let kneeX: Double
    package let kneeY: Double
    /// The ordinates of the Bézier curve's control points, between the knee's height, 0, and 1: 0, the anchors, 1.
    package let controlPoints: [Double]

    package init(_ mapping: HDR10PlusMetadata.ToneMapping) {
        kneeX = Double(min(mapping.kneePoint.x, Self.kneeUnit)) / Double(Self.kneeUnit)
        kneeY = Double(min(mapping.kneePoint.y, Self.kneeUnit)) / Double(Self.kneeUnit)
        let anchors = mapping.bezierCurveAnchors.prefix(Self.maximumAnchors)
        controlPoints = [0] + anchors.map { Double(min($0, Self.anchorUnit)) / Double(Self.anchorUnit) } + [1]
    }

    /// The factors of 1, t, t² and so on that make the Bézier curve, from 0 at t = 0 to 1 at t = 1, where t is the way
    /// from the knee to 1.
    ///
    /// They grow with the number of anchors; ``value(at:)`` is exact with many, too.
    package var coefficients: [Double] {
        let degree = controlPoints.count - 1
        var differences = controlPoints
        var result: [Double] = []
        var binomial = 1.0
        for order in 0...degree {
            result.append(binomial * (differences.first ?? 0))
            binomial *= Double(degree - order) / Double(order + 1)
            differences = zip(differences.dropFirst(), differences).map { $0 - $1 }
        }
        return result
    }

    /// Light of the targeted display, 0...1, for light of the scene; what lies outside of 0...1 is taken for its end.
    package func value(at light: Double) -> Double {
        let x = light > 0 ? min(light, 1) : 0
        if x < kneeX { return x * kneeY / kneeX }
        if kneeX >= 1 { return kneeY }
        return kneeY + (1 - kneeY) * bezier((x - kneeX) / (1 - kneeX))
    }

    /// De Casteljau's construction.
    private func bezier(_ t: Double) -> Double {
        var points = controlPoints
        while points.count > 1 {
            points = zip(points, points.dropFirst()).map { $0 + ($1 - $0) * t }
        }
        return points.first ?? t
    }

    private static let kneeUnit: UInt16 = 4095
    private static let anchorUnit: UInt16 = 1023
    private static let maximumAnchors = 15
}
