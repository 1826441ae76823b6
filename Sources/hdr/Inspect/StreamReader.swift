import CGStreamer
import GstBridge
import HDRConcurrency
import HDRExport

/// Takes a file apart with GStreamer's demuxers and, where a container leaves that to them, its parsers. Nothing is
/// decoded, so no decoder needs to be there.
final class StreamReader: @unchecked Sendable {
    struct Outcome {
        var streams: [StreamFacts] = []
        /// Nanoseconds.
        var duration: UInt64?
        /// What went wrong, even where there are streams.
        var failure: Failure?
        var container: String?
    }

    private let pipeline: UnsafeMutablePointer<GstElement>
    private let bus: UnsafeMutablePointer<GstBus>
    private let sinks = Locked<[StreamSink]>([])
    private let wanted: Int?
    /// Empty where the file is a bare stream; `nil` until its type is known.
    private let container = Locked<String?>(nil)

    init(_ path: InputPath, frames: Int?) throws(Failure) {
        wanted = frames
        let made = try ["filesrc", "parsebin"].map { (name) throws(Failure) in
            guard let element = gst_element_factory_make(name, nil) else {
                throw Failure("GStreamer has no \(name): " + DebianPackage.advice(forElement: name))
            }
            return element
        }
        guard let raw = gst_pipeline_new(nil), let bus = gst_element_get_bus(raw) else {
            for element in made { gst_object_unref(element) }
            throw Failure("GStreamer makes no pipeline: check its installation with gst-inspect-1.0")
        }
        pipeline = raw
        self.bus = bus
        for element in made { gst_bin_add(pipeline.asGstBin, element) }
        guard made.count == 2, gst_element_link(made[0], made[1]) != 0 else {
            throw Failure("GStreamer cannot link filesrc to parsebin: check its installation with gst-inspect-1.0")
        }
        var location = GValue()
        g_value_init(&location, GTypes.string)
        path.withPointer { g_value_set_string(&location, $0) }
        g_object_set_property(made[0].asGObject, "location", &location)
        g_value_unset(&location)
        connect(made[1])
    }

    deinit {
        gst_element_set_state(pipeline, GST_STATE_NULL)
        sinks.withLock { $0 = [] }
        gst_object_unref(bus)
        gst_object_unref(pipeline)
    }

    private func connect(_ element: UnsafeMutablePointer<GstElement>) {
        let data = Unmanaged.passUnretained(self).toOpaque()
        typealias PadAdded =
            @convention(c) (
                UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, gpointer?
            ) -> Void
        let padAdded: PadAdded = { _, pad, data in
            guard let pad, let reader = StreamReader.of(data) else { return }
            reader.add(pad)
        }
        typealias Continue =
            @convention(c) (
                UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, UnsafeMutablePointer<GstCaps>?,
                gpointer?
            ) -> gboolean
        let goOn: Continue = { _, _, caps, data in
            guard let caps, let fields = CapsFields(OwnedCaps(caps)) else { return 1 }
            StreamReader.of(data)?.note(fields)
            return StreamReader.needsMore(fields) ? 1 : 0
        }
        for (signal, callback) in [
            ("pad-added", unsafeBitCast(padAdded, to: GCallback.self)),
            ("autoplug-continue", unsafeBitCast(goOn, to: GCallback.self)),
        ] {
            g_signal_connect_data(element, signal, callback, data, nil, GConnectFlags(rawValue: 0))
        }
    }

