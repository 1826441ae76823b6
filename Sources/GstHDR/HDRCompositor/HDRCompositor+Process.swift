import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRKernels

/// Composes each picture.
extension HDRCompositor {
    func compose(_ output: UnsafeMutablePointer<GstBuffer>, _ layers: Layers) -> GstFlowReturn {
        guard let canvas else {
            error("A picture is to be composed before there are caps")
            return GST_FLOW_NOT_NEGOTIATED
        }
        let settings = settings.current
        let background = settings.canvasBackground
        forgetPads(but: layers)
        let shown = shownLayers(of: layers, on: canvas, settings)
        var pictures = shown.map(\.picture)
        // On black or transparent ground, adding equals drawing over, which may be a copy.
        if background == .black || background == .transparent, let lowest = pictures.first, lowest.blend == .add {
            pictures[0] = lowest.blended(.over)
        }
        let isCopy = !shown.contains(where: \.changesLight) && canvas.composer.isCopy(of: pictures, on: background)
        let covered = pictures.reduce(PixelRect(x: 0, y: 0, width: 0, height: 0)) { $0.union($1.place) }
        describe(output, shown.map(\.layer), canvas, covered: isCopy ? nil : covered)
        let space = settings.blendSpace == GST_HDR_COMPOSITOR_BLEND_SPACE_SIGNAL ? canvas.signalSpace : .linear
        return write(output, canvas) { (view) throws(CanvasComposer.Failure) in
            try canvas.composer.compose(
                pictures, on: background, in: space, into: view, kernel: settings.kernel,
                canvas.pool.forEachSlice(of:_:))
        }
    }

    /// A pad whose picture shows.
    private struct ShownLayer {
        let layer: GstHdrCompositorLayer
        let picture: CanvasLayer
        /// Whether the picture's light differs on the canvas from that of the source.
        let changesLight: Bool
    }

    /// The pads whose pictures show, from the lowest up. Pictures outside of the canvas, and those below one that hides
    /// the whole canvas, are not converted.
    private func shownLayers(of layers: Layers, on canvas: Canvas, _ settings: Settings) -> [ShownLayer] {
        let whole = PixelRect(x: 0, y: 0, width: canvas.signal.width, height: canvas.signal.height)
        var shown: [ShownLayer] = []
        var isHidden = false
        for layer in layers.reversed() {
            readMap(of: layer)
            guard let frame = layer.frame, let buffer = frame.pointee.buffer, !Settings.isHidden(layer.settings) else {
                continue
            }
            let scene = scene(of: layer)
            let (orientation, part, place) = geometry(of: layer, on: canvas.info, settings)
            if isHidden || place.cut(toWidth: whole.width, height: whole.height).isEmpty {
                // Its scene may have ended when it is seen again.
                scene.reset()
                continue
            }
            do throws(Unavailable) {
                try scene.read(buffer, of: layer)
                let source = try source(of: layer, scene, canvas)
                let picture = source.layer(
                    of: layer, frame, scene, canvas, orientation: orientation, part: part, place: place,
                    blend: settings.blendOperator(layer.settings), wipe: wipe(of: layer, place, canvas))
                guard let picture else {
                    throw Unavailable(description: WrongBuffer.message("A picture differs from its caps"))
                }
                shown.append(ShownLayer(layer: layer, picture: picture, changesLight: source.changesLight))
                isHidden = picture.covers(whole)
            } catch {
                guard let pad = layer.pad, reported.insert(pad).inserted else { continue }
                warning(error.description)
            }
        }
        return shown.reversed()
    }

    /// How a pad's picture is turned, the part of it that is shown, and its place on a canvas.
    func geometry(
        of layer: GstHdrCompositorLayer, on canvas: GstVideoInfo, _ settings: Settings
    ) -> (orientation: LayerOrientation, part: PixelRect, place: PixelRect) {
        let placement = settings.placement(layer.settings)
        let orientation = Settings.orientation(layer.settings)
        let size = orientation.size(Int(layer.info.width), Int(layer.info.height))
        let part = placement.visiblePart(ofWidth: size.width, height: size.height)
        let pixels = Self.pixels(layer.info, isTransposed: orientation.isTransposed)
        return (orientation, part, placement.place(part, pixels: pixels.beside(Self.pixels(canvas))))
    }

    private func write(
        _ output: UnsafeMutablePointer<GstBuffer>, _ canvas: Canvas,
        _ body: (FrameView) throws(CanvasComposer.Failure) -> Void
    ) -> GstFlowReturn {
        var frame = GstVideoFrame()
        var info = canvas.info
        let flags = GstMapFlags(GST_MAP_WRITE.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_video_frame_map(&frame, &info, output, flags) != 0 else {
            error("Out of memory for a picture of \(canvas.signal.width)x\(canvas.signal.height) pixels")
            return GST_FLOW_ERROR
        }
        defer { gst_video_frame_unmap(&frame) }
        let size = (canvas.signal.width, canvas.signal.height)
        guard let view = FrameView(&frame, size, canvas.signal.layout, canvas.layout, isWritten: true) else {
            error("A buffer of downstream's is smaller than a picture of the caps")
            return GST_FLOW_ERROR
        }
        canvas.layout.clearPadding(&frame, canvas.signal.layout)
        do throws(CanvasComposer.Failure) {
            try body(view)
        } catch {
            self.error("Out of memory for the light of a picture: scale large pictures down before this element")
            return GST_FLOW_ERROR
        }
        return GST_FLOW_OK
    }

    private func forgetPads(but layers: Layers) {
        let interrupted = interruptedPads.withLock { pads in
            defer { pads = [] }
            return pads
        }
        for pad in interrupted { UnsafeRawPointer(bitPattern: pad).flatMap { scenes[$0] }?.reset() }
        guard max(sources.count, scenes.count, wipes.count) > layers.count else { return }
        let present = Set(layers.compactMap(\.pad))
        wipes = wipes.filter { present.contains($0.key) }
        sources = sources.filter { present.contains($0.key) }
        scenes = scenes.filter { present.contains($0.key) }
        reported.formIntersection(present)
    }

    private func scene(of layer: GstHdrCompositorLayer) -> PadScene {
        guard let pad = layer.pad else { return PadScene() }
        if let known = scenes[pad] { return known }
        let made = PadScene()
        scenes[pad] = made
        return made
    }

    static func pixels(_ info: GstVideoInfo, isTransposed: Bool = false) -> PixelShape {
        let shape = PixelShape(info.par_n, info.par_d)
        return isTransposed ? shape.transposed : shape
    }
}
