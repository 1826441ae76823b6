import Glibc

/// The light of a scene that its tone curve is made for: held within a scene, set anew at a cut, and moved along a
/// dissolve.
///
/// A picture's own peak would lead to a curve that changes with each picture, and so would change the light of objects
/// that stay the same in the scene. So a scene's first picture, and those of it that look-ahead knows, set peak and
/// average, which then stay, whatever moves, flickers or flashes in the scene. They move where the picture becomes
/// another one without a cut, as in fades and dissolves; where so much of the picture is above the peak for so long
/// that its loss would be visible; and, too slowly to be noticed, where another picture has stayed darker for seconds.
///
/// The result depends on nothing but the samples, their order and the interval.
public struct SceneTracker: Sendable {
    /// The light that a picture's tone curve is made for, in PQ.
    public struct Light: Equatable, Sendable {
        public let peak: Double
        public let average: Double
        /// Whether the picture is the first one of a scene.
        public let startsScene: Bool
        /// Whether the picture belongs to a gradual change, such as a dissolve, which the light follows.
        public let isChanging: Bool

        init(peak: Double, average: Double, startsScene: Bool, isChanging: Bool = false) {
            (self.peak, self.average) = (peak, average)
            (self.startsScene, self.isChanging) = (startsScene, isChanging)
        }
    }

    /// The number of seconds from one picture to the next.
    public let interval: Double

    /// The peak and the average of the scene; `nil` before its first picture that is not black.
    private var scene: (peak: Double, average: Double)?
    /// The last picture, and the one before the scene's first where that differed like a cut.
    private var last: SceneSample?, before: SceneSample?
    /// The differences of neighbours among the pictures of the last 0.4 s.
    private var changes: [SceneChange] = []
    /// The pictures of the last 0.4 s, and those of the last two seconds at steps of a tenth.
    private var recent: [SceneSample] = [], earlier: [SceneSample] = []
    /// The time since the last one of `earlier`, in s; the largest distance of two neighbours since then; and the same
    /// up to each one.
    private var sinceEarlier = 0.0, step = 0.0, steps: [Double] = []
    /// The picture that peak and average were set for.
    private var anchor: SceneSample?
    /// Whether the picture is becoming another one, or has become it while peak and average still move.
    private var isChanging = false
    /// Whether all of the picture has become brighter since the scene's beginning, as in a fade from black.
    private var isRising = false
    /// The light above the peak, integrated over time, in PQ seconds.
    private var loss = 0.0
    /// For how long pictures have been brighter or darker than the scene, or had another average, in s, and whether the
    /// scene follows.
    private var brighter = Follower(), darker = Follower(), average = Follower()
    /// The time in s since which pictures have been white all over.
    private var glare = 0.0
    /// The scene before the present one, its last picture, and the time since then in s; that scene resumes after a
    /// flash.
    private var previous: (peak: Double, average: Double, picture: SceneSample, age: Double)?
    /// A picture that differs from the last one like the first one of a scene, and that a further picture has to
    /// confirm.
    private var suspect: SceneSample?
    /// Whether the last picture may be the first one of a scene, which the next one tells.
    public var isUnconfirmed: Bool { suspect != nil }

    private struct Follower {
        var time = 0.0
        var isFollowing = false
    }

    /// - Parameter interval: the number of seconds from one picture to the next, as far as that is known.
    public init(interval: Double = 0.04) {
        self.interval = min(max(interval.isFinite ? interval : 0.04, 0.004), 0.5)
    }

    // MARK: What is compared with what

    /// The longest duration of a flash, in s.
    private static let longestFlash = 1.0
    /// The intervals, in s, from which on a cut without a next picture does not wait for one.
    private static let longestConfirmation = 0.3

    /// Whether a picture is like one of the scene's last two seconds.
    private func isKnown(_ sample: SceneSample, within distance: Double) -> Bool {
        recent.contains { $0.distance(to: sample) < distance }
            || earlier.contains { $0.distance(to: sample) < distance }
    }

    /// Whether a picture continues the change by which the scene began, so that this was a step of a quick fade.
    private func continuesFade(_ sample: SceneSample) -> Bool {
        guard let last, interval < Self.longestConfirmation else { return false }
        if isRising && last.isDarker(than: sample) { return true }
        guard let before, recent.count == 1 else { return false }
        let (first, second) = (before.distance(to: last), last.distance(to: sample))
        // Light that moves on in one direction adds up.
        return second < SceneChange.ratio * first && before.distance(to: sample) > 0.9 * (first + second)
            && second < SceneChange.certainDistance
    }

