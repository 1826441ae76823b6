/// Summarises scenes for a second pass: one peak and one average for all pictures of each scene, and for each picture
/// of a gradual change, such as a dissolve, values between those of the scenes before and after it.
///
/// The tracker decides where scenes and changes begin. The peak is the highest of a scene's pictures, so that nothing
/// of it is clipped, and the average is the mean over those that are not black.
public struct SceneSurvey: Sendable {
    /// A scene, or a part of a change.
    public struct Scene: Equatable, Sendable {
        /// The stream times of the first picture and of the end of the last one, in ns.
        public let start: UInt64
        public fileprivate(set) var end: UInt64
        /// The peak and the average in PQ.
        public let peak: Double, average: Double
    }

    private struct Picture {
        let sample: SceneSample
        let start: UInt64, end: UInt64
        /// The light of the first pass; `nil` where nothing but black has been seen.
        let light: SceneTracker.Light?
    }

    /// The sums over a scene's pictures.
    private struct Sums {
        let start: UInt64
        private var end: UInt64
        private var peak = 0.0, sum = 0.0, count = 0.0
        /// The pictures of the last second, which are not in the sums yet.
        private var recent: [Picture] = []

        init(_ picture: Picture) {
            (start, end) = (picture.start, picture.start)
            add(picture)
        }

        mutating func add(_ picture: Picture) {
            recent.append(picture)
            let settled = recent.prefix {
                $0.start.addingReportingOverflow(SceneSurvey.beginning).partialValue < picture.start
            }
            for picture in settled { include(picture) }
            recent.removeFirst(settled.count)
        }

        private mutating func include(_ picture: Picture) {
            end = max(picture.start, picture.end)
            guard !picture.sample.isBlack else { return }
            peak = max(peak, picture.sample.peak)
            sum += picture.sample.average
            count += 1
        }

        /// The end of the last picture.
        var lastEnd: UInt64 { recent.last.map { max($0.start, $0.end) } ?? end }

        /// `nil` where all of it was black.
        var scene: Scene? {
            var all = self
            for picture in recent { all.include(picture) }
            return all.count > 0 ? Scene(start: start, end: all.end, peak: all.peak, average: all.sum / all.count) : nil
        }

        /// The pictures at the end that have more light than the scene had until a second ago: those in which a change
        /// to more light began, before the tracker saw that it is one.
        mutating func takeBeginning() -> [Picture] {
            let settled = count > 0 ? peak : recent.first?.sample.peak ?? 0
            let own = recent.lastIndex { $0.sample.peak < settled + SceneSurvey.sameLight }.map { $0 + 1 } ?? 0
            guard count > 0 || own > 0 else { return [] }
            defer { recent.removeSubrange(own...) }
            return Array(recent[own...])
        }
    }

    /// A gradual change: the scene before it, the light of the first pass there, and its pictures.
    private struct Transition {
        let before: Scene
        let light: SceneTracker.Light
        var pictures: [Picture]
    }

    /// A change to more light that begins so soon after its scene, in ns, belongs to it: the scene fades in.
    private static let fadeIn: UInt64 = 500_000_000
    /// For how long a change may go on before the tracker sees it, in ns, and the difference of peaks, in PQ, that is
    /// none.
    private static let beginning: UInt64 = 1_000_000_000, sameLight = 0.002
    /// The longest time without a picture within a scene, in ns.
    private static let longestGap: UInt64 = 2_000_000_000
    /// The number of steps of a PQ signal in which the values of a change are counted.
    private static let steps = 4096.0

    /// The scene in which the last picture was; `nil` during a change, and before the first picture.
    private var scene: Sums?
    /// The last change, until the scene after it is complete.
    private var transition: Transition?
    /// The light of the last picture.
    private var light: SceneTracker.Light?
    private var fadesIn = false
    /// A picture of which the next one tells whether a scene began with it.
    private var unconfirmed: Picture?
    /// The stream times of the last picture, in ns.
    private var last: (start: UInt64, end: UInt64)?

    public init() {}

