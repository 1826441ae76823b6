/// How much a picture differs from the one before.
struct SceneChange {
    /// The distance between their light distributions, in PQ; see ``SceneSample/distance(to:)``.
    var distance = 0.0
    /// The fraction of the pixels that are in other bins.
    var difference = 0.0

    /// A cut changes a quarter of the pixels or more: a change in a smaller part of the picture is a light or an object
    /// in the scene. A cut also moves pixels by 0.025 in PQ on average, or changes 40 % of them, and does so several
    /// times as much as is usual among the pictures before, because neither a quick fade nor flicker is a cut.
    static let leastDifference = 0.25, ratio = 2.5
    private static let cutDistance = 0.025, cutDifference = 0.4
    /// A change of at least this distance is a cut, whatever preceded it.
    static let certainDistance = 0.1
    /// Pictures that are nearer to each other than this belong to the same scene.
    static let sameDistance = 0.015

    init() {}

    init(_ from: SceneSample, _ to: SceneSample) {
        distance = from.distance(to: to)
        difference = from.difference(to: to)
    }

    /// Whether this is a cut.
    /// - Parameters:
    ///   - usual: the change that is usual among the pictures before.
    ///   - isKnown: whether one of them is nearer to the new picture than a distance. Such a picture belongs to their
    ///     scene, as where its light flickers.
    func isCut(usual: SceneChange, isKnown: (_ distance: Double) -> Bool) -> Bool {
        guard difference > Self.leastDifference else { return false }
        if distance > Self.certainDistance { return true }
        let isFar = distance > Self.cutDistance && distance > Self.ratio * usual.distance
        let isOther =
            difference > Self.cutDifference && difference > Self.ratio * usual.difference && distance > 0.008
        return (isFar || isOther) && !isKnown(min(Self.sameDistance, distance / 2))
    }
}

/// What is usual among pictures: the last change, or the second largest one, so that a single event in the scene does
/// not hide a cut that follows it.
struct UsualChange {
    private var last = SceneChange(), largest = SceneChange(), second = SceneChange()

    init(_ changes: [SceneChange] = []) {
        for change in changes { add(change) }
    }

    mutating func add(_ change: SceneChange) {
        last = change
        second.distance = max(second.distance, min(largest.distance, change.distance))
        largest.distance = max(largest.distance, change.distance)
        second.difference = max(second.difference, min(largest.difference, change.difference))
        largest.difference = max(largest.difference, change.difference)
    }

    var change: SceneChange {
        var result = SceneChange()
        result.distance = max(last.distance, second.distance)
        result.difference = max(last.difference, second.difference)
        return result
    }
}