    /// Whether a picture is a step of a quick fade to black, as the one before it or the next one is.
    private func fadesOut(_ sample: SceneSample, _ next: SceneSample?) -> Bool {
        guard let last, interval < Self.longestConfirmation, sample.isDimmed(from: last) else { return false }
        if let before = recent.dropLast().last, last.isDimmed(from: before) { return true }
        return next.map { $0.isBlack || $0.isDimmed(from: sample) } ?? false
    }

    // MARK: Pictures

    /// The light for a picture.
    /// - Parameters:
    ///   - sample: the picture.
    ///   - next: the pictures that follow it, as many as are known. With none, a cut takes effect a picture later,
    ///     because it might be a flash; but at once where a picture lasts for longer than flashes do.
    ///   - isLast: whether no picture follows, so that none can tell a flash from a cut, which it is taken for.
    /// - Returns: `nil` where nothing but black has been seen, so that there is nothing to adapt to.
    public mutating func add(
        _ sample: SceneSample, next: ArraySlice<SceneSample>, isLast: Bool = false
    ) -> Light? {
        previous?.age += interval
        if (previous?.age ?? 0) > Self.longestFlash { previous = nil }
        guard !sample.isBlack else {
            // The scene ends with its last picture; a picture that follows black begins another one.
            let light = scene.map { Light(peak: $0.peak, average: $0.average, startsScene: false) }
            forget()
            return light
        }
        guard var last, let scene else { return start(sample, next) }
        if let suspect {
            self.suspect = nil
            // The picture returned to what it was before, so that the change was a flash.
            if isKnown(sample, within: SceneChange.sameDistance) { return hold(sample, next, scene) }
            let distance = last.distance(to: sample)
            let isFade = suspect.isDimmed(from: last) && sample.isDimmed(from: suspect)
            if !isFade, suspect.distance(to: sample) < distance / 2 || distance > SceneChange.certainDistance {
                previous = (scene.peak, scene.average, last, interval)
                return start(sample, next, after: suspect)
            }
            // A picture unlike both comes from light that flickers.
            keep(suspect)
            last = suspect
        }
        let isNew = SceneChange(last, sample).isCut(usual: UsualChange(changes).change) { isKnown(sample, within: $0) }
        if isNew, !continuesFade(sample), !fadesOut(sample, next.first) {
            // A uniformly white picture above the peak loses nothing; if it lasts, it is a scene.
            if sample.peak > scene.peak, sample.isUniform, glare < Self.longestFlash {
                glare += interval
                return Light(peak: scene.peak, average: scene.average, startsScene: false)
            }
            if let previous, previous.picture.distance(to: sample) < SceneChange.sameDistance {
                resume(previous, sample)
                return Light(peak: previous.peak, average: previous.average, startsScene: true)
            }
            if next.contains(where: { last.distance(to: $0) < SceneChange.sameDistance }) {
                // In a flash, later pictures are still compared with the picture before it.
                return Light(peak: scene.peak, average: scene.average, startsScene: false)
            }
            if next.isEmpty && !isLast && interval < Self.longestConfirmation {
                suspect = sample
                return Light(peak: scene.peak, average: scene.average, startsScene: false)
            }
            previous = (scene.peak, scene.average, last, 0)
            return start(sample, next)
        }
        glare = 0
        return hold(sample, next, scene)
    }

    /// Discards everything, for another stream or another position in it.
    public mutating func reset() { self = SceneTracker(interval: interval) }

    private mutating func forget() {
        (last, before) = (nil, nil)
        suspect = nil
        changes.removeAll(keepingCapacity: true)
        recent.removeAll(keepingCapacity: true)
        earlier.removeAll(keepingCapacity: true)
        steps.removeAll(keepingCapacity: true)
        (sinceEarlier, step) = (0, 0)
        anchor = nil
        (isChanging, isRising) = (false, false)
        loss = 0
        glare = 0
        brighter = Follower()
        darker = Follower()
        average = Follower()
    }
    private mutating func keep(_ sample: SceneSample) {
        let most = min(max(Int((0.4 / interval).rounded()), 1), 32)
        if let last {
            let change = SceneChange(last, sample)
            step = max(step, change.distance)
            changes.append(change)
            if changes.count > most { changes.removeFirst(changes.count - most) }
        }
        last = sample
        recent.append(sample)
        if recent.count > most { recent.removeFirst(recent.count - most) }
        sinceEarlier += interval
        // Half an interval makes up for sums that are not exact.
        guard earlier.isEmpty || sinceEarlier > 0.1 - interval / 2 else { return }
        earlier.append(sample)
        steps.append(step)
        (sinceEarlier, step) = (0, 0)
        if earlier.count > 20 { earlier.removeFirst() }
        if steps.count > 10 { steps.removeFirst() }
    }

