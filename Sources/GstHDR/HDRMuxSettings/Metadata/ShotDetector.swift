import HDRColor

/// Detects the first picture of each shot when it arrives, from the picture's structure and its light.
struct ShotDetector {
    /// Thresholds for the correlation of two successive pictures: below `other` their contents differ; above `same` the
    /// pair before was of one shot; above `equal` only the brightness can differ.
    private static let other = 0.5, same = 0.7, equal = 0.9
    /// Mean changes of the light, in PQ, that begin a shot: where the structures are unknown, and where they differ.
    private static let certain = 0.05, likely = 0.025
    /// The factor by which the light has to change more than before: a fade changes it at every picture.
    private static let ratio = 2.5

    private var last: (sample: SceneSample, structure: PictureStructure?)?
    /// The differences between the last picture and the one before.
    private var change: (distance: Double, correlation: Double?) = (0, nil)

    /// - Parameters:
    ///   - structure: the structure of the picture; `nil` where it is unknown.
    ///   - isJoint: whether another source begins with it.
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
        // A flat picture, such as a black one between two shots, has no structure to compare with. A large change of
        // light after it begins a shot, while in a fade from black the light changes slowly.
        if last.structure == nil, structure != nil, distance > Self.certain { return true }
        if let correlation {
            let wasSame = (change.correlation ?? 0) > Self.same
            if correlation < Self.other, wasSame || distance > Self.certain { return true }
            // The picture only became brighter or darker: a fade, or another exposure.
            if correlation > Self.equal { return false }
        }
        return distance > (correlation == nil ? Self.certain : Self.likely)
            && distance > Self.ratio * change.distance
    }
}
