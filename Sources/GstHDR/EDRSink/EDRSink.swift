import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRPresenter

/// The Swift half of the element `edrsink`.
///
/// Three kinds of threads meet here: the streaming thread, the display's own, and the application's. The user's
/// settings and what is known of the display live behind locks of their own, and the pictures behind the painter's
/// lock, which is held from a picture's conversion until it is handed to the display.
final class EDRSink: AdvisingElement, @unchecked Sendable {
    static var errorCode: MessageCode { .resource(GST_RESOURCE_ERROR_OPEN_WRITE) }
    static var warningCode: MessageCode { .resource(GST_RESOURCE_ERROR_SETTINGS) }

    /// The GObject that owns this object; never retained.
    let element: UnsafeMutablePointer<GstEdrSink>
    let log: Log
    let settings = Locked(Settings())
    /// Notes on settings, until they can be reported.
    let notes = Locked(SettingNotes())
    let screen = Locked(Screen())
    let windowTurn = Monitor(WindowTurn())
    let painter = Locked(Painter())
    let record = FrameRecord()
    let clock: ItemClock
    let frames: FrameStore
    /// The output of the signals has-new-frame and copy-frame.
    let output: VideoOutput
    let worker = SinkWorker()
    let link: DisplayLink

    init(element: UnsafeMutablePointer<GstEdrSink>) {
        self.element = element
        log = Log(category: gst_edr_sink_debug_category(), object: UnsafeMutableRawPointer(element))
        link = DisplayLink(element: element)
        clock = ItemClock(
            element.asGstElement,
            sinkDelay: { element in
                let sink = element.cast(to: GstBaseSink.self)
                return Int64(clamping: gst_base_sink_get_latency(sink)) &+ Int64(gst_base_sink_get_ts_offset(sink))
            }, askSink: { .init($0.cast(to: GstBaseSink.self)) })
        frames = FrameStore(.sink, clock)
        output = VideoOutput(frames)
    }

    deinit {
        output.detach()
        frames.close()
    }

    var baseSink: UnsafeMutablePointer<GstBaseSink> { element.cast() }
}

// MARK: - The contract header's functions

@c @implementation
func edr_sink_new(_ element: UnsafeMutablePointer<GstEdrSink>!) -> gpointer! {
    EDRSink(element: element).impl
}

@c @implementation
func edr_sink_free(_ impl: gpointer!) { EDRSink.free(impl) }

@c @implementation
func edr_sink_set_property(_ impl: gpointer!, _ id: guint, _ value: UnsafePointer<GValue>!) {
    EDRSink.with(impl) { $0.setProperty(GstEdrSinkProp(id), value) }
}

@c @implementation
func edr_sink_get_property(_ impl: gpointer!, _ id: guint, _ value: UnsafeMutablePointer<GValue>!) {
    EDRSink.with(impl) { $0.getProperty(GstEdrSinkProp(id), value) }
}

@c @implementation
func edr_sink_open(_ impl: gpointer!) -> gboolean { EDRSink.with(impl) { $0.open() } ? 1 : 0 }

@c @implementation
func edr_sink_before_state(_ impl: gpointer!, _ transition: GstStateChange) {
    EDRSink.with(impl) { $0.beforeState(transition) }
}

@c @implementation
func edr_sink_stop(_ impl: gpointer!) { EDRSink.with(impl) { $0.stop() } }

@c @implementation
func edr_sink_close(_ impl: gpointer!) { EDRSink.with(impl) { $0.close() } }

@c @implementation
func edr_sink_set_context(_ impl: gpointer!, _ context: OpaquePointer!) {
    EDRSink.with(impl) { $0.setContext(context) }
}

@c @implementation
func edr_sink_set_info(
    _ impl: gpointer!, _ caps: UnsafeMutablePointer<GstCaps>!, _ info: UnsafePointer<GstVideoInfo>!
) -> gboolean {
    EDRSink.with(impl) { $0.setInfo(caps, info.pointee) } ? 1 : 0
}

@c @implementation
func edr_sink_propose_allocation(_ impl: gpointer!, _ query: UnsafeMutablePointer<GstQuery>!) -> gboolean {
    EDRSink.with(impl) { $0.proposeAllocation(query) } ? 1 : 0
}

@c @implementation
func edr_sink_prepare(_ impl: gpointer!, _ buffer: UnsafeMutablePointer<GstBuffer>!) -> GstFlowReturn {
    EDRSink.with(impl) { $0.prepare(buffer) }
}

@c @implementation
func edr_sink_show(_ impl: gpointer!, _ buffer: UnsafeMutablePointer<GstBuffer>!) -> GstFlowReturn {
    EDRSink.with(impl) { $0.show(buffer) }
}

@c @implementation
func edr_sink_set_flushing(_ impl: gpointer!, _ flushing: gboolean) {
    EDRSink.with(impl) { $0.setFlushing(flushing != 0) }
}

@c @implementation
func edr_sink_event(_ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!) {
    EDRSink.with(impl) { $0.event(event) }
}

@c @implementation
func edr_sink_set_window_handle(_ impl: gpointer!, _ handle: guintptr) {
    EDRSink.with(impl) { $0.setWindowHandle(UInt(handle)) }
}

@c @implementation
func edr_sink_expose(_ impl: gpointer!) { EDRSink.with(impl) { $0.redraw() } }

@c @implementation
func edr_sink_handle_events(_ impl: gpointer!, _ handle: gboolean) {
    EDRSink.with(impl) { $0.screen.withLock { $0.handlesEvents = handle != 0 } }
}

@c @implementation
func edr_sink_set_render_rectangle(_ impl: gpointer!, _ x: gint, _ y: gint, _ width: gint, _ height: gint) {
    EDRSink.with(impl) { $0.setRenderRectangle(Int(x), Int(y), Int(width), Int(height)) }
}

@c @implementation
func edr_sink_send_navigation(_ impl: gpointer!, _ event: UnsafeMutablePointer<GstEvent>!) {
    EDRSink.with(impl) { $0.sendNavigation(event) }
}

@c @implementation
func edr_sink_save_frame(_ impl: gpointer!, _ location: UnsafePointer<gchar>!) -> gboolean {
    EDRSink.with(impl) { $0.saveFrame(location.map { String(cString: $0) } ?? "") } ? 1 : 0
}

@c @implementation
func edr_sink_read_frame(_ impl: gpointer!) -> OpaquePointer! { EDRSink.with(impl) { $0.readFrame() } }

@c @implementation
func edr_sink_item_time(_ impl: gpointer!, _ host_time: guint64) -> guint64 {
    EDRSink.with(impl) { guint64($0.clock.itemTime(at: UInt64(host_time)) ?? UInt64(GstClockTime.max)) }
}

@c @implementation
func edr_sink_video_output(_ impl: gpointer!) -> gpointer! {
    EDRSink.with(impl) { Unmanaged.passUnretained($0.output).toOpaque() }
}

@c @implementation
func edr_sink_new_video_output(_ impl: gpointer!) -> gpointer! {
    EDRSink.with(impl) { VideoOutput($0.frames).impl }
}
