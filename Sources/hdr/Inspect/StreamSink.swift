import CGStreamer
import GstBridge
import HDRBitstream
import HDRConcurrency
import HDRInspection

/// Takes a stream's access units, and refuses further ones when there are enough.
///
/// Callbacks come on a streaming thread, and the facts are asked for on another.
final class StreamSink: @unchecked Sendable {
    private let pad: UnsafeMutablePointer<GstPad>
    private let wanted: Int?
    private let changed: () -> Void
    private let state = Locked(StreamFacts())

    /// - Parameters:
    ///   - wanted: access units; `nil` for those of one second.
    ///   - changed: called on a streaming thread when the first data has come and when the stream is complete.
    init?(_ source: UnsafeMutablePointer<GstPad>, wanted: Int?, changed: @escaping () -> Void) {
        guard let pad = gst_pad_new(nil, GST_PAD_SINK) else { return nil }
        self.pad = pad
        self.wanted = wanted
        self.changed = changed
        gst_object_ref_sink(pad)
        state.withLock { facts in
            if let identifier = gst_pad_get_stream_id(source) {
                facts.identifier = String(cString: identifier)
                g_free(identifier)
            }
            if let caps = gst_pad_get_current_caps(source) {
                facts.adopt(OwnedCaps(caps))
                gst_caps_unref(caps)
            }
        }
        let data = Unmanaged.passUnretained(self).toOpaque()
        gst_pad_set_chain_function_full(
            pad,
            { pad, _, buffer in
                guard let buffer else { return GST_FLOW_ERROR }
                defer { gst_buffer_unref(buffer) }
                guard let sink = StreamSink.of(pad?.pointee.chaindata) else { return GST_FLOW_EOS }
                return sink.take(buffer) ? GST_FLOW_OK : GST_FLOW_EOS
            }, data, nil)
        gst_pad_set_event_function_full(
            pad,
            { pad, _, event in
                guard let event else { return 0 }
                defer { gst_event_unref(event) }
                StreamSink.of(pad?.pointee.eventdata)?.handle(event)
                return 1
            }, data, nil)
        gst_pad_set_active(pad, 1)
        guard gst_pad_link(source, pad) == GST_PAD_LINK_OK else { return nil }
    }

    /// The pipeline has stopped by now, so that no callback is under way.
    deinit {
        gst_pad_set_active(pad, 0)
        if let peer = gst_pad_get_peer(pad) {
            gst_pad_unlink(peer, pad)
            gst_object_unref(peer)
        }
        gst_object_unref(pad)
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> StreamSink? {
        data.map { Unmanaged<StreamSink>.fromOpaque($0).takeUnretainedValue() }
    }

    var facts: StreamFacts { state.current }

    /// Nanoseconds, as the demuxer reports it; `nil` where it does not.
    var duration: UInt64? {
        var value: gint64 = -1
        guard gst_pad_peer_query_duration(pad, GST_FORMAT_TIME, &value) != 0, value > 0 else { return nil }
        return UInt64(value)
    }

    private func handle(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_CAPS:
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            if let caps { state.withLock { $0.adopt(OwnedCaps(caps)) } }
        case GST_EVENT_TAG:
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags { state.withLock { $0.adopt(tags) } }
        case GST_EVENT_EOS:
            state.withLock { $0.hasEnded = !$0.isComplete }
            complete()
        default: break
        }
    }

    /// - Returns: whether more is wanted.
    private func take(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        let (goesOn, isFirst) = state.withLock { facts -> (Bool, Bool) in
            let isFirst = !facts.hasData
            facts.hasData = true
            guard facts.isVideo else { return (true, isFirst) }
            guard !facts.isComplete else { return (false, false) }
            facts.read(buffer)
            return (facts.frames.read < wanted ?? facts.framesOfASecond, isFirst)
        }
        if !goesOn { complete() } else if isFirst { changed() }
        return goesOn
    }

    private func complete() {
        let isNew = state.withLock { facts -> Bool in
            defer { (facts.hasData, facts.isComplete) = (true, true) }
            return !facts.isComplete
        }
        if isNew { changed() }
    }
}
