import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRKernels

/// The state that a pad keeps from picture to picture: dynamic metadata, and the light of the scene.
///
/// A picture is measured when it is first composed, before it is converted. It does not wait for later ones, since the
/// pictures of the other pads would have to wait with it.
final class PadScene {
    private var reader = PictureDynamicsReader()
    /// The light and reshaping of the picture's dynamic metadata; `nil` where it has none or they are ignored.
    private(set) var dynamics: PictureDynamics?
    private var detection: SceneDetection?
    /// The picture that was measured last. The canvas's rate may be higher, and a picture that is composed again must
    /// not be measured as a new one of its scene.
    private var measured: PictureName?

    /// Reads a picture's dynamic metadata.
    /// - Throws: for a profile 5 base layer whose metadata are to be ignored, or cannot be applied.
    func read(
        _ buffer: UnsafeMutablePointer<GstBuffer>, of layer: GstHdrCompositorLayer
    ) throws(HDRCompositor.Unavailable) {
        let next = reader.read(buffer)
        let use = layer.settings.dynamic_metadata
        if next?.needsReshaping == true, let layout = (try? VideoSignal(layer.info))?.layout,
            let problem = BaseLayerAlone(next, of: layout, usesMetadata: use == GST_HDR_METADATA_USE_AUTO)
        {
            dynamics = nil
            throw HDRCompositor.Unavailable(description: "A picture cannot be composed: \(problem.description)")
        }
        guard use == GST_HDR_METADATA_USE_AUTO else {
            dynamics = nil
            return
        }
        // A profile 5 base layer whose RPU was lost uses that of the picture before, since it cannot be shown without
        // one.
        if next == nil, dynamics?.needsReshaping == true { return }
        dynamics = next
    }

    /// Whether the base layer is reshaped to the picture. Profiles 7 and 8 are left as they are on a canvas of the base
    /// layer's transfer function.
    func reshapes(_ signal: VideoSignal, onto transfer: Transfer) -> Bool {
        guard let dynamics, dynamics.reshaping != nil, Reshaper.takes(signal.layout) else { return false }
        return dynamics.needsReshaping || signal.color.transfer != transfer
    }

    /// The light by which a picture's tones are mapped: that of its metadata, or else the measured light of its scene.
    func tones(
        of pad: GstHdrCompositorLayer, _ frame: UnsafeMutablePointer<GstVideoFrame>, _ layout: DefaultLayout,
        _ step: ToneStep, _ canvas: HDRCompositor.Canvas
    ) -> ToneStep.Tones {
        if let light = dynamics?.light?.planned(step.fixed, takesCurve: true) {
            detection = nil
            return ToneStep.Tones(scene: light.scene, curve: light.curve)
        }
        guard pad.settings.peak_detection == GST_HDR_PEAK_DETECTION_AUTO, !step.reshapes,
            SceneDetection.serves(step.fixed, declared: step.declaredPeak), let buffer = frame.pointee.buffer
        else {
            detection = nil
            return ToneStep.Tones()
        }
        let source = SceneDetection.Source(step.source, for: step.fixed)
        // Pictures that arrive faster than the canvas's rate are not all measured, so the longer interval counts.
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

    /// Forgets metadata and scene after a seek: later pictures have no relation to earlier ones.
    func reset() {
        detection?.reset()
        measured = nil
        dynamics = nil
    }
}

/// Identifies a picture without holding a reference to it.
private struct PictureName: Equatable {
    let buffer: UnsafeMutablePointer<GstBuffer>
    let time: UInt64

    init(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        self.buffer = buffer
        time = UInt64(buffer.pointee.pts)
    }
}