    // MARK: Scenes

    /// Starts a scene from all of its pictures that are known.
    private mutating func start(
        _ sample: SceneSample, _ next: ArraySlice<SceneSample>, after first: SceneSample? = nil
    ) -> Light {
        var (peak, sum, count) = (sample.peak, sample.average, 1.0)
        if let first, first.distance(to: sample) < SceneChange.certainDistance { peak = max(peak, first.peak) }
        forEachOfScene(from: sample, next) { other in
            peak = max(peak, other.peak)
            sum += other.average
            count += 1
        }
        let previous = first ?? last
        forget()
        before = previous
        scene = (peak, sum / count)
        anchor = sample
        isRising = true
        keep(sample)
        return Light(peak: peak, average: sum / count, startsScene: true)
    }

    /// Calls `body` for the next pictures that belong to the scene of a picture, as far as they are known.
    /// - Parameter changes: those up to the picture; `nil` at a scene's beginning, where any change may follow.
    private func forEachOfScene(
        from sample: SceneSample, _ next: ArraySlice<SceneSample>, after changes: [SceneChange]? = nil,
        _ body: (SceneSample) -> Void
    ) {
        var usual = changes.map { UsualChange($0) }
        var last = sample
        for index in next.indices {
            let other = next[index]
            let change = SceneChange(last, other)
            // The second picture of a scene is compared with the first alone.
            let isNew = change.isCut(usual: usual?.change ?? change) { distance in
                sample.distance(to: other) < distance
                    || next[..<index].contains { $0.distance(to: other) < distance }
            }
            if other.isBlack || isNew { return }
            usual = usual ?? UsualChange()
            usual?.add(change)
            last = other
            body(other)
        }
    }

    /// Resumes the scene before the flash.
    private mutating func resume(
        _ before: (peak: Double, average: Double, picture: SceneSample, age: Double), _ sample: SceneSample
    ) {
        forget()
        scene = (before.peak, before.average)
        anchor = sample
        previous = nil
        keep(sample)
    }

    /// The distances in PQ by which a picture is another one than that which peak and average were set for, and by
    /// which it has to change within a second to be becoming another one. A picture that changes by less than the third
    /// value in 0.4 s stays as it is.
    private static let otherDistance = 0.03, changingDistance = 0.022, stillDistance = 0.006
    /// The same two distances where the peak is off by more than the third value: the pictures before and after such a
    /// change may be alike but for their lights.
    private static let nearDistance = 0.015, nearChange = 0.012, farBand = 0.08
    /// Peak and average follow such a change where they differ from the picture's by more than this, in PQ.
    private static let peakBand = 0.02, changeBand = 0.06
    /// A change counts as gradual where no picture of the last second differs from the one before by more than this
    /// share of the change, or by this value in PQ.
    private static let gradualShare = 0.4, gradualStep = 0.01
    /// The time constant with which the scene follows such a change, in s, and the limits for the speed of the peak:
    /// several times that of the distribution, between two limits in PQ per second.
    private static let changeTime = 0.1, changeRatio = 6.0, leastChangeSpeed = 0.12, mostChangeSpeed = 0.6
    /// The limit for the speed of the average then, in PQ per second.
    private static let mostAverageSpeed = 0.25
    /// The speed with which the peak falls where the same picture has less light, in PQ per second, and the largest
    /// rise from one picture to the next, in PQ, that counts as flicker during the fall.
    private static let dimSpeed = 0.03, flickerBand = 0.004
    /// The light above the peak whose loss is never noticed, averaged over the picture in PQ, and the loss of the rest,
    /// in PQ seconds, at which the peak rises: a twentieth of the picture at three times the peak for two seconds.
    private static let smallLoss = 0.005, mostLoss = 0.01
    /// The largest differences of pictures from the scene's peak and average, in PQ, and how long larger ones may last,
    /// in s.
    private static let fallBand = 0.03, averageBand = 0.03, holdTime = 3.0
    /// The speed with which the scene then follows, in PQ per second.
    private static let riseSpeed = 0.04, fallSpeed = 0.015

