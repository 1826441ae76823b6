import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRKernels

/// Composes each picture with an application's compositor. All of it runs on the aggregator's thread.
extension HDRCompositor {
    /// The aggregator thread's state for the picture that is being composed.
    struct CustomPicture {
        /// The frame that takes the place of the aggregator's buffer; owned.
        var frame: UnsafeMutablePointer<GstBuffer>?
        var isLeftOut = false
    }

    /// The result of composing a picture.
    private enum Outcome {
        case done(GstFlowReturn)
        /// The compositor was replaced, so the picture is composed again by the new one.
        case again
    }

    var isCustom: Bool {
        custom.withLock { $0.attached != nil } || gst_hdr_compositor_has_compose_handler(element) != 0
    }

    /// Composes a picture, with the application's compositor if there is one.
    func composeAny(_ output: UnsafeMutablePointer<GstBuffer>, _ layers: Layers) -> GstFlowReturn {
        dropPicture()
        while true {
            guard let compositor = acquire() else { return composeItself(output, layers) }
            let outcome = compose(output, layers, compositor)
            release(compositor, onStreamingThread: true)
            if case .done(let flow) = outcome { return flow }
        }
    }

    /// The picture that was composed last, with the times of the aggregator's buffer, which it replaces and which is
    /// taken over.
    func finishedPicture(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
        let made = picture
        picture = CustomPicture()
        guard made.frame != nil || made.isLeftOut else { return buffer }
        defer { gst_buffer_unref(buffer) }
        guard let frame = made.frame?.writable() else { return nil }
        frame.pointee.pts = buffer.pointee.pts
        frame.pointee.dts = GstClockTime.max
        frame.pointee.duration = buffer.pointee.duration
        // Discontinuity flags of a source's buffer describe its own stream, not the canvas's.
        frame.update(clear: GST_BUFFER_FLAG_DISCONT.rawValue | GST_BUFFER_FLAG_RESYNC.rawValue)
        return frame
    }

    /// Drops a composed picture that was not pushed.
    func dropPicture() {
        if let frame = picture.frame { gst_buffer_unref(frame) }
        picture = CustomPicture()
    }

    /// Composes a picture with the element's own blending.
    private func composeItself(_ output: UnsafeMutablePointer<GstBuffer>, _ layers: Layers) -> GstFlowReturn {
        // The aggregator's buffer has memory for a picture, unless a compositor was attached when it was allocated.
        if gst_buffer_get_size(output) > 0 { return compose(output, layers) }
        guard let canvas, let caps = canvasCaps else {
            error("A picture is to be composed before there are caps")
            return GST_FLOW_NOT_NEGOTIATED
        }
        if ownFrames == nil { ownFrames = FrameMemory(caps.pointer, bytes: Int(canvas.info.size)) }
        guard let made = ownFrames?.make() else {
            error("Out of memory for a picture of \(canvas.signal.width)x\(canvas.signal.height) pixels")
            return GST_FLOW_ERROR
        }
        picture.frame = made
        return compose(made, layers)
    }

    // MARK: Requests

    private func compose(
        _ output: UnsafeMutablePointer<GstBuffer>, _ layers: Layers, _ compositor: CustomCompositor
    ) -> Outcome {
        guard let canvas, let caps = canvasCaps else {
            error("A picture is to be composed before there are caps")
            return .done(GST_FLOW_NOT_NEGOTIATED)
        }
        let segment = segment
        let pts = ClockTime.known(output.pointee.pts)
        let streamTime = pts.flatMap { ClockTime.streamTime(segment, $0) }
        var instruction: CompositionInstruction?
        switch direction(at: streamTime) {
        case .free: break
        case .builtIn: return .done(composeItself(output, layers))
        case .instructed(let found):
            instruction = found
            if let name = found.passthrough { return .done(pass(output, layers, canvas) { $0 == name }) }
        }
        do throws(Unavailable) {
            let context = try context(compositor, canvas, caps)
            let sources = try sources(compositor, layers, instruction?.requiredSources)
            let request = CompositionRequest(
                context, sources, instruction, streamTime: streamTime,
                runningTime: pts.flatMap { ClockTime.runningTime(segment, $0) },
                duration: ClockTime.known(output.pointee.duration))
            return answer(request, compositor, output, layers, canvas)
        } catch {
            self.error(error.description)
            return .done(GST_FLOW_ERROR)
        }
    }

    private func answer(
        _ request: CompositionRequest, _ compositor: CustomCompositor, _ output: UnsafeMutablePointer<GstBuffer>,
        _ layers: Layers, _ canvas: Canvas
    ) -> Outcome {
        guard begin(request, compositor) else { return interrupted(compositor) }
        compositor.start(request)
        request.hasStarted()
        let answer = request.wait(timeout: settings.current.requestTimeout)
        endRequest()
        switch answer {
        case .frame(let frame):
            guard let coded = request.context.coded(frame) else {
                error("Out of memory for a picture of \(canvas.signal.width)x\(canvas.signal.height) pixels")
                return .done(GST_FLOW_ERROR)
            }
            picture.frame = coded
            return .done(GST_FLOW_OK)
        case .source(let index):
            let name = request.sources[index].name
            return .done(pass(output, layers, canvas) { $0 == name })
        case .builtIn: return .done(composeItself(output, layers))
        case .failed(let text):
            error(text, .stream(GST_STREAM_ERROR_FAILED))
            return .done(GST_FLOW_ERROR)
        case .leftOut:
            picture.isLeftOut = true
            return .done(GST_FLOW_OK)
        case .cancelled: return interrupted(compositor)
        }
    }

