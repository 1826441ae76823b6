import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRKernels

/// Converts a pad's pictures to the canvas's light.
final class LayerSource {
    let signal: VideoSignal
    /// The peak that the source's metadata state, in cd/m²; `nil` where they state none.
    let declaredPeak: Double?
    /// The inverse tone mapping for SDR pictures on an HDR canvas.
    let expansion: ToneCurve
    /// Whether base layers of Dolby Vision are reshaped.
    let reshapes: Bool
    private let layout: DefaultLayout
    /// Maps tones where the canvas cannot represent the source's light, where SDR is expanded, and where base layers
    /// are reshaped.
    private let mapping: ToneStep?
    private let converter: LinearLightConverter

    init(
        _ signal: VideoSignal, _ layout: DefaultLayout, _ peak: Double?, _ expansion: ToneCurve, reshapes: Bool,
        _ canvas: HDRCompositor.Canvas
    ) throws(HDRCompositor.Unavailable) {
        self.signal = signal
        self.layout = layout
        declaredPeak = peak
        self.expansion = expansion
        self.reshapes = reshapes
        mapping = ToneStep(signal, peak, expansion, reshapes: reshapes, canvas)
        // Mixing code values also requires the canvas's primaries.
        let converter = HDRCompositor.light(
            mapping?.signal ?? signal, in: canvas.signal.color.primaries, threads: canvas.pool.threads,
            isExact: canvas.isDeep)
        guard let converter else {
            throw HDRCompositor.Unavailable(
                description: "There is no linear light of pictures of \(signal.formatName)")
        }
        self.converter = converter
    }

    /// Whether the pictures' light differs on the canvas from that of the source.
    var changesLight: Bool { mapping != nil }

    /// The layer of a pad's picture, valid until the next call; `nil` where the picture differs from its caps.
    func layer(
        of pad: GstHdrCompositorLayer, _ frame: UnsafeMutablePointer<GstVideoFrame>, _ scene: PadScene,
        _ canvas: HDRCompositor.Canvas, orientation: LayerOrientation, part: PixelRect, place: PixelRect,
        blend: BlendOperator, wipe: LayerWipe?
    ) -> CanvasLayer? {
        guard var view = FrameView(frame, (signal.width, signal.height), signal.layout, layout) else { return nil }
        if let mapping {
            var tones = scene.tones(of: pad, frame, layout, mapping, canvas)
            tones.recoversContrast = pad.settings.peak_detection == GST_HDR_PEAK_DETECTION_AUTO
            guard let mapped = mapping.convert(view, tones, scene.dynamics?.reshaping, canvas.pool) else { return nil }
            view = mapped
        }
        // With the operator source, opacity can only become the canvas's alpha. A canvas without alpha ignores it, as
        // in GStreamer's `compositor`.
        let isReplaced = blend == .source && !canvas.signal.layout.hasAlpha
        return CanvasLayer(
            frame: view, converter: converter, orientation: orientation, part: part, place: place, blend: blend,
            opacity: isReplaced ? 1 : pad.settings.alpha, wipe: wipe)
    }
}
