import CGStreamer
import Glibc
import HDRBitstream
import HDRInspection

/// What has been read of one stream.
struct StreamFacts: Sendable {
    /// "hash/track" as demuxers name it.
    var identifier = ""
    var caps: OwnedCaps?
    var bitstream: BitstreamInspection?
    var frames = SignalReport.FrameCounts()
    /// The first thing that could not be read of the bitstream.
    var failure: BitstreamError?
    var isVideo = false
    /// A buffer or the end of the stream has come.
    var hasData = false
    var isComplete = false
    /// It is complete because it has ended.
    var hasEnded = false
    var language: String?
    var bitRate: UInt32?

    var fields: CapsFields? { caps.flatMap { CapsFields($0) } }

    /// The track's number in the file; `nil` where the demuxer does not tell.
    var track: UInt64? {
        guard let last = identifier.split(separator: "/").last else { return nil }
        return UInt64(last.prefix { ("0"..."9").contains($0) })
    }
}

/// Takes a stream's access units, and turns the rest away when there are enough.
///
/// Callbacks come on a streaming thread, and the facts are asked for on another.
final class StreamSink: @unchecked Sendable {
    private let pad: UnsafeMutablePointer<GstPad>
    private let wanted: Int?
    private let changed: () -> Void
    private var mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var state = StreamFacts()

    /// - Parameters:
    ///   - wanted: access units; `nil` for those of one second.
    ///   - changed: called on a streaming thread when the first data has come and when the stream is complete.
    init?(_ source: UnsafeMutablePointer<GstPad>, wanted: Int?, changed: @escaping () -> Void) {
        guard let pad = gst_pad_new(nil, GST_PAD_SINK) else { return nil }
        self.pad = pad
        self.wanted = wanted
        self.changed = changed
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        gst_object_ref_sink(pad)
        if let identifier = gst_pad_get_stream_id(source) {
            state.identifier = String(cString: identifier)
            g_free(identifier)
        }
        if let caps = gst_pad_get_current_caps(source) {
            adopt(OwnedCaps(caps))
            MiniObject.unref(caps)
        }
        let data = Unmanaged.passUnretained(self).toOpaque()
        gst_pad_set_chain_function_full(
            pad,
            { pad, _, buffer in
                guard let buffer else { return GST_FLOW_ERROR }
                defer { MiniObject.unref(buffer) }
                guard let sink = StreamSink.of(pad?.pointee.chaindata) else { return GST_FLOW_EOS }
                return sink.take(buffer) ? GST_FLOW_OK : GST_FLOW_EOS
            }, data, nil)
        gst_pad_set_event_function_full(
            pad,
            { pad, _, event in
                guard let event else { return 0 }
                defer { MiniObject.unref(event) }
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
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> StreamSink? {
        data.map { Unmanaged<StreamSink>.fromOpaque($0).takeUnretainedValue() }
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    var facts: StreamFacts { withLock { state } }

    /// Nanoseconds, as the demuxer tells; `nil` where it does not.
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
            if let caps { withLock { adopt(OwnedCaps(caps)) } }
        case GST_EVENT_TAG:
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags { withLock { adopt(tags) } }
        case GST_EVENT_EOS:
            withLock { state.hasEnded = !state.isComplete }
            complete()
        default: break
        }
    }

    private func adopt(_ list: UnsafeMutablePointer<GstTagList>) {
        var text: UnsafeMutablePointer<gchar>?
        if gst_tag_list_get_string(list, "language-code", &text) != 0, let text {
            state.language = String(cString: text)
            g_free(text)
        }
        var rate: guint = 0
        if gst_tag_list_get_uint(list, "bitrate", &rate) != 0
            || gst_tag_list_get_uint(list, "nominal-bitrate", &rate) != 0
        {
            if rate > 0 { state.bitRate = rate }
        }
    }

    private func adopt(_ caps: OwnedCaps) {
        state.caps = caps
        guard let fields = CapsFields(caps) else { return }
        // A still picture by itself is no video; motion JPEG in a file is.
        state.isVideo =
            fields.name.hasPrefix("video/") || (fields.name.hasPrefix("image/") && state.track != nil)
        guard let codec = Self.codec(fields.name) else { return }
        var inspection = state.bitstream ?? BitstreamInspection(codec: codec)
        if inspection.codec != codec { inspection = BitstreamInspection(codec: codec) }
        if let configuration = fields.bytes("codec_data") {
            do { try inspection.read(configuration: configuration) } catch { state.failure = state.failure ?? error }
        } else if fields.string("stream-format") == "byte-stream" {
            inspection.framing = .byteStream
        }
        state.bitstream = inspection
    }

    static func codec(_ name: String) -> BitstreamInspection.Codec? {
        switch name {
        case "video/x-h265": .hevc
        case "video/x-h264": .avc
        case "video/x-prores": .proRes
        case "video/x-av1": .av1
        case "video/x-vp9": .vp9
        default: nil
        }
    }

    /// - Returns: whether more is wanted.
    private func take(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        let (goesOn, isFirst) = withLock { () -> (Bool, Bool) in
            let isFirst = !state.hasData
            state.hasData = true
            guard state.isVideo else { return (true, isFirst) }
            guard !state.isComplete else { return (false, false) }
            read(buffer)
            return (state.frames.read < limit, isFirst)
        }
        if !goesOn { complete() } else if isFirst { changed() }
        return goesOn
    }

    private var limit: Int {
        if let wanted { return wanted }
        guard state.bitstream != nil else { return 1 }
        guard let rate = state.fields?.ratio("framerate"), rate.numerator > 0 else { return 60 }
        return min(max((rate.numerator + rate.denominator - 1) / rate.denominator, 2), 240)
    }

    private func read(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        state.frames.read += 1
        guard var inspection = state.bitstream else { return }
        var map = GstMapInfo()
        guard gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else { return }
        defer { gst_buffer_unmap(buffer, &map) }
        let bytes = UnsafeRawBufferPointer(start: map.data, count: Int(map.size))
        // What this unit has by itself, to count it.
        var alone = BitstreamInspection(codec: inspection.codec, framing: inspection.framing)
        try? alone.read(accessUnit: bytes)
        if alone.hasHDR10Plus { state.frames.hdr10Plus += 1 }
        if alone.hasDolbyVisionRPU { state.frames.dolbyVision += 1 }
        let before = inspection.staticMetadata
        do { try inspection.read(accessUnit: bytes) } catch { state.failure = state.failure ?? error }
        let after = inspection.staticMetadata
        if state.frames.read > 1, before != .none, before != after { state.frames.hasChanges = true }
        state.bitstream = inspection
    }

    private func complete() {
        let isNew = withLock { () -> Bool in
            defer { (state.hasData, state.isComplete) = (true, true) }
            return !state.isComplete
        }
        if isNew { changed() }
    }
}
