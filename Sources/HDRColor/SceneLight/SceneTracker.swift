import Glibc

/// The light of a scene as a tone curve needs it: held within a scene, set anew at a cut.
///
/// A picture's own peak would make a curve that changes with each picture, and the light of what does not change in the
/// scene would change with it. So a scene's first picture, and those that look-ahead knows of it, set peak and average,
/// which then stay, whatever moves, flickers or flashes in the scene, unless the picture is brighter for a quarter of a
/// second, or darker for two seconds; then they move, slowly enough not to be noticed. In fades and dissolves, where
/// all light changes anyway, they follow brighter pictures at once.
///
/// It depends on nothing but the samples, their order and the interval.
public struct SceneTracker: Sendable {
    /// The light that a picture's tone curve is made for, in PQ.
    public struct Light: Equatable, Sendable {
        public let peak: Double
        public let average: Double
        /// Whether the picture is the first one of a scene.
        public let startsScene: Bool
    }

    /// Seconds from one picture to the next.
    public let interval: Double

    /// Peak and average of the scene; `nil` before its first picture that is not black.
    private var scene: (peak: Double, average: Double)?
    /// The last picture, and how far it was from the one before.
    private var last: SceneSample?
    private var change = (distance: 0.0, difference: 0.0)
    /// Pictures of the last 0.4 s.
    private var recent: [SceneSample] = []
    /// How long pictures have been brighter or darker than the scene, in s, and whether the scene follows.
    private var brighter = Follower(), darker = Follower(), average = Follower()
    /// The scene before the present one and its last picture, and the time since, in s: after a flash it goes on.
    private var previous: (peak: Double, average: Double, picture: SceneSample, age: Double)?
    /// A picture that differs from the last one like the first one of a scene, and waits for another to confirm it.
    private var suspect: SceneSample?

    private struct Follower {
        var time = 0.0
        var isFollowing = false
    }

    /// - Parameter interval: seconds from one picture to the next, as far as that is known.
    public init(interval: Double = 0.04) {
        self.interval = min(max(interval.isFinite ? interval : 0.04, 0.004), 0.5)
    }

    // MARK: What is compared with what

    /// A cut changes a quarter of the pixels or more: what does so in a smaller part of the picture is a light or an
    /// object in the scene. It moves them by 0.025 in PQ on average, or changes 40 % of them, and several times as much
    /// as the change before did, because a quick fade is none.
    private static let leastDifference = 0.25, cutDistance = 0.025, cutDifference = 0.4, ratio = 2.5
    /// A change that is a cut whatever was before.
    private static let certainDistance = 0.1
    /// Pictures that are nearer than this are of the same scene.
    private static let sameDistance = 0.015
    /// A flash may last this long, in s.
    private static let longestFlash = 1.0
    /// A distance over 0.4 s that makes a fade of a change in a quarter of the pixels or more, in PQ.
    private static let fadeDistance = 0.05

    private func isCut(_ from: SceneSample, _ to: SceneSample, after change: (distance: Double, difference: Double))
        -> Bool
    {
        let distance = from.distance(to: to)
        let difference = from.difference(to: to)
        guard difference > Self.leastDifference else { return false }
        if distance > Self.certainDistance { return true }
        if distance > Self.cutDistance && distance > Self.ratio * change.distance { return true }
        return difference > Self.cutDifference && difference > Self.ratio * change.difference && distance > 0.008
    }

    // MARK: Pictures

    /// The light for a picture.
    /// - Parameters:
    ///   - sample: the picture.
    ///   - next: those that follow on it, as many as are known. With none a cut takes effect a picture later, because
    ///     it might be a flash.
    /// - Returns: `nil` where nothing but black has been seen: there is nothing to adapt to.
    public mutating func add(_ sample: SceneSample, next: some Collection<SceneSample>) -> Light? {
        previous?.age += interval
        if (previous?.age ?? 0) > Self.longestFlash { previous = nil }
        guard !sample.isBlack else {
            // The scene ends with its last picture; what follows on black is another one.
            let light = scene.map { Light(peak: $0.peak, average: $0.average, startsScene: false) }
            forget()
            return light
        }
        guard let last, let scene else { return start(sample, next) }
        if let suspect {
            self.suspect = nil
            // Back to where it was before: that was a flash.
            if last.distance(to: sample) < Self.sameDistance { return hold(sample, next, scene) }
            previous = (scene.peak, scene.average, last, interval)
            return start(sample, next, after: suspect)
        }
        if isCut(last, sample, after: change) {
            if let previous, previous.picture.distance(to: sample) < Self.sameDistance {
                resume(previous, sample)
                return Light(peak: previous.peak, average: previous.average, startsScene: true)
            }
            if next.contains(where: { last.distance(to: $0) < Self.sameDistance }) {
                // A flash: the picture before it stays the one that others are compared with.
                return Light(peak: scene.peak, average: scene.average, startsScene: false)
            }
            if next.isEmpty {
                suspect = sample
                return Light(peak: scene.peak, average: scene.average, startsScene: false)
            }
            previous = (scene.peak, scene.average, last, 0)
            return start(sample, next)
        }
        return hold(sample, next, scene)
    }

