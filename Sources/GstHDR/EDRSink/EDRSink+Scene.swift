import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Tone mapping by scenes: a picture is measured when it arrives, before it is converted. A display shows pictures one
/// at a time, so none waits for later ones.
extension EDRSink {
    /// The state of scene detection, protected by the painter's lock.
    struct SceneState {
        /// Measures pictures and follows their scenes; `nil` where the static peak holds.
        var detection: SceneDetection?
        /// The scene's light at the picture that is being made, and at the one that is shown. A picture that is made
        /// again for another headroom keeps the light that was measured for it.
        var light: SceneTracker.Light?
        var lastLight: SceneTracker.Light?
        /// Whether the picture that is being made is a new one of the scene, rather than one that is made again.
        var isNext = false
        /// A message to post after the lock is released.
        var message: Structure.Pointer?

        /// Returns the waiting message, which the caller then owns, and clears it.
        mutating func takeMessage() -> Structure.Pointer? {
            defer { message = nil }
            return message
        }
    }

    /// Measures a picture where the tone curve depends on its scene's peak.
    /// - Parameter fixed: the conversion with the static peak.
    /// - Returns: peak and average of the scene in cd/m²; `nil` where the static peak holds.
    func followScene(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ source: Source, _ fixed: ConversionPlan, detects: Bool,
        _ painter: inout Painter
    ) -> (peak: Double, average: Double)? {
        let isNext = painter.scene.isNext
        painter.scene.isNext = false
        guard detects, SceneDetection.serves(fixed, declared: source.declaredPeak), let pool = painter.pool else {
            painter.scene.detection = nil
            return nil
        }
        let measured = SceneDetection.Source(source.signal, for: fixed)
        let interval = SceneDetection.interval(source.info)
        let present = painter.scene.detection
        if present?.source != measured || present?.threads != pool.threads || present?.interval != interval {
            painter.scene.detection = SceneDetection(
                measured, threads: pool.threads, interval: interval, continuing: present)
        }
        guard let detection = painter.scene.detection else { return nil }
        if isNext || painter.scene.light == nil,
            let picture = detection.measure(buffer, source.info, source.layout, pool)
        {
            if isNext {
                detection.follow(picture.sample, next: [])
                painter.scene.light = detection.light
                painter.scene.message = detection.message(picture.light, buffer, baseSink.pointee.segment)
            } else {
                painter.scene.light = detection.lightAlone(picture.sample)
            }
        }
        return detection.scene(painter.scene.light, above: fixed.targetPeak, declared: source.declaredPeak)
    }

    /// The light of the scene at a buffer that is shown, for a file of it.
    func shownLight(_ buffer: UnsafeMutablePointer<GstBuffer>?) -> SceneTracker.Light? {
        painter.withLock { $0.last == buffer ? $0.scene.lastLight : nil }
    }
}

extension EDRSink.Source {
    /// The peak that limits measured peaks, in cd/m²; `nil` where the caps declare none.
    var declaredPeak: Double? { SceneDetection.declaredPeak(signal.color.transfer, metadata.peak) }
}
