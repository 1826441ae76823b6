extension ToneCurve {
    public static let referenceWhite = ToneCurve(
        "reference-white",
        "SMPTE ST 2094-50 (draft) for content without dynamic metadata: varies smoothly with the headroom, which is "
            + "the target's peak divided by SDR white; SDR white loses half of its light at a headroom of 1 and "
            + "keeps it from 8/3 on; acts on the largest of R, G and B in BT.2020",
        measure: .maxRGBOfBT2020
    ) { range in
        let map = ReferenceWhiteMap(white: range.white, sourcePeak: range.sourcePeak, targetPeak: range.targetPeak)
        return LightCurve(corners: [map.white, range.sourcePeak], isSegmented: true) { map($0) }
    }
}

/// The reference white tone map of SMPTE ST 2094-50 (public committee draft 2 of February 2026), for luminance in
/// cd/m².
///
/// Light is counted in multiples of reference white, and peaks as headrooms, which are binary logarithms of peaks over
/// reference white. The map consists of a gain for each of three headrooms of a target: 0, where white is halved; that
/// of 8/3 of white for sources of 1000 cd/m² and more, where light up to white keeps its level; and the source's own,
/// where the map is the identity. The first two are quadratic Bézier curves from white to the peak, of which the
/// standard takes eight points and joins them with cubic Hermite segments in the logarithm of the gain. For headrooms
/// between them it interpolates the logarithms, so that a change of headroom changes the picture without a jump.
///
/// Between so few points the curve dips a little before the peak of a source above 28 reference whites: by 5 % from 10
/// 000 cd/m² to SDR, by 0.5 % from 6000.
public struct ReferenceWhiteMap: Sendable {
    /// The luminance of white in cd/m².
    public let white: Double
    private let highest: Double
    /// The logarithms of the gain for the next lower and the next higher headroom, and the share of the higher one. For
    /// the source's own headroom the function is empty.
    private let lower, higher: GainFunction
    private let share: Double

    /// - Parameters: luminances in cd/m². Where the source's peak is not above white or the target's not below the
    ///   source's, the map is the identity. A target's peak below white counts as white, the lowest peak that the
    ///   standard supports.
    public init(white: Double, sourcePeak: Double, targetPeak: Double) {
        self.white = white
        highest = max(sourcePeak, PQ.peak)
        let baseline = Double.log2(sourcePeak / white)
        let headroom = max(Double.log2(targetPeak / white), 0)
        guard baseline > 0, targetPeak < sourcePeak else {
            (lower, higher, share) = (.identity, .identity, 0)
            return
        }
        let range = min(baseline / Double.log2(1000 / BT2408.referenceWhite), 1)
        let middle = range * Double.log2(8.0 / 3)
        let toMiddle = GainFunction(from: baseline, to: middle, white: 1)
        if headroom < middle {
            lower = GainFunction(from: baseline, to: 0, white: 1 - range / 2)
            higher = toMiddle
            share = headroom / middle
        } else {
            lower = toMiddle
            higher = .identity
            share = (headroom - middle) / (baseline - middle)
        }
    }

    /// Maps source luminance to target luminance. Light above the source's peak may come out above the target's peak,
    /// but less so the lower the target's peak is: at its own headroom the source is not mapped at all.
    public func callAsFunction(_ light: Double) -> Double {
        let light = light.limited(0, highest)
        let x = light / white
        return light * Double.pow(2, (1 - share) * lower(x) + share * higher(x))
    }
}

/// The binary logarithm of a gain as the standard codes it: points of light in multiples of reference white, joined by
/// cubic Hermite segments. Below the first point it has that point's value; above the last one the gain keeps the
/// resulting light constant.
private struct GainFunction: Sendable {
    private struct Point {
        /// The light of a point, the logarithm of the gain there, and the slope of that.
        let x, y, m: Double
    }
    private let points: [Point]

    /// A gain of 1.
    static let identity = GainFunction(points: [])

    private init(points: [Point]) { self.points = points }

    /// The curve from a source's headroom to a target's.
    /// - Parameter white: the light that reference white is mapped to.
    init(from source: Double, to target: Double, white: Double) {
        // The position of the middle point on the way from white to the point where the tangent at white meets the
        // target's peak.
        let roundness = 0.65
        let (x2, y2) = (Double.pow(2, source), Double.pow(2, target))
        let x1 = (1 - roundness) + roundness * y2 / white
        let y1 = (1 - roundness) * white + roundness * y2
        points = (0..<8).map { index in
            let t = Double(index) / 7
            let x = (1 - 2 * x1 + x2) * t * t + 2 * (x1 - 1) * t + 1
            let y = (white - 2 * y1 + y2) * t * t + 2 * (y1 - white) * t + white
            let m = ((white - 2 * y1 + y2) * t + (y1 - white)) / ((1 - 2 * x1 + x2) * t + (x1 - 1))
            return Point(x: x, y: Double.log2(y / x), m: (x * m - y) / (Double.log(2) * x * y))
        }
    }

    func callAsFunction(_ x: Double) -> Double {
        guard let first = points.first, let last = points.last else { return 0 }
        if x <= first.x { return first.y }
        guard let end = points.firstIndex(where: { x < $0.x }) else { return last.y + Double.log2(last.x / x) }
        let (a, b) = (points[end - 1], points[end])
        let width = b.x - a.x
        let t = (x - a.x) / width
        let square = -3 * a.y + 3 * b.y - width * (2 * a.m + b.m)
        let cubic = 2 * a.y - 2 * b.y + width * (a.m + b.m)
        return a.y + t * (width * a.m + t * (square + t * cubic))
    }
}