    /// Forgets everything: another stream, or another place of it.
    public mutating func reset() { self = SceneTracker(interval: interval) }

    private mutating func forget() {
        last = nil
        suspect = nil
        recent.removeAll(keepingCapacity: true)
        brighter = Follower()
        darker = Follower()
        average = Follower()
    }
    private mutating func keep(_ sample: SceneSample) {
        if let last { change = (last.distance(to: sample), last.difference(to: sample)) }
        last = sample
        recent.append(sample)
        let most = min(max(Int((0.4 / interval).rounded()), 1), 32)
        if recent.count > most { recent.removeFirst(recent.count - most) }
    }

    // MARK: Scenes

    /// Starts a scene with all that is known of it.
    private mutating func start(
        _ sample: SceneSample, _ next: some Collection<SceneSample>, after first: SceneSample? = nil
    ) -> Light {
        var (peak, sum, count) = (sample.peak, sample.average, 1.0)
        if let first, first.distance(to: sample) < Self.certainDistance { peak = max(peak, first.peak) }
        var before = sample
        var change = (distance: 1.0, difference: 1.0)
        for other in next {
            guard !other.isBlack, !isCut(before, other, after: change) else { break }
            change = (before.distance(to: other), before.difference(to: other))
            peak = max(peak, other.peak)
            sum += other.average
            count += 1
            before = other
        }
        forget()
        self.change = (0, 0)
        scene = (peak, sum / count)
        keep(sample)
        return Light(peak: peak, average: sum / count, startsScene: true)
    }

    /// The scene before the flash goes on.
    private mutating func resume(
        _ before: (peak: Double, average: Double, picture: SceneSample, age: Double), _ sample: SceneSample
    ) {
        forget()
        self.change = (0, 0)
        scene = (before.peak, before.average)
        previous = nil
        keep(sample)
    }

    /// How far the peak may differ from the scene's, in PQ, before it counts: about 12 % of light upwards, 30 %
    /// downwards.
    private static let riseBand = 0.012, fallBand = 0.03
    private static let averageBand = 0.03
    /// How long it has to differ, in s.
    private static let riseTime = 0.25, fallTime = 2.0
    /// How fast the scene then follows, in PQ per second.
    private static let riseSpeed = 0.03, fallSpeed = 0.015

    /// Goes on with a scene.
    private mutating func hold(
        _ sample: SceneSample, _ next: some Collection<SceneSample>, _ scene: (peak: Double, average: Double)
    ) -> Light {
        keep(sample)
        var (peak, average) = scene
        let isFading =
            recent.first.map {
                $0.distance(to: sample) > Self.fadeDistance && $0.difference(to: sample) > Self.leastDifference
            } ?? false
        var target = sample.peak
        var before = sample
        var change = self.change
        for other in next {
            guard !other.isBlack, !isCut(before, other, after: change) else { break }
            change = (before.distance(to: other), before.difference(to: other))
            target = max(target, other.peak)
            before = other
        }

        // What is known of the future counts neither the pictures before a flash nor those behind it.
        if sample.peak > peak + Self.riseBand {
            brighter.time += interval
        } else {
            brighter.time = max(brighter.time - interval / 2, 0)
        }
        if target < peak - Self.fallBand { darker.time += interval } else { darker.time = 0 }
        if brighter.time > Self.riseTime { brighter.isFollowing = true }
        if darker.time > Self.fallTime && !isFading { darker.isFollowing = true }
        if target <= peak {
            brighter.isFollowing = false
        } else {
            darker.isFollowing = false
        }
        if isFading && target > peak {
            peak += (target - peak) * (1 - exp(-interval / 0.1))
        } else if brighter.isFollowing {
            peak += min(max(sample.peak - peak, 0), Self.riseSpeed * interval)
        } else if darker.isFollowing {
            peak -= min(peak - target, Self.fallSpeed * interval)
        }

        let difference = sample.average - average
        if abs(difference) > Self.averageBand { self.average.time += interval } else { self.average.time = 0 }
        if self.average.time > Self.fallTime { self.average.isFollowing = true }
        if abs(difference) < 0.002 { self.average.isFollowing = false }
        if isFading && difference > 0 {
            average += difference * (1 - exp(-interval / 0.1))
        } else if self.average.isFollowing {
            let step = Self.fallSpeed * interval
            average += min(max(difference, -step), step)
        }
        self.scene = (peak, average)
        return Light(peak: peak, average: average, startsScene: false)
    }
}
