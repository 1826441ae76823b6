import CGStreamer
import CGstHDR
import GstBridge

/// The Swift half of an element inside the bin, with one sink and one source pad. Subclasses override what they change.
class BinFilter: ElementObject, @unchecked Sendable {
    static var errorCode: MessageCode { .stream() }

    private var attached: UnsafeMutablePointer<GstHdrBinFilter>!
    /// The element that owns this object; never retained. It is set before any function is called.
    var element: UnsafeMutablePointer<GstHdrBinFilter> { attached }

    fileprivate func attach(_ element: UnsafeMutablePointer<GstHdrBinFilter>) { attached = element }

    /// Handles a buffer on the streaming thread, and takes it over.
    func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn { push(buffer) }
    /// Handles a downstream event, and takes it over.
    func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool { push(event) }
    /// Answers a query from upstream; `false` for the default handling.
    func query(_ query: UnsafeMutablePointer<GstQuery>) -> Bool { false }
    /// Answers a query from downstream; `false` for the default handling.
    func sourceQuery(_ query: UnsafeMutablePointer<GstQuery>) -> Bool { false }
    /// Whether an upstream event is dropped.
    func dropsUpstream(_ event: UnsafeMutablePointer<GstEvent>) -> Bool { false }
    /// Takes over an upstream event that is not dropped, and returns the one that goes on in its place.
    func upstream(_ event: UnsafeMutablePointer<GstEvent>) -> UnsafeMutablePointer<GstEvent> { event }
    func stop() {}

    final func push(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        gst_pad_push(element.pointee.srcpad, buffer)
    }

    @discardableResult
    final func push(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        gst_pad_push_event(element.pointee.srcpad, event) != 0
    }

    /// Pushes a caps event, which it takes over, without a field.
    final func pushCaps(_ event: UnsafeMutablePointer<GstEvent>, without field: String) -> Bool {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        guard let caps, let structure = gst_caps_get_structure(caps, 0), gst_structure_has_field(structure, field) != 0,
            let copy = gst_caps_copy(caps)
        else { return push(event) }
        Caps.removeField(copy, field)
        gst_mini_object_unref(event.asMiniObject)
        defer { gst_caps_unref(copy) }
        return gst_event_new_caps(copy).map(push) ?? false
    }

    /// A new element with this object, floating.
    static func make(_ name: String, _ filter: BinFilter) -> UnsafeMutablePointer<GstElement>? {
        gst_hdr_bin_filter_new(name, filter.impl)?.asGstElement
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// Reads the buffer's bytes; `nil` where it cannot be mapped.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        var map = GstMapInfo()
        guard gst_buffer_map(self, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(self, &map) }
        return try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
    }

    /// A buffer of these bytes with this one's times, flags and metas.
    func replaced(by bytes: [UInt8]) -> UnsafeMutablePointer<GstBuffer>? {
        guard let result = UnsafeMutablePointer<GstBuffer>(bytes) else { return nil }
        let flags = GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_META.rawValue
        gst_buffer_copy_into(result, self, GstBufferCopyFlags(flags), 0, gsize.max)
        return result
    }

    init?(_ bytes: [UInt8]) {
        guard let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else { return nil }
        bytes.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize($0.count)) }
        self = buffer
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_bin_filter_attach(_ impl: gpointer!, _ element: UnsafeMutablePointer<GstHdrBinFilter>!) {
    BinFilter.with(impl) { $0.attach(element) }
}

@c @implementation
func hdr_bin_filter_free(_ impl: gpointer!) {
    BinFilter.free(impl)
}

@c @implementation
func hdr_bin_filter_chain(_ impl: gpointer!, _ buffer: UnsafeMutablePointer<GstBuffer>!) -> GstFlowReturn {
    BinFilter.with(impl) { $0.chain(buffer) }
}

@c @implementation
func hdr_bin_filter_event(_ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!) -> gboolean {
    BinFilter.with(impl) { $0.event(event) } ? 1 : 0
}

@c @implementation
func hdr_bin_filter_query(_ impl: gpointer!, _ query: UnsafeMutablePointer<GstQuery>!) -> gboolean {
    BinFilter.with(impl) { $0.query(query) } ? 1 : 0
}

@c @implementation
func hdr_bin_filter_source_query(_ impl: gpointer!, _ query: UnsafeMutablePointer<GstQuery>!) -> gboolean {
    BinFilter.with(impl) { $0.sourceQuery(query) } ? 1 : 0
}

@c @implementation
func hdr_bin_filter_drops_upstream(_ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!) -> gboolean {
    BinFilter.with(impl) { $0.dropsUpstream(event) } ? 1 : 0
}

@c @implementation
func hdr_bin_filter_upstream(
    _ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!
) -> UnsafeMutablePointer<GstEvent>! {
    BinFilter.with(impl) { $0.upstream(event) }
}

@c @implementation
func hdr_bin_filter_stop(_ impl: gpointer!) {
    BinFilter.with(impl) { $0.stop() }
}
