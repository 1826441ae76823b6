/// How much a picture differs from the one before.
struct SceneChange {
    /// The distance between their light distributions, in PQ; see ``SceneSample/distance(to:)``.
    var distance = 0.0
    /// The fraction of the pixels that are in other bins.
    var difference = 0.0

    init() {}

    init(_ from: SceneSample, _ to: SceneSample) {
        distance = from.distance(to: to)
        difference = from.difference(to: to)
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
