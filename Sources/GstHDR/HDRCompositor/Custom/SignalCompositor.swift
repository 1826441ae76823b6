import CGStreamer
import CGstHDR
import GstBridge

/// The signals render-context-changed and compose, for applications in Python and other languages. A picture is
/// composed within the signal; where a handler returns none, the element composes it.
final class SignalCompositor: CustomCompositor, @unchecked Sendable {
    private let element: UnsafeMutablePointer<GstHdrCompositor>
    /// The form of pictures that the property `compose-sources` selects; aggregator's thread only.
    var taken = SourceRequest()

    /// - Parameter element: outlives this object.
    init(_ element: UnsafeMutablePointer<GstHdrCompositor>) { self.element = element }

    override var sources: SourceRequest { taken }

    override func contextChanged(_ context: RenderContext) {
        gst_hdr_compositor_emit_render_context_changed(element, context.caps)
    }

    override func start(_ request: CompositionRequest) {
        guard let structure = request.structure() else {
            request.answer(.builtIn)
            return
        }
        defer { gst_structure_free(structure) }
        guard let frame = gst_hdr_compositor_emit_compose(element, structure) else {
            request.answer(.builtIn)
            return
        }
        request.finish(frame)
    }
}

extension CompositionRequest {
    /// The structure that the signal `compose` passes; the caller owns it.
    fileprivate func structure() -> Structure.Pointer? {
        guard let structure = Structure.make("composition-request") else { return nil }
        for (name, time) in [("stream-time", streamTime), ("running-time", runningTime), ("duration", duration)] {
            Structure.set(structure, name, .uint64(time ?? UInt64(GstClockTime.max)))
        }
        Structure.take(structure, "caps", gst_caps_get_type()) { gst_value_set_caps($0, context.caps) }
        if let instruction { Structure.set(structure, "instruction", .structure(gst_structure_copy(instruction))) }
        for source in sources {
            Structure.take(structure, source.name, gst_sample_get_type()) {
                g_value_set_boxed($0, UnsafeRawPointer(source.sample))
            }
        }
        Structure.take(structure, "sources", g_strv_get_type()) { value in
            let names = UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>.allocate(capacity: sources.count + 1)
            defer { names.deallocate() }
            for (index, source) in sources.enumerated() { (names + index).initialize(to: g_strdup(source.name)) }
            (names + sources.count).initialize(to: nil)
            g_value_set_boxed(value, names)
            for index in sources.indices { g_free(names[index]) }
        }
        return structure
    }
}
