import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Lets the sink behind the bin preroll where the input stalls before the first byte of output.
///
/// Encoders look ahead by tens of pictures. Where a tee feeds the bin and a display, these pictures do not arrive while
/// the pipeline prerolls: the display waits in PAUSED, its queue is full, and the tee blocks. The sink behind the bin
/// would never preroll, and the pipeline, even a live one, would never play. A GAP event prerolls a sink as a buffer
/// does.
///
/// The event needs a segment before it, which makes a sink that writes a file go back to its first byte. So it may only
/// be sent before the muxer's first byte: both are sent under the stream lock of the last element's sink pad.
final class PrerollWatch: @unchecked Sendable {
    private struct State: @unchecked Sendable {
        /// The bin's last element, a reference of which is owned while the watch runs.
        var last: UnsafeMutablePointer<GstElement>?
        var timer: GstClockID?
        var media = ""
        /// The number of buffers that have arrived, and the number of streaming threads that are inside the bin with
        /// one.
        var arrivals = 0
        var inside = 0
        /// The number of arrivals at the last timer event.
        var seen = -1
        /// Whether the muxer's first byte has been sent, or the stream has ended.
        var hasBegun = false
    }
    private let state = Locked(State())
    /// How long the input must have stalled before the sink may preroll, in ns.
    private static let patience: GstClockTime = 300_000_000

    /// - Parameters:
    ///   - last: the element whose source pad is the bin's.
    ///   - media: the file's media type, for the caps event.
    func start(_ last: UnsafeMutablePointer<GstElement>, media: String) {
        guard let clock = gst_system_clock_obtain() else { return }
        defer { gst_object_unref(clock) }
        guard let timer = gst_clock_new_periodic_id(clock, gst_clock_get_time(clock) + Self.patience, Self.patience)
        else { return }
        state.withLock { state in
            state = State()
            state.media = media
            state.last = gst_object_ref(last).assumingMemoryBound(to: GstElement.self)
            state.timer = timer
        }
        gst_clock_id_wait_async(
            timer,
            { _, _, _, watch in
                if let watch { Unmanaged<PrerollWatch>.fromOpaque(watch).takeUnretainedValue().tick() }
                return 1
            }, Unmanaged.passRetained(self).toOpaque(),
            { watch in if let watch { Unmanaged<PrerollWatch>.fromOpaque(watch).release() } })
    }

    /// Stops watching once the muxer has sent its first byte, or the stream has ended. Called under the stream lock of
    /// the last element's sink pad, or when no streaming thread runs any more.
    func stop() {
        state.withLock { $0.hasBegun = true }
        rest()
    }

    /// Stops the timer.
    private func rest() {
        let (last, timer) = state.withLock { state in
            defer { (state.last, state.timer) = (nil, nil) }
            return (state.last, state.timer)
        }
        if let timer {
            gst_clock_id_unschedule(timer)
            gst_clock_id_unref(timer)
        }
        if let last { gst_object_unref(last) }
    }

    /// Called before and after each buffer, by its streaming thread.
    func enter() {
        state.withLock { state in
            state.arrivals += 1
            state.inside += 1
        }
    }
    func leave() { state.withLock { $0.inside -= 1 } }

    private func tick() {
        let starved = state.withLock { state -> UnsafeMutablePointer<GstElement>? in
            defer { state.seen = state.arrivals }
            guard let last = state.last, state.inside == 0, state.arrivals > 0, state.arrivals == state.seen,
                last.pointee.current_state.rawValue >= GST_STATE_PAUSED.rawValue
            else { return nil }
            return gst_object_ref(last).assumingMemoryBound(to: GstElement.self)
        }
        guard let starved else { return }
        rest()
        // The event blocks in the sink until the pipeline plays, so the clock's own thread must not send it.
        gst_element_call_async(
            starved,
            { last, watch in
                if let last, let watch {
                    Unmanaged<PrerollWatch>.fromOpaque(watch).takeUnretainedValue().preroll(last)
                }
            }, Unmanaged.passRetained(self).toOpaque(),
            { watch in if let watch { Unmanaged<PrerollWatch>.fromOpaque(watch).release() } })
        gst_object_unref(starved)
    }

    private func preroll(_ last: UnsafeMutablePointer<GstElement>) {
        guard let entry = gst_element_get_static_pad(last, "sink") else { return }
        defer { gst_object_unref(entry) }
        g_rec_mutex_lock(&entry.pointee.stream_rec_lock)
        defer { g_rec_mutex_unlock(&entry.pointee.stream_rec_lock) }
        let state = state.current
        guard !state.hasBegun, let caps = gst_caps_from_string(state.media) else { return }
        defer { gst_caps_unref(caps) }
        guard let pad = gst_element_get_static_pad(last, "src") else { return }
        defer { gst_object_unref(pad) }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_BYTES)
        let events = [
            gst_event_new_stream_start("hdrmux-settings"), gst_event_new_caps(caps), gst_event_new_segment(&segment),
            gst_event_new_gap(0, GstClockTime.max),
        ]
        for event in events { if let event { gst_pad_push_event(pad, event) } }
    }
}
