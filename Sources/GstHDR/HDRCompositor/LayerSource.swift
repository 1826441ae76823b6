import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRKernels

/// The way of a pad's pictures to the canvas's light.
final class LayerSource {
    let signal: VideoSignal
    /// Of the metadata, in cd/m².
    let declaredPeak: Double?
    /// Of SDR on a canvas in HDR.
    let expansion: ToneCurve
    /// Whether pictures are made of Dolby Vision's base layer.
    let reshapes: Bool
    private let layout: DefaultLayout
    /// Maps tones where the canvas cannot hold the source's light, where SDR is expanded, and where pictures are
    /// reshaped.
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
        // Mixed as signals too, pictures need to be of the canvas's primaries.
        let converter = HDRCompositor.light(
            mapping?.signal ?? signal, in: canvas.signal.color.primaries, threads: canvas.pool.threads,
            isExact: canvas.isDeep)
        guard let converter else {
            throw HDRCompositor.Unavailable(
                description: "There is no linear light of pictures of \(signal.formatName)")
        }
        self.converter = converter
    }

    /// Whether pictures have other light on the canvas than their own.
    var changesLight: Bool { mapping != nil }

    /// A layer of a pad's picture; `nil` where it differs from its caps. It lives until the next call.
    func layer(
        of pad: GstHdrCompositorLayer, _ frame: UnsafeMutablePointer<GstVideoFrame>, _ scene: PadScene,
        _ canvas: HDRCompositor.Canvas, orientation: LayerOrientation, part: PixelRect, place: PixelRect,
        blend: BlendOperator, wipe: LayerWipe?
    ) -> CanvasLayer? {
        guard var view = FrameView(frame, (signal.width, signal.height), signal.layout, layout) else { return nil }
        if let mapping {
            let tones = scene.tones(of: pad, frame, layout, mapping, canvas)
            guard let mapped = mapping.convert(view, tones, scene.dynamics?.reshaping, canvas.pool) else { return nil }
            view = mapped
        }
        return CanvasLayer(
            frame: view, converter: converter, orientation: orientation, part: part, place: place, blend: blend,
            opacity: pad.settings.alpha, wipe: wipe)
    }
}
