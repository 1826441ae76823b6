import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRExport
import HDRMetadata

/// The first element of a stream. Holds events and buffers until the stream opens, at the last buffer that the plan
/// needs or at a gap in sound once there are caps; then the rest of the chain is built.
final class InputFilter: BinFilter, @unchecked Sendable {
    /// The state of the stream when it opens.
    struct Start {
        let caps: UnsafeMutablePointer<GstCaps>
        let orientation: Orientation
        /// Whether buffers have a DTS.
        let hasDecodingTimes: Bool
    }
    /// The caps of the pad's template.
    let accepted: UnsafeMutablePointer<GstCaps>?
    /// Builds the chain.
    /// - Returns: whether it was built; otherwise an error has been posted.
    private let build: (Start) -> Bool
    /// Called when the chain returns an error, to post the cause before the source posts its own generic error.
    private let refused: () -> Void
    /// Called when the stream ends before its first buffer.
    private let abandon: () -> Void
    /// Returns the number of first buffers among which the plan of a stream with these caps looks for dynamic metadata.
    private let lookAhead: (UnsafeMutablePointer<GstCaps>) -> Int
    /// What has arrived before the chain is built, in order; owned here.
    private var held: [Held] = []
    private enum Held {
        case event(UnsafeMutablePointer<GstEvent>)
        case buffer(UnsafeMutablePointer<GstBuffer>)
    }
    /// The number of buffers after which the chain is built.
    private var needed = 1
    private(set) var caps: UnsafeMutablePointer<GstCaps>?
    /// The caps that the plan was made for; `nil` before there is a plan. Queries read them from any thread.
    private let planned = Locked(Planned())
    private struct Planned: @unchecked Sendable { var caps: UnsafeMutablePointer<GstCaps>? }
    /// Size in bytes of a raw picture without GstVideoMeta; 0 for everything else.
    private var pictureSize: gsize = 0
    /// The size in bytes of an audio frame of raw audio; 1 for everything else.
    private var frameSize: gsize = 1
    private var orientation = Orientation()
    /// The first buffers, held until the chain is built.
    var waiting: [UnsafeMutablePointer<GstBuffer>] {
        held.compactMap { if case .buffer(let buffer) = $0 { buffer } else { nil } }
    }
    var first: UnsafeMutablePointer<GstBuffer>? { waiting.first }
    /// Whether the first buffer has a PTS.
    var hasTimes: Bool { first.map { $0.pointee.pts != GstClockTime.max } ?? true }
    /// How long before its segment the first packet begins, in ns, as in files whose edit list begins behind a key
    /// frame, or behind the delay of an encoder: players decode that, and do not show it. 0 for none.
    var lead: UInt64 {
        guard let time = first.flatMap({ ClockTime.known($0.pointee.pts) }),
            let event = heldEvents.last(where: { $0.pointee.type == GST_EVENT_SEGMENT })
        else { return 0 }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        let start = UInt64(segment.start)
        return segment.format == GST_FORMAT_TIME && segment.rate > 0 && start > time ? start - time : 0
    }
    private var heldEvents: [UnsafeMutablePointer<GstEvent>] {
        held.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }
    private var isBuilt = false
    private var hasFailed = false
    /// The colorimetry to set in caps that have none, or an unspecified one.
    var tag: String?
    /// Whether to send an event with the size of the source pictures after each CAPS event, since scaling changes the
    /// caps: see ``SourceSize``.
    var tellsSize = false
    /// The rotation by an element before the pad, which the pictures' metadata do not reflect yet.
    var turn = Orientation()
    /// Whether to remove the orientation from tags, because the chain or the track header applies it.
    var dropsOrientation = false

    /// The watch that is notified about each buffer.
    private let watch: PrerollWatch

    init(
        accepted: UnsafeMutablePointer<GstCaps>?, watch: PrerollWatch, build: @escaping (Start) -> Bool,
        refused: @escaping () -> Void, abandon: @escaping () -> Void,
        lookAhead: @escaping (UnsafeMutablePointer<GstCaps>) -> Int
    ) {
        self.accepted = accepted.map { gst_caps_ref($0) }
        self.watch = watch
        self.build = build
        self.refused = refused
        self.abandon = abandon
        self.lookAhead = lookAhead
    }

    deinit {
        reset()
        if let accepted { gst_caps_unref(accepted) }
    }