    /// Adds a picture.
    /// - Parameters:
    ///   - start, end: its stream time, in ns.
    ///   - light: what the tracker returned for it.
    ///   - isUnconfirmed: whether it may be the first one of a scene, which the next picture tells; see
    ///     ``SceneTracker/isUnconfirmed``.
    /// - Returns: the scenes, and parts of changes, that are complete.
    public mutating func add(
        _ sample: SceneSample, from start: UInt64, to end: UInt64, light: SceneTracker.Light?,
        isUnconfirmed: Bool = false
    ) -> [Scene] {
        let picture = Picture(sample: sample, start: start, end: end, light: light)
        var done: [Scene] = []
        // Another part of the stream has scenes of its own, even where its pictures look the same.
        if let last, start < last.start || start > last.end.addingReportingOverflow(Self.longestGap).partialValue {
            done = finish()
        }
        last = (start, max(start, end))
        let first = unconfirmed
        unconfirmed = nil
        if let first, light?.startsScene != true { done += include(first) }
        // Black pictures before the first scene belong to it.
        if light?.startsScene == true, scene?.scene != nil || transition != nil { done += close() }
        if let first, light?.startsScene == true { done += include(first) }
        if isUnconfirmed { unconfirmed = picture } else { done += include(picture) }
        return done
    }

    /// The scenes that end here; none where all of it was black, or there were no pictures.
    public mutating func finish() -> [Scene] {
        var done: [Scene] = []
        if let last = unconfirmed { done = include(last) }
        done += close()
        self = SceneSurvey()
        return done
    }

    private mutating func include(_ picture: Picture) -> [Scene] {
        defer { if picture.light != nil { light = picture.light } }
        guard picture.light?.isChanging == true else {
            fadesIn = false
            if scene == nil, transition != nil, picture.sample.isBlack {
                transition?.pictures.append(picture)
            } else if scene == nil {
                scene = Sums(picture)
            } else {
                scene?.add(picture)
            }
            return []
        }
        if scene == nil, transition != nil {
            transition?.pictures.append(picture)
            return []
        }
        var before = scene
        let beginning = before?.takeBeginning() ?? []
        guard let before, let complete = before.scene, let light, !fadesIn,
            picture.start >= before.start.addingReportingOverflow(Self.fadeIn).partialValue
                || picture.sample.peak < complete.peak
        else {
            if scene == nil { scene = Sums(picture) } else { scene?.add(picture) }
            fadesIn = true
            return []
        }
        // The parts of an earlier change are complete, but the scene waits for what follows.
        let done = transition.map { parts(of: $0, to: complete) } ?? []
        transition = Transition(before: complete, light: light, pictures: beginning + [picture])
        scene = nil
        return done
    }

    /// Ends all that is open.
    private mutating func close() -> [Scene] {
        let last = scene?.scene
        var done: [Scene] = []
        if let transition {
            done = parts(of: transition, to: last)
            if last == nil, let scene, let end = done.indices.last { done[end].end = max(done[end].end, scene.lastEnd) }
        }
        if let last { done.append(last) }
        (scene, transition, fadesIn) = (nil, nil, false)
        return done
    }

    /// The scene before a change, and the parts of the change.
    /// - Parameter after: the scene after it; `nil` where another one begins before the change has ended.
    private func parts(of transition: Transition, to after: Scene?) -> [Scene] {
        let (before, pictures) = (transition.before, transition.pictures)
        let end = pictures.last?.light ?? transition.light
        func moved(
            _ value: Double, _ first: Double, _ last: Double, from before: Double, to after: Double
        ) -> Double {
            let share = abs(last - first) > 1e-4 ? min(max((value - first) / (last - first), 0), 1) : 0
            return ((before + share * (after - before)) * Self.steps).rounded(.up) / Self.steps
        }
        var scenes = [before]
        for picture in pictures {
            let light = picture.light ?? end
            let peak = moved(
                light.peak, transition.light.peak, end.peak, from: before.peak, to: after?.peak ?? end.peak)
            let average = moved(
                light.average, transition.light.average, end.average, from: before.average,
                to: after?.average ?? end.average)
            let part = Scene(
                start: picture.start, end: max(picture.start, picture.end), peak: peak, average: average)
            let last = scenes[scenes.count - 1]
            if abs(last.peak - peak) < 1 / Self.steps, abs(last.average - average) < 1 / Self.steps {
                scenes[scenes.count - 1].end = part.end
            } else {
                scenes.append(part)
            }
        }
        return scenes
    }
}
