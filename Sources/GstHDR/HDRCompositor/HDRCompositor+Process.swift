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
        var shown: [CanvasLayer] = []
        var changesLight = false
        var covered = PixelRect(x: 0, y: 0, width: 0, height: 0)
        for layer in layers {
            guard let frame = layer.frame, let buffer = frame.pointee.buffer, !Settings.isHidden(layer.settings) else {
                continue
            }
            let placement = settings.placement(layer.settings)
            do throws(Unavailable) {
                let scene = scene(of: layer)
                try scene.read(buffer, of: layer)
                let source = try source(of: layer, scene, canvas)
                let orientation = Settings.orientation(layer.settings)
                let size = orientation.size(source.signal.width, source.signal.height)
                let part = placement.visiblePart(ofWidth: size.width, height: size.height)
                let pixels = Self.pixels(layer.info, isTransposed: orientation.isTransposed)
                let place = placement.place(part, pixels: pixels.beside(Self.pixels(canvas.info)))
                // On black or transparent ground, adding equals drawing over, which may be a copy.
                let isLowest = shown.isEmpty && (background == .black || background == .transparent)
                let blend = settings.blendOperator(layer.settings)
                let made = source.layer(
                    of: layer, frame, scene, canvas, orientation: orientation, part: part, place: place,
                    blend: isLowest && blend == .add ? .over : blend, wipe: wipe(of: layer, place, canvas))
                guard let made else {
                    throw Unavailable(description: WrongBuffer.message("A picture differs from its caps"))
                }
                shown.append(made)
                changesLight = changesLight || source.changesLight
                covered = covered.union(place)
            } catch {
                guard let pad = layer.pad, reported.insert(pad).inserted else { continue }
                warning(error.description)
            }
        }
        let isCopy = !changesLight && canvas.composer.isCopy(of: shown, on: background)
        describe(output, layers, canvas, covered: isCopy ? nil : covered)
        let space = settings.blendSpace == GST_HDR_COMPOSITOR_BLEND_SPACE_SIGNAL ? canvas.signalSpace : .linear
        return write(output, canvas) { (view) throws(CanvasComposer.Failure) in
            try canvas.composer.compose(
                shown, on: background, in: space, into: view, kernel: settings.kernel, canvas.pool.forEachSlice(of:_:))
        }
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