    private func reset() {
        dropBuffers()
        for event in heldEvents { unref(event) }
        held = []
        needed = 1
        if let caps { gst_caps_unref(caps) }
        caps = nil
        pictureSize = 0
        frameSize = 1
        setPlanned(nil)
        orientation = Orientation()
        isBuilt = false
        hasFailed = false
        tag = nil
        tellsSize = false
        turn = Orientation()
        dropsOrientation = false
    }

    override func stop() { reset() }

    override func query(_ query: UnsafeMutablePointer<GstQuery>) -> Bool { answer(query) }

    /// Drops RECONFIGURE events, which linking sends upstream: the plan is made for the caps that the source has.
    override func dropsUpstream(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        event.pointee.type == GST_EVENT_RECONFIGURE
    }

    private func setPlanned(_ caps: UnsafeMutablePointer<GstCaps>?) {
        planned.withLock { planned in
            if let old = planned.caps { gst_caps_unref(old) }
            planned.caps = caps.map { gst_caps_ref($0) }
        }
    }

    /// A new reference to the caps that the plan was made for, which the caller owns; `nil` before there is a plan.
    var plannedCaps: UnsafeMutablePointer<GstCaps>? {
        planned.withLock { $0.caps.map { gst_caps_ref($0) } }
    }

    private func unref(_ event: UnsafeMutablePointer<GstEvent>) {
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_START: return isBuilt ? push(event) : drop(event)
        case GST_EVENT_FLUSH_STOP:
            if isBuilt { return push(event) }
            // Pictures from before a seek are not part of the file.
            dropBuffers()
            return drop(event)
        default: break
        }
        if endsWaiting(event) {
            watch.enter()
            defer { watch.leave() }
            _ = open()
            guard isBuilt else { return drop(event) }
        }
        switch event.pointee.type {
        case GST_EVENT_CAPS: readCaps(event)
        case GST_EVENT_TAG: readTags(event)
        default: break
        }
        if isBuilt { return pass(event) }
        if event.pointee.type == GST_EVENT_GAP, isVideo {
            // A gap carries no picture, and the caps may still change before the first one.
            return drop(event)
        }
        held.append(.event(event))
        if event.pointee.type == GST_EVENT_EOS { return end() }
        // A gap in audio is silence, for which the caps are enough.
        if event.pointee.type == GST_EVENT_GAP, caps != nil {
            _ = open()
            return isBuilt
        }
        return true
    }

    /// Whether buffers wait, and an event comes behind the last one that the plan can be made from: what follows may be
    /// another stream.
    private func endsWaiting(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        let ends = [
            GST_EVENT_STREAM_START, GST_EVENT_CAPS, GST_EVENT_SEGMENT, GST_EVENT_SEGMENT_DONE, GST_EVENT_GAP,
            GST_EVENT_EOS,
        ]
        return !isBuilt && ends.contains(event.pointee.type) && first != nil
    }

    private var isVideo: Bool {
        guard let accepted, let structure = gst_caps_get_structure(accepted, 0),
            let name = gst_structure_get_name(structure)
        else { return false }
        return String(cString: name).hasPrefix("video/")
    }

    private func drop(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        unref(event)
        return true
    }

    private func readCaps(_ event: UnsafeMutablePointer<GstEvent>) {
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        var info = GstVideoInfo()
        pictureSize =
            given.map { Self.isRaw("video", $0) && gst_video_info_from_caps(&info, $0) != 0 } == true ? info.size : 0
        var sound = GstAudioInfo()
        let isSound = given.map { Self.isRaw("audio", $0) && gst_audio_info_from_caps(&sound, $0) != 0 } == true
        frameSize = isSound ? gsize(max(1, sound.bpf)) : 1
        guard !isBuilt, let given else { return }
        if let caps { gst_caps_unref(caps) }
        caps = gst_caps_ref(given)
    }

    private static func isRaw(_ kind: String, _ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        gst_caps_get_structure(caps, 0).map { gst_structure_has_name($0, "\(kind)/x-raw") != 0 } == true
    }

    private func readTags(_ event: UnsafeMutablePointer<GstEvent>) {
        if let tagged = Orientation(event) { orientation = tagged }
    }

    /// Builds the chain, and passes on what has waited for it.
    /// - Returns: the result of the last buffer that was passed on.
    private func open() -> GstFlowReturn {
        guard let caps, !hasFailed else {
            dropBuffers()
            return GST_FLOW_ERROR
        }
        // Set before the chain is linked, because linking makes some sources query.
        setPlanned(caps)
        let hasDecodingTimes = first.map { $0.pointee.dts != GstClockTime.max } ?? true
        if build(Start(caps: caps, orientation: orientation, hasDecodingTimes: hasDecodingTimes)) {
            isBuilt = true
        } else {
            setPlanned(nil)
            hasFailed = true
        }
        let all = held
        held = []
        var flow = isBuilt ? GST_FLOW_OK : GST_FLOW_ERROR
        for item in all {
            switch item {
            case .event(let event): if isBuilt { _ = pass(event) } else { unref(event) }
            case .buffer(let buffer): if flow == GST_FLOW_OK { flow = pass(buffer) } else { gst_buffer_unref(buffer) }
            }
        }
        return flow
    }

    private func dropBuffers() {
        for buffer in waiting { gst_buffer_unref(buffer) }
        held.removeAll { if case .buffer = $0 { true } else { false } }
    }

    /// Ends a stream without data, for which there is to be no track even where its caps are known.
    private func end() -> Bool {
        abandon()
        reset()
        return true
    }

    /// Returns the event in the form that the rest of the chain gets.
    private func pass(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        let size = tellsSize ? SourceSize(caps: event) : nil
        let isPassed = passTagged(event)
        if let told = size?.event { push(told) }
        return isPassed
    }

    private func passTagged(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_CAPS, let tag {
            var given: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &given)
            if let given, let structure = gst_caps_get_structure(given, 0),
                Caps.string(structure, "colorimetry").flatMap({ ColorDescription(colorimetry: $0) })?.isUnspecified
                    ?? true,
                let copy = gst_caps_copy(given)
            {
                defer { gst_caps_unref(copy) }
                Caps.structures(copy).forEach { Caps.set($0, "colorimetry", to: tag) }
                unref(event)
                return gst_event_new_caps(copy).map { push($0) } ?? false
            }
        }
        if event.pointee.type == GST_EVENT_TAG, dropsOrientation {
            var tags: UnsafeMutablePointer<GstTagList>?
            gst_event_parse_tag(event, &tags)
            if let tags, let copy = gst_tag_list_copy(tags) {
                gst_tag_list_remove_tag(copy, "image-orientation")
                unref(event)
                return gst_event_new_tag(copy).map { push($0) } ?? false
            }
        }
        return push(event)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        watch.enter()
        defer { watch.leave() }
        if isBuilt { return pass(buffer) }
        held.append(.buffer(buffer))
        guard let caps else {
            dropBuffers()
            error("a buffer arrived before caps; put a parser, or a capsfilter with the format, before the pad")
            return GST_FLOW_NOT_NEGOTIATED
        }
        let count = waiting.count
        if count == 1 { needed = lookAhead(caps) }
        // Where a picture has metadata, or its memory comes from a pool that may run out, there is nothing to wait for.
        let isFound = DynamicMetadataFormat.allCases.contains { buffer.metadata($0.payloadFormat) != nil }
        return count < needed && !isFound && !buffer.isOfLimitedPool && !hasFailed ? GST_FLOW_OK : open()
    }

    private func pass(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if let problem = problem(of: buffer) {
            gst_buffer_unref(buffer)
            error(problem)
            return GST_FLOW_ERROR
        }
        let flow = push(buffer)
        if flow == GST_FLOW_NOT_NEGOTIATED || flow == GST_FLOW_ERROR, !hasFailed {
            hasFailed = true
            refused()
        }
        return flow
    }

    /// Why the size of a buffer is wrong, which elements inside would only refuse silently; `nil` where it is correct.
    private func problem(of buffer: UnsafeMutablePointer<GstBuffer>) -> String? {
        let size = gst_buffer_get_size(buffer)
        if size < pictureSize, gst_buffer_get_video_meta(buffer) == nil {
            return
                "a picture has \(size) bytes, but its caps need \(pictureSize): the source's caps do not match the "
                + "size or format that it sends"
        }
        if size % frameSize != 0 {
            return
                "an audio buffer has \(size) bytes, which is no multiple of a frame's \(frameSize): the source's caps "
                + "do not match the format that it sends"
        }
        return nil
    }
}