    /// The outcome of a cancelled request: another request where the compositor was replaced; otherwise the aggregator
    /// tries again once it has pictures.
    private func interrupted(_ compositor: CustomCompositor) -> Outcome {
        isCurrent(compositor) ? .done(GST_HDR_COMPOSITOR_FLOW_AGAIN) : .again
    }

    private var segment: GstSegment {
        let pad = UnsafeMutableRawPointer(element.pointee.parent.aggregator.srcpad)
        return pad?.assumingMemoryBound(to: GstAggregatorPad.self).pointee.segment ?? GstSegment()
    }

    // MARK: The canvas and the sources

    private func context(
        _ compositor: CustomCompositor, _ canvas: Canvas, _ caps: OwnedCaps
    ) throws(Unavailable) -> RenderContext {
        if let known = compositor.context, known.isOf(caps.pointer) { return known }
        let made = try RenderContext(canvas, caps, compositor.frameLight)
        compositor.context = made
        compositor.contextChanged(made)
        return made
    }

    private func sources(
        _ compositor: CustomCompositor, _ layers: Layers, _ required: Set<String>?
    ) throws(Unavailable) -> [CompositionSource] {
        if compositor.conversions.count > layers.count {
            let present = Set(layers.compactMap(\.pad))
            compositor.conversions = compositor.conversions.filter { present.contains($0.key) }
        }
        var sources: [CompositionSource] = []
        for layer in layers {
            guard let pad = layer.pad, layer.frame?.pointee.buffer != nil else { continue }
            let name = Self.name(of: pad)
            if let required, !required.contains(name) { continue }
            sources.append(try source(compositor, layer, pad, name))
        }
        return sources
    }

    private func source(
        _ compositor: CustomCompositor, _ layer: GstHdrCompositorLayer, _ pad: UnsafeRawPointer, _ name: String
    ) throws(Unavailable) -> CompositionSource {
        guard let sample = Self.sample(layer) else {
            throw Unavailable(description: "A picture of \(name) has no caps")
        }
        defer { gst_sample_unref(sample) }
        let request = compositor.sources
        let conversion: SourceConversion
        if let known = compositor.conversions[pad], known.makes(request) {
            conversion = known
        } else {
            conversion = SourceConversion(request)
            compositor.conversions[pad] = conversion
        }
        do throws(FrameConversion.Impossible) {
            let made = try conversion.convert(sample)
            let pointer = UnsafeMutableRawPointer(mutating: pad).assumingMemoryBound(to: GstPad.self)
            guard let source = CompositionSource(pointer, name, made, request) else {
                throw FrameConversion.Impossible(
                    description: WrongBuffer.message("A picture of \(name) differs from its caps"))
            }
            return source
        } catch {
            throw Unavailable(description: "A custom compositor cannot have a source: \(error.description)")
        }
    }

    /// The picture of a layer, with the caps that belong to it; the caller owns it.
    private static func sample(_ layer: GstHdrCompositorLayer) -> OpaquePointer? {
        guard let buffer = layer.frame?.pointee.buffer else { return nil }
        var info = layer.info
        // The pad may already have the caps of later pictures.
        if let caps = layer.caps {
            var current = GstVideoInfo()
            if gst_video_info_from_caps(&current, caps) != 0, gst_video_info_is_equal(&current, &info) != 0 {
                return gst_sample_new(buffer, caps, nil, nil)
            }
        }
        guard let caps = gst_video_info_to_caps(&info) else { return nil }
        defer { gst_caps_unref(caps) }
        return gst_sample_new(buffer, caps, nil, nil)
    }

    private static func name(of pad: UnsafeRawPointer) -> String {
        let object = UnsafeMutableRawPointer(mutating: pad).assumingMemoryBound(to: GstObject.self)
        guard let name = gst_object_get_name(object) else { return "" }
        defer { g_free(name) }
        return String(cString: name)
    }

    // MARK: One source untouched

    /// Uses the picture of one pad as the canvas: without a copy where it has the canvas's format, size and colour.
    private func pass(
        _ output: UnsafeMutablePointer<GstBuffer>, _ layers: Layers, _ canvas: Canvas, _ isIt: (String) -> Bool
    ) -> GstFlowReturn {
        guard let index = layers.firstIndex(where: { $0.pad.map { isIt(Self.name(of: $0)) } == true }) else {
            return composeItself(output, Layers(rebasing: layers[0..<0]))
        }
        let layer = layers[index]
        if let buffer = layer.frame?.pointee.buffer, let signal = try? VideoSignal(layer.info),
            signal == canvas.signal, layer.info.par_n == canvas.info.par_n, layer.info.par_d == canvas.info.par_d,
            layer.info.interlace_mode == canvas.info.interlace_mode
        {
            picture.frame = gst_buffer_ref(buffer)
            return GST_FLOW_OK
        }
        return composeItself(output, Layers(rebasing: layers[index...index]))
    }
}
