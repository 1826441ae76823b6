import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// The light of one picture in numbers, for messages.
struct PictureLight {
    /// In cd/m²: the brightest pixel measured, the mean, and what 99.995 % of the pixels do not exceed.
    let maximum: Double, average: Double, peak: Double
    /// The fraction of the pixels outside the target's gamut.
    let outsideGamut: Double

    init(_ statistics: LightStatistics, _ sample: SceneSample) {
        maximum = statistics.maximum
        average = statistics.average
        peak = PQ.eotf(sample.peak)
        outsideGamut = statistics.gamutExcess
    }
}

/// A picture's statistics in the two forms that are needed of them.
struct MeasuredPicture {
    let light: PictureLight
    let sample: SceneSample

    init(_ statistics: LightStatistics) {
        sample = SceneSample(statistics)
        light = PictureLight(statistics, sample)
    }
}

/// Measures pictures and follows their scenes. Belongs to the streaming thread.
final class SceneDetection {
    /// What a meter is made for.
    struct Source: Equatable {
        let signal: VideoSignal
        /// Primaries whose gamut pixels are counted outside of.
        let gamut: Primaries
        let hlgPeak: Double
        let white: Double
    }

    let source: Source
    let threads: Int
    let meter: LightMeter
    /// Seconds from one picture to the next.
    let interval: Double
    private(set) var tracker: SceneTracker
    /// What the tracker has said of the last picture.
    private(set) var light: SceneTracker.Light?
    /// Whether a picture was brighter than the metadata's peak by more than rounding, so that these say nothing.
    private var exceedsMetadata = false
    private var statistics = LightStatistics()
    /// The PTS at the last message.
    var reported: UInt64?

    init?(_ source: Source, threads: Int, interval: Double) {
        self.source = source
        self.threads = threads
        self.interval = interval
        var options = LightMeter.Options()
        options.gamut = source.gamut
        options.hlgPeak = source.hlgPeak
        options.white = source.white
        guard
            let meter = LightMeter(
                layout: source.signal.layout, signal: source.signal.color, siting: source.signal.siting,
                width: source.signal.width, height: source.signal.height, options: options, threads: threads,
                instructionSet: CPUChoice.current.instructionSet)
        else { return nil }
        self.meter = meter
        tracker = SceneTracker(interval: interval)
    }

    /// What the meter has measured since its `begin()`; `nil` where it has seen no pixels.
    func measured() -> MeasuredPicture? {
        meter.read(into: &statistics)
        return statistics.pixels > 0 ? MeasuredPicture(statistics) : nil
    }

    func follow(_ picture: SceneSample, next: [SceneSample]) {
        light = tracker.add(picture, next: next)
    }

    func reset() {
        tracker.reset()
        light = nil
        reported = nil
    }

    /// Steps of a PQ signal in which peaks and averages are told apart: less than 0.3 % of light, which nobody sees,
    /// and few enough for curves to be used again.
    private static let steps = 4096.0

    /// The scene's light for a conversion to a peak.
    /// - Parameters:
    ///   - targetPeak: in cd/m². The source's peak is always taken to be a little above it, so that the curve changes
    ///     by little, and not into none, when a scene's peak crosses it.
    ///   - declared: the metadata's peak in cd/m², which bounds what is measured, unless pictures were brighter.
    func scene(above targetPeak: Double, declared: Double?) -> (peak: Double, average: Double)? {
        guard let light else { return nil }
        var peak = light.peak
        if let declared {
            let bound = PQ.inverseEOTF(declared)
            // One hundredth of PQ is about a tenth of the light.
            if peak > bound + 0.01 { exceedsMetadata = true }
            if !exceedsMetadata { peak = min(peak, bound) }
        }
        func rounded(_ signal: Double, atLeast least: Double = 0) -> Double {
            PQ.eotf(max((signal * Self.steps).rounded(.up), least) / Self.steps)
        }
        let least = (PQ.inverseEOTF(targetPeak) * Self.steps).rounded(.down) + 4
        // Rounding does not lift a peak above the metadata's.
        let bound = exceedsMetadata ? PQ.peak : declared ?? PQ.peak
        return (max(min(rounded(peak, atLeast: least), bound), PQ.eotf(least / Self.steps)), rounded(light.average))
    }
}

/// A picture that waits for those behind it.
struct HeldPicture {
    /// Owned.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// `nil` where it could not be measured.
    let measured: MeasuredPicture?
}
