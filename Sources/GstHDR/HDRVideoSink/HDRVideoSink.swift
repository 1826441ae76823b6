import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// The Swift half of the element `hdrvideosink`: a bin that contains, from READY on, the sink that suits the display,
/// and before a sink without HDR the elements that convert HDR to SDR.
final class HDRVideoSink: ElementObject, @unchecked Sendable {
    static var errorCode: MessageCode { .resource(GST_RESOURCE_ERROR_OPEN_WRITE) }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstHdrVideoSink>
    let log: Log
    let settings = Locked(Settings())
    /// The elements in the bin; `nil` below READY.
    let inside = Locked<Inside?>(nil)
    /// The messages of the sink that is being tried; `nil` while none is.
    let trial = Locked<Trial?>(nil)
    /// The inner sink whose list of colour balance channels an application may still be reading.
    let lastListed = Locked<OwnedElement?>(nil)

    init(element: UnsafeMutablePointer<GstHdrVideoSink>) {
        self.element = element
        log = Log(category: gst_hdr_video_sink_debug_category(), object: UnsafeMutableRawPointer(element))
    }

    var bin: UnsafeMutablePointer<GstBin> { element.asGstBin }

    /// The inner sink. The reference keeps it alive, whatever the state becomes.
    var sink: OwnedElement? { inside.withLock { $0?.sink } }
}

/// A reference to an element.
final class OwnedElement: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstElement>

    /// - Parameter element: gets another reference; a floating reference becomes this object's.
    init(_ element: UnsafeMutablePointer<GstElement>) {
        gst_object_ref_sink(element)
        pointer = element
    }

    deinit { gst_object_unref(pointer) }

    /// Calls `body` with the element while this reference is held: `pointer` alone does not keep it alive, and another
    /// thread may drop the last other reference.
    func use<Result>(_ body: (UnsafeMutablePointer<GstElement>) -> Result) -> Result {
        withExtendedLifetime(self) { body(pointer) }
    }

    /// Calls `body` with the element as one of its interfaces; `nil` where it does not implement it.
    private func interface<Result>(_ type: GType, _ body: (OpaquePointer) -> Result) -> Result? {
        use { pointer in
            let instance = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GTypeInstance.self)
            return g_type_check_instance_is_a(instance, type) != 0 ? body(OpaquePointer(pointer)) : nil
        }
    }

    @discardableResult func overlay<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        interface(gst_video_overlay_get_type(), body)
    }
    func navigation<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        interface(gst_navigation_get_type(), body)
    }
    func balance<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        interface(gst_color_balance_get_type(), body)
    }

    /// The name of the factory that made it.
    var factoryName: String {
        guard let factory = gst_element_get_factory(pointer) else { return "" }
        return SinkFactories.name(factory)
    }
}

// MARK: - The contract header's functions

@c @implementation
func hdr_video_sink_new(_ element: UnsafeMutablePointer<GstHdrVideoSink>!) -> gpointer! {
    HDRVideoSink(element: element).impl
}

@c @implementation
func hdr_video_sink_free(_ impl: gpointer!) { HDRVideoSink.free(impl) }

@c @implementation
func hdr_video_sink_set_property(
    _ impl: gpointer!, _ property: UnsafeMutablePointer<GParamSpec>!, _ value: UnsafePointer<GValue>!
) {
    HDRVideoSink.with(impl) { $0.setProperty(property, value) }
}

@c @implementation
func hdr_video_sink_get_property(
    _ impl: gpointer!, _ property: UnsafeMutablePointer<GParamSpec>!, _ value: UnsafeMutablePointer<GValue>!
) {
    HDRVideoSink.with(impl) { $0.getProperty(property, value) }
}

@c @implementation
func hdr_video_sink_open(_ impl: gpointer!) -> gboolean { HDRVideoSink.with(impl) { $0.open() } ? 1 : 0 }

@c @implementation
func hdr_video_sink_close(_ impl: gpointer!) { HDRVideoSink.with(impl) { $0.close() } }

@c @implementation
func hdr_video_sink_explain(
    _ impl: gpointer!, _ message: UnsafeMutablePointer<GstMessage>!
) -> UnsafeMutablePointer<GstMessage>! {
    HDRVideoSink.with(impl) { $0.explain(message) }
}

@c @implementation
func hdr_video_sink_set_window_handle(_ impl: gpointer!, _ handle: guintptr) {
    HDRVideoSink.with(impl) { $0.setWindowHandle(handle) }
}

@c @implementation
func hdr_video_sink_expose(_ impl: gpointer!) {
    HDRVideoSink.with(impl) { sink in
        sink.sink?.overlay { gst_video_overlay_expose($0) }
    }
}

@c @implementation
func hdr_video_sink_handle_events(_ impl: gpointer!, _ handle: gboolean) {
    HDRVideoSink.with(impl) { $0.setHandlesEvents(handle != 0) }
}

@c @implementation
func hdr_video_sink_set_render_rectangle(_ impl: gpointer!, _ x: gint, _ y: gint, _ width: gint, _ height: gint) {
    HDRVideoSink.with(impl) { $0.setRenderRectangle(x, y, width, height) }
}

@c @implementation
func hdr_video_sink_send_navigation(_ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!) {
    HDRVideoSink.with(impl) { $0.sendNavigation(event) }
}

@c @implementation
func hdr_video_sink_list_channels(_ impl: gpointer!) -> UnsafePointer<GList>! {
    HDRVideoSink.with(impl) { sink in
        let owner = sink.sink
        // The list belongs to the inner sink, and the application reads it after this call.
        sink.lastListed.withLock { $0 = owner }
        return owner?.balance { gst_color_balance_list_channels($0) } ?? nil
    }
}

@c @implementation
func hdr_video_sink_set_balance(
    _ impl: gpointer!, _ channel: UnsafeMutablePointer<GstColorBalanceChannel>!, _ value: gint
) {
    HDRVideoSink.with(impl) { sink in sink.sink?.balance { gst_color_balance_set_value($0, channel, value) } ?? () }
}

@c @implementation
func hdr_video_sink_get_balance(
    _ impl: gpointer!, _ channel: UnsafeMutablePointer<GstColorBalanceChannel>!
) -> gint {
    HDRVideoSink.with(impl) { sink in sink.sink?.balance { gst_color_balance_get_value($0, channel) } ?? 0 }
}

@c @implementation
func hdr_video_sink_get_balance_type(_ impl: gpointer!) -> GstColorBalanceType {
    HDRVideoSink.with(impl) { sink in
        sink.sink?.balance { gst_color_balance_get_balance_type($0) } ?? GST_COLOR_BALANCE_HARDWARE
    }
}
