import CGStreamer
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

/// Numbers that describe the light of one picture, for messages.
struct PictureLight {
    /// The brightest pixel measured, the mean, and the 99.995th percentile of the pixels, in cd/m².
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

/// A picture's statistics, as a scene sample and for messages.
struct MeasuredPicture {
    let light: PictureLight
    let sample: SceneSample

    /// - Parameter white: the luminance of white in cd/m², as for ``SceneSample/init(_:expandedFrom:)``.
    init(_ statistics: LightStatistics, expandedFrom white: Double?) {
        sample = SceneSample(statistics, expandedFrom: white)
        light = PictureLight(statistics, sample)
    }
}

/// Measures pictures and follows their scenes. One thread at a time.
final class SceneDetection {
    /// The parameters for which a meter is made.
    struct Source: Equatable {
        let signal: VideoSignal
        /// The gamut outside of which pixels are counted.
        let gamut: Primaries
        let hlgPeak: Double

        init(_ signal: VideoSignal, for plan: ConversionPlan) {
            self.signal = signal
            let (from, to) = (plan.source.primaries, plan.target.primaries)
            gamut = from == to ? .bt709 : to
            hlgPeak = plan.hlgPeak
        }

        /// The luminance of SDR white in cd/m² for sources whose highlights are expanded; `nil` for HDR. The share of
        /// highlights does not depend on it.
        var expandedWhite: Double? { signal.color.transfer.isHDR ? nil : BT2408.referenceWhite }

        /// Whether equal pictures of both sources have equal light, which does not depend on the gamut.
        func hasSameLight(as other: Source) -> Bool {
            signal == other.signal && hlgPeak == other.hlgPeak
        }
    }

    let source: Source
    let threads: Int
    let meter: LightMeter
    /// The time from one picture to the next, in s.
    let interval: Double
    private(set) var tracker: SceneTracker
    /// The tracker's result for the last picture.
    private(set) var light: SceneTracker.Light?
    /// Whether a picture was brighter than the metadata's peak by more than rounding, so that these are ignored.
    private var exceedsMetadata = false
    private var statistics = LightStatistics()
    /// The PTS of the last message, in ns.
    private var reported: UInt64?

    /// - Parameter previous: the detection whose scenes continue, where pictures have the same light and interval.
    init?(_ source: Source, threads: Int, interval: Double, continuing previous: SceneDetection? = nil) {
        self.source = source
        self.threads = threads
        self.interval = interval
        var options = LightMeter.Options()
        options.gamut = source.gamut
        options.hlgPeak = source.hlgPeak
        options.white = BT2408.referenceWhite
        guard
            let meter = LightMeter(
                layout: source.signal.layout, signal: source.signal.color, siting: source.signal.siting,
                width: source.signal.width, height: source.signal.height, options: options, threads: threads,
                instructionSet: CPUChoice.current.instructionSet)
        else { return nil }
        self.meter = meter
        tracker = SceneTracker(interval: interval)
        if let previous, previous.source.hasSameLight(as: source), previous.interval == interval {
            tracker = previous.tracker
            light = previous.light
            exceedsMetadata = previous.exceedsMetadata
            reported = previous.reported
        }
    }

    /// Whether a conversion's curve depends on the peak of its source, or on the share of its highlights, so that
    /// measuring the scene improves it. PQ without metadata may have any peak.
    /// - Parameter declared: the peak that limits measured ones; see ``declaredPeak(_:_:hlgPeak:)``.
    static func serves(_ plan: ConversionPlan, declared: Double?) -> Bool {
        if plan.inverseToneCurve.followsHighlights { return true }
        guard plan.source.transfer.isHDR, plan.compressingCurve.followsPeak else { return false }
        return plan.targetPeak < declared ?? PQ.peak
    }

    /// The peak that limits measured peaks, in cd/m²; `nil` where none is declared. No HLG signal exceeds the peak of
    /// its nominal display. Metadata of less than 1 cd/m² are ignored.
    /// - Parameters:
    ///   - peak: the peak that static metadata declare, in cd/m².
    ///   - hlgPeak: the peak of the display that HLG signals are for, in cd/m².
    static func declaredPeak(
        _ transfer: Transfer, _ peak: Double?, hlgPeak: Double = HLG<Double>.nominalPeak
    ) -> Double? {
        switch transfer {
        case .hlg: hlgPeak
        case .pq: peak.flatMap { $0 >= StaticMetadata.lowestPeak ? $0 : nil }
        default: nil
        }
    }

    /// The time from one picture to the next in s; that of 25 Hz where the rate is not known.
    static func interval(_ info: GstVideoInfo) -> Double {
        info.fps_n > 0 && info.fps_d > 0 ? Double(info.fps_d) / Double(info.fps_n) : 0.04
    }

    // MARK: Pictures

