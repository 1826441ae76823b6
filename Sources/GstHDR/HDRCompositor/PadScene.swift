import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRKernels

/// What is known of a pad's pictures from one to the next: their dynamic metadata, and the light of their scene.
///
/// A picture is measured when it is first composed, before it is converted. None waits for those behind it, since the
/// other pads' pictures would have to wait with it.
final class PadScene {
    private var reader = PictureDynamicsReader()
    /// What the picture's metadata say; `nil` where they say nothing or are ignored.
    private(set) var dynamics: PictureDynamics?
    private var detection: SceneDetection?
    /// The picture that was measured last. One that is composed again, because the canvas has a higher rate, is not
    /// another one of its scene.
    private var measured: PictureName?

    /// Takes a picture's metadata.
    func read(_ buffer: UnsafeMutablePointer<GstBuffer>, _ use: GstHdrMetadataUse) throws(HDRCompositor.Unavailable) {
        let next = reader.read(buffer)
        guard use == GST_HDR_METADATA_USE_AUTO else {
            dynamics = nil
            if next?.needsReshaping == true {
                throw HDRCompositor.Unavailable(
                    description: "A picture cannot be composed: \(BaseLayerAlone().description)")
            }
            return
        }
        // A base layer whose RPU was lost has that of the picture before: it is no picture without one.
        if next == nil, dynamics?.needsReshaping == true { return }
        dynamics = next
    }

    /// Whether a picture is to be made of the base layer. One that can be shown as it is stays it on a canvas of its
    /// own transfer function.
    func reshapes(_ signal: VideoSignal, onto transfer: Transfer) -> Bool {
        guard let dynamics, dynamics.reshaping != nil, Reshaper.takes(signal.layout) else { return false }
        return dynamics.needsReshaping || signal.color.transfer != transfer
    }

    /// The light that a picture's tones are mapped for: that of its metadata, else its scene's, which is measured.
    func tones(
        of pad: GstHdrCompositorLayer, _ frame: UnsafeMutablePointer<GstVideoFrame>, _ layout: DefaultLayout,
        _ step: ToneStep, _ canvas: HDRCompositor.Canvas
    ) -> ToneStep.Tones {
        if let light = dynamics?.light?.planned(step.fixed, takesCurve: true) {
            detection = nil
            return ToneStep.Tones(scene: light.scene, curve: light.curve)
        }
        guard pad.settings.peak_detection == GST_HDR_PEAK_DETECTION_AUTO, !step.reshapes,
            SceneDetection.serves(step.fixed), let buffer = frame.pointee.buffer
        else {
            detection = nil
            return ToneStep.Tones()
        }
        let source = SceneDetection.Source(step.source, for: step.fixed)
        // Of pictures that come faster than the canvas's, not all are seen.
        let interval = max(SceneDetection.interval(pad.info), SceneDetection.interval(canvas.info))
        if detection?.source != source || detection?.threads != canvas.pool.threads || detection?.interval != interval {
            detection = SceneDetection(
                source, threads: canvas.pool.threads, interval: interval, continuing: detection)
        }
        guard let detection else { return ToneStep.Tones() }
        let name = PictureName(buffer)
        if name != measured || detection.light == nil,
            let picture = detection.measure(buffer, pad.info, layout, canvas.pool)
        {
            detection.follow(picture.sample, next: [])
            measured = name
        }
        if source.expandedWhite != nil { return ToneStep.Tones(highlightShare: detection.highlightShare) }
        return ToneStep.Tones(
            scene: detection.scene(detection.light, above: step.fixed.targetPeak, declared: step.declaredPeak))
    }

    /// A seek: what comes next has nothing to do with what was there.
    func reset() {
        detection?.reset()
        measured = nil
        dynamics = nil
    }
}

/// Tells one picture from another without holding it.
private struct PictureName: Equatable {
    let buffer: UnsafeMutablePointer<GstBuffer>
    let time: UInt64

    init(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        self.buffer = buffer
        time = UInt64(buffer.pointee.pts)
    }
}
