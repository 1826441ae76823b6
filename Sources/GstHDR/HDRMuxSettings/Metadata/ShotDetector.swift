import HDRColor

/// Finds the first pictures of shots, at these pictures: by what they show, and by their light.
struct ShotDetector {
    /// A correlation below which pictures show something else, and those above which they show the same.
    private static let other = 0.5, same = 0.7, equal = 0.9
    /// Mean changes of the light, in PQ, that begin a shot: where nothing is known of what pictures show, and where
    /// that is not the same.
    private static let certain = 0.05, likely = 0.025
    /// How many times as much as before the light has to change: a fade changes it again and again.
    private static let ratio = 2.5

    private var last: (sample: SceneSample, structure: PictureStructure?)?
    /// How the last picture differed from the one before.
    private var change: (distance: Double, correlation: Double?) = (0, nil)

    /// - Parameters:
    ///   - structure: what the picture shows; `nil`: unknown.
    ///   - isJoint: another source begins with it.
    /// - Returns: whether it is the first picture of a shot.
    mutating func begins(_ sample: SceneSample, _ structure: PictureStructure?, isJoint: Bool) -> Bool {
        defer { last = (sample, structure) }
        guard let last, !isJoint else {
            change = (0, nil)
            return true
        }
        let distance = last.sample.distance(to: sample)
        let correlation = last.structure.flatMap { old in structure.map { old.correlation(with: $0) } }
        defer { change = (distance, correlation) }
        if let correlation {
            let wasSame = (change.correlation ?? 0) > Self.same
            if correlation < Self.other, wasSame || distance > Self.certain { return true }
            // Brighter or darker all over: a fade, or another exposure.
            if correlation > Self.equal { return false }
        }
        return distance > (correlation == nil ? Self.certain : Self.likely)
            && distance > Self.ratio * change.distance
    }
}