    /// Measures a buffer's picture; `nil` where it does not match the caps.
    func measure(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ info: GstVideoInfo, _ layout: DefaultLayout, _ pool: RowPool
    ) -> MeasuredPicture? {
        let signal = source.signal
        let isMeasured = info.withMappedFrame(buffer) { frame in
            let size = (width: signal.width, height: signal.height)
            guard let view = FrameView(frame, size, signal.layout, layout) else { return false }
            meter.begin()
            pool.measureFrame(view, meter, isInterlaced: signal.layout.verticalShift > 0 && frame.isInterlaced)
            return true
        }
        return isMeasured == true ? measured() : nil
    }

    /// The meter's result since its `begin()`; `nil` where it has seen no pixels.
    func measured() -> MeasuredPicture? {
        meter.read(into: &statistics)
        return statistics.pixels > 0 ? MeasuredPicture(statistics, expandedFrom: source.expandedWhite) : nil
    }

    func follow(_ picture: SceneSample, next: [SceneSample], isLast: Bool = false) {
        light = tracker.add(picture, next: next[...], isLast: isLast)
    }

    /// Whether the last picture may be the first one of a scene, which the next one tells.
    var isUnconfirmed: Bool { tracker.isUnconfirmed }

    /// The light of a picture as if a scene began with it, regardless of earlier ones.
    func lightAlone(_ picture: SceneSample) -> SceneTracker.Light? {
        var tracker = SceneTracker(interval: interval)
        return tracker.add(picture, next: [])
    }

    func reset() {
        tracker.reset()
        light = nil
        reported = nil
    }

    /// The number of steps of a PQ signal to which peaks and averages are rounded: less than 0.3 % of light, which is
    /// invisible, and few enough for curves to be reused.
    private static let steps = 4096.0

    // MARK: Light

    /// A scene's light for a conversion to a peak.
    /// - Parameters:
    ///   - light: the present scene's, or that of an earlier picture.
    ///   - targetPeak: in cd/m². The source's peak is always taken to be a little above it, so that the curve changes
    ///     by little, and not into none, when a scene's peak crosses it.
    ///   - declared: the metadata's peak in cd/m², which bounds what is measured, unless pictures were brighter.
    func scene(
        _ light: SceneTracker.Light?, above targetPeak: Double, declared: Double?
    ) -> (peak: Double, average: Double)? {
        light.map {
            Self.bounded(
                peak: $0.peak, average: $0.average, above: targetPeak, declared: declared, &exceedsMetadata)
        }
    }

    /// The share of highlights of the scene, from 0 to 1, for a source that is expanded; `nil` for others.
    var highlightShare: Double? {
        guard source.expandedWhite != nil, let light else { return nil }
        return (HighlightExpansion<Double>.share(ofLift: light.average) * Self.steps).rounded() / Self.steps
    }

    /// Peak and average of a scene, in PQ, with the limits of ``scene(_:above:declared:)``.
    static func bounded(
        peak measured: Double, average: Double, above targetPeak: Double, declared: Double?,
        _ exceedsMetadata: inout Bool
    ) -> (peak: Double, average: Double) {
        var peak = measured
        if let declared {
            let bound = PQ.inverseEOTF(declared)
            // A step of 0.01 in PQ is about a tenth of the light.
            if peak > bound + 0.01 { exceedsMetadata = true }
            if !exceedsMetadata { peak = min(peak, bound) }
        }
        func rounded(_ signal: Double, atLeast least: Double = 0) -> Double {
            PQ.eotf(max((signal * steps).rounded(.up), least) / steps)
        }
        let least = (PQ.inverseEOTF(targetPeak) * steps).rounded(.down) + 4
        // Rounding must not raise a peak above the metadata's.
        let bound = exceedsMetadata ? PQ.peak : declared ?? PQ.peak
        return (max(min(rounded(peak, atLeast: least), bound), PQ.eotf(least / steps)), rounded(average))
    }

    // MARK: Messages

    /// The message `hdr-light` for a picture, twice a second and at each new scene; `nil` in between.
    func message(
        _ light: PictureLight, _ buffer: UnsafeMutablePointer<GstBuffer>, _ segment: GstSegment
    ) -> Structure.Pointer? {
        let time = ClockTime.known(buffer.pointee.pts)
        let isNew = self.light?.startsScene == true
        if let time, let last = reported, !isNew, time >= last, time - last < ClockTime.second / 2 { return nil }
        reported = time
        func field(_ time: UInt64?) -> Structure.Value { .uint64(time ?? UInt64.max) }
        var fields: [(String, Structure.Value)] = [
            ("timestamp", field(time)), ("stream-time", field(time.flatMap { ClockTime.streamTime(segment, $0) })),
            ("running-time", field(time.flatMap { ClockTime.runningTime(segment, $0) })),
            ("duration", field(ClockTime.known(buffer.pointee.duration))),
            ("maximum", .double(light.maximum)), ("average", .double(light.average)), ("peak", .double(light.peak)),
            ("outside-gamut", .double(light.outsideGamut)), ("new-scene", .bool(isNew)),
        ]
        if let scene = self.light {
            fields.append(("scene-peak", .double(PQ.eotf(scene.peak))))
            fields.append(
                highlightShare.map { ("scene-highlights", .double($0)) }
                    ?? ("scene-average", .double(PQ.eotf(scene.average))))
        }
        return Structure.make("hdr-light", fields)
    }
}