    private static func of(_ data: gpointer?) -> StreamReader? {
        data.map { Unmanaged<StreamReader>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Whether a demuxer or a parser has to follow. Video with its configuration record is taken as it is, because
    /// h265parse drops the SEI messages of `hvcC`.
    private static func needsMore(_ fields: CapsFields) -> Bool {
        // Frames of ProRes and VP9 say all there is as they lie in the container.
        if let codec = StreamFacts.codec(fields.name) {
            return !fields.has("codec_data") && codec != .proRes && codec != .vp9
        }
        return !["video/x-raw", "audio/x-raw"].contains(fields.name)
    }

    /// The first type that parsebin comes across is that of the whole file.
    private func note(_ fields: CapsFields) {
        container.withLock { if $0 == nil { $0 = fields.isContainer ? fields.description : "" } }
    }

    private func add(_ pad: UnsafeMutablePointer<GstPad>) {
        guard let sink = StreamSink(pad, wanted: wanted, changed: { [weak self] in self?.wake() }) else { return }
        sinks.withLock { $0.append(sink) }
    }

    /// Lets the waiting thread look again.
    private func wake() {
        guard let structure = gst_structure_new_empty("look-again") else { return }
        gst_bus_post(bus, gst_message_new_application(nil, structure))
    }

    private var isComplete: Bool {
        let all = sinks.current
        // parsebin holds all data back until it has shown all pads.
        let facts = all.map(\.facts)
        return facts.contains(where: \.hasData)
            && facts.allSatisfy { $0.isComplete || (!$0.isVideo && $0.caps != nil) }
    }

    /// Reads until there is enough, the file ends or `seconds` are over.
    func read(limit seconds: Int) -> Outcome {
        var outcome = Outcome()
        let end = g_get_monotonic_time() + gint64(seconds) * 1_000_000
        var missing: Failure?
        if gst_element_set_state(pipeline, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE {
            outcome.failure = Failure("GStreamer cannot open it")
        }
        reading: while !isComplete {
            let left = end - g_get_monotonic_time()
            guard left > 0 else {
                outcome.failure =
                    outcome.failure
                    ?? Failure(
                        "reading took more than \(seconds) s: give it more with --timeout, or repair the file")
                break
            }
            guard let message = gst_bus_timed_pop(bus, GstClockTime(min(left, 500_000)) * 1000) else { continue }
            defer { gst_message_unref(message) }
            switch message.pointee.type {
            case GST_MESSAGE_ERROR:
                outcome.failure = missing ?? Self.failure(message)
                break reading
            case GST_MESSAGE_ELEMENT where gst_is_missing_plugin_message(message) != 0:
                missing = DebianPackage.failure(message) ?? missing
            default: break
            }
        }
        let all = sinks.current
        outcome.duration = all.compactMap(\.duration).max()
        gst_element_set_state(pipeline, GST_STATE_NULL)
        outcome.streams = all.map(\.facts)
        // parsebin shows what it cannot take apart as it is.
        if let whole = outcome.streams.lazy.compactMap(\.fields).first(where: \.isContainer) {
            missing = missing ?? Failure(DebianPackage.advice(forType: whole.name, called: whole.description))
            outcome.streams.removeAll { $0.fields?.isContainer == true }
        }
        outcome.container = container.current.flatMap { $0.isEmpty ? nil : $0 }
        // What metadata or subtitle tracks would need does not matter here.
        if !outcome.streams.contains(where: \.isVideo) { outcome.failure = outcome.failure ?? missing }
        return outcome
    }

    private static func failure(_ message: UnsafeMutablePointer<GstMessage>) -> Failure {
        var error: UnsafeMutablePointer<GError>?
        gst_message_parse_error(message, &error, nil)
        defer { g_clear_error(&error) }
        guard let error else { return Failure("GStreamer fails without a word") }
        let (domain, code) = (error.pointee.domain, UInt32(bitPattern: error.pointee.code))
        if domain == gst_stream_error_quark() {
            switch code {
            case GST_STREAM_ERROR_TYPE_NOT_FOUND.rawValue, GST_STREAM_ERROR_WRONG_TYPE.rawValue:
                return Failure("is not a media file that GStreamer knows: check that it is video and complete")
            case GST_STREAM_ERROR_DEMUX.rawValue:
                return Failure("is damaged or cut off: copy it again (\(text(error)))")
            default: break
            }
        }
        // What an element says whose neighbour gave up, without a reason.
        if domain == gst_stream_error_quark(), code == GST_STREAM_ERROR_FAILED.rawValue {
            return Failure("is damaged: GStreamer finds no stream in it that it can read: copy or record it again")
        }
        return Failure("cannot be read: \(text(error))")
    }

    private static func text(_ error: UnsafeMutablePointer<GError>) -> String {
        var text = String(cString: error.pointee.message)
        while text.last == "." || text.last == "\n" { text.removeLast() }
        return text
    }
}