    /// Continues a scene.
    private mutating func hold(
        _ sample: SceneSample, _ next: ArraySlice<SceneSample>, _ scene: (peak: Double, average: Double)
    ) -> Light {
        keep(sample)
        var (peak, average) = scene
        var target = sample.peak
        forEachOfScene(from: sample, next, after: changes) { target = max(target, $0.peak) }
        if isRising, let before = recent.dropLast().suffix(max(Int(0.2 / interval), 1)).first,
            before.isDarker(than: sample)
        {
            // A curve that lagged behind would first show too much light. All light rises, so that none is seen to fall
            // where the curve follows at once.
            peak = max(peak, target)
            self.scene = (peak, sample.average)
            anchor = sample
            return Light(peak: peak, average: sample.average, startsScene: false)
        }
        isRising = false

        let fromAnchor = anchor.map { $0.difference(to: sample) } ?? 0
        let distance = anchor?.distance(to: sample) ?? 0
        let isFarOff = peak - target > Self.farBand
        let isOther =
            fromAnchor > SceneChange.leastDifference && distance > (isFarOff ? Self.nearDistance : Self.otherDistance)
        let start = earlier.suffix(10).first ?? sample
        let moved = start.distance(to: sample)
        let isMoving = moved > (isFarOff ? Self.nearChange : Self.changingDistance)
        // A light that is switched on or off, and a flash, change the picture in one step; a dissolve does not.
        let isGradual = max(steps.max() ?? 0, step) <= max(Self.gradualShare * moved, Self.gradualStep)
        let isOff = abs(target - peak) > Self.peakBand || abs(sample.average - average) > Self.changeBand
        if isOther && isMoving && isGradual && isOff { isChanging = true }
        if isChanging && isGradual {
            let isFadeOut =
                (recent.first?.distance(to: sample) ?? 0) > Self.stillDistance
                && (sample.isDimmed(from: start) || earlier.first.map { sample.isDimmed(from: $0) } == true)
            let share = 1 - exp(-interval / Self.changeTime)
            let speed = min(max(Self.changeRatio * moved, Self.leastChangeSpeed), Self.mostChangeSpeed)
            // Flicker during the change must not move the peak.
            let flickers = zip(recent, recent.dropFirst()).contains { $1.peak > $0.peak + Self.flickerBand }
            if flickers { target = max(target, recent.lazy.map(\.peak).max() ?? target) }
            if target > peak {
                peak += min((target - peak) * share, speed * interval)
            } else if !isFadeOut {
                // The same picture permanently has less light, while no cut hides the change of the curve.
                let isSame = anchor.map { sample.isDimmed(from: $0) } ?? false
                peak -= min((peak - target) * share, (isSame ? Self.dimSpeed : speed) * interval)
            }
            if !isFadeOut {
                let most = Self.mostAverageSpeed * interval
                average += min(max((sample.average - average) * share, -most), most)
            }
            if !isMoving && abs(target - peak) < 0.002 && abs(sample.average - average) < 0.002 {
                isChanging = false
                anchor = sample
            }
            (loss, darker, self.average) = (0, Follower(), Follower())
        } else if !isChanging {
            let isPermanent = fromAnchor > SceneChange.leastDifference
            follow(sample, target, isPermanent, &peak, &average)
        }
        self.scene = (peak, average)
        return Light(peak: peak, average: average, startsScene: false, isChanging: isChanging)
    }

    /// Follows changes that last.
    /// - Parameter isOther: whether a quarter of the picture or more has changed.
    private mutating func follow(
        _ sample: SceneSample, _ target: Double, _ isOther: Bool, _ peak: inout Double, _ average: inout Double
    ) {
        // The loss grows while pictures exceed the peak and decays otherwise, so that a short flash does not move the
        // peak.
        loss = max(loss + (sample.excess(over: peak) - Self.smallLoss) * interval, 0)
        if loss > Self.mostLoss { brighter.isFollowing = true }
        if sample.peak <= peak { brighter.isFollowing = false }
        if isOther && target < peak - Self.fallBand { darker.time += interval } else { darker.time = 0 }
        if darker.time > Self.holdTime { darker.isFollowing = true }
        if target >= peak { darker.isFollowing = false }
        if brighter.isFollowing {
            peak += min(sample.peak - peak, Self.riseSpeed * interval)
        } else if darker.isFollowing {
            peak -= min(peak - target, Self.fallSpeed * interval)
        }

        let difference = sample.average - average
        let isAnother = isOther && abs(difference) > Self.averageBand
        self.average.time = isAnother ? self.average.time + interval : 0
        if self.average.time > Self.holdTime { self.average.isFollowing = true }
        if abs(difference) < 0.002 { self.average.isFollowing = false }
        if self.average.isFollowing {
            let step = Self.fallSpeed * interval
            average += min(max(difference, -step), step)
        }
    }
}
