import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRMetadata

/// The first step of a stream. It holds what comes before the first buffer, from which the rest of the way is built.
final class InputFilter: BinFilter, @unchecked Sendable {
    /// What is known of the stream when its first buffer comes.
    struct Start {
        let caps: UnsafeMutablePointer<GstCaps>
        let orientation: Orientation
        /// Whether buffers say when to decode, not only when to show.
        let hasDecodingTimes: Bool
    }
    /// What the pad's template takes.
    let accepted: UnsafeMutablePointer<GstCaps>?
    /// Builds the way.
    /// - Returns: whether there is one; otherwise an error has been posted.
    private let build: (Start) -> Bool
    /// Called where what was built ends the stream, to say why before the source says only that something is wrong.
    private let refused: () -> Void
    /// Called instead where the stream ends without any data.
    private let abandon: () -> Void
    private var held: [UnsafeMutablePointer<GstEvent>] = []
    private var caps: UnsafeMutablePointer<GstCaps>?
    /// The caps that the plan was made for, while there is one. Queries come from any thread.
    private let planned = Locked(Planned())
    private struct Planned: @unchecked Sendable { var caps: UnsafeMutablePointer<GstCaps>? }
    /// Bytes of a picture of the stream's raw video, where no layout of its own comes with it; 0 for everything else.
    private var pictureSize: gsize = 0
    /// Bytes of a frame of the stream's raw sound; 1 for everything else.
    private var frameSize: gsize = 1
    private var orientation = Orientation()
    /// The buffer for which the way is being built.
    private(set) var first: UnsafeMutablePointer<GstBuffer>?
    /// Whether that buffer says when it is shown.
    var hasTimes: Bool { first.map { $0.pointee.pts != GstClockTime.max } ?? true }
    private var isBuilt = false
    private var hasFailed = false
    /// Colorimetry to give caps that have none, or say nothing by it.
    var tag: String?
    /// Whether the orientation in tags is said in another way from here on.
    var dropsOrientation = false

    /// Is told of each buffer.
    private let watch: PrerollWatch

    init(
        accepted: UnsafeMutablePointer<GstCaps>?, watch: PrerollWatch, build: @escaping (Start) -> Bool,
        refused: @escaping () -> Void,
        abandon: @escaping () -> Void
    ) {
        self.accepted = accepted.map { gst_caps_ref($0) }
        self.watch = watch
        self.build = build
        self.refused = refused
        self.abandon = abandon
    }

    deinit {
        reset()
        if let accepted { gst_caps_unref(accepted) }
    }

    private func reset() {
        for event in held { unref(event) }
        held = []
        if let caps { gst_caps_unref(caps) }
        caps = nil
        pictureSize = 0
        frameSize = 1
        setPlanned(nil)
        orientation = Orientation()
        isBuilt = false
        hasFailed = false
        tag = nil
        dropsOrientation = false
    }

    override func stop() { reset() }

    override func query(_ query: UnsafeMutablePointer<GstQuery>) -> Bool { answer(query) }

    /// Linking sends RECONFIGURE upstream. The plan is made for what the source sends, and nothing inside asks for anything
    /// else.
    override func dropsUpstream(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        event.pointee.type == GST_EVENT_RECONFIGURE
    }

    private func setPlanned(_ caps: UnsafeMutablePointer<GstCaps>?) {
        planned.withLock { planned in
            if let old = planned.caps { gst_caps_unref(old) }
            planned.caps = caps.map { gst_caps_ref($0) }
        }
    }

    /// The caps that the plan was made for, a reference that the caller owns; `nil` before there is a plan.
    var plannedCaps: UnsafeMutablePointer<GstCaps>? {
        planned.withLock { $0.caps.map { gst_caps_ref($0) } }
    }

    private func unref(_ event: UnsafeMutablePointer<GstEvent>) {
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_FLUSH_START, GST_EVENT_FLUSH_STOP: return isBuilt ? push(event) : drop(event)
        case GST_EVENT_CAPS: readCaps(event)
        case GST_EVENT_TAG: readTags(event)
        default: break
        }
        if isBuilt { return pass(event) }
        if event.pointee.type == GST_EVENT_GAP, isVideo {
            // The plan waits for the first picture, whose caps are those of the stream: nothing is encoded of a gap.
            return drop(event)
        }
        held.append(event)
        if event.pointee.type == GST_EVENT_EOS { return end() }
        // Silence tells as much as sound.
        if event.pointee.type == GST_EVENT_GAP, caps != nil { return open() }
        return true
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

    private func open(hasDecodingTimes: Bool = true) -> Bool {
        guard let caps, !hasFailed else { return false }
        // Before the chain is linked, which makes some sources ask.
        setPlanned(caps)
        if build(Start(caps: caps, orientation: orientation, hasDecodingTimes: hasDecodingTimes)) {
            isBuilt = true
        } else {
            setPlanned(nil)
            hasFailed = true
        }
        let events = held
        held = []
        for event in events { if isBuilt { _ = pass(event) } else { unref(event) } }
        return isBuilt
    }

    private func end() -> Bool {
        if caps != nil { return open() }
        abandon()
        reset()
        return true
    }

    /// What the rest of the way gets to see.
    private func pass(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
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
        if !isBuilt { first = buffer }
        defer { first = nil }
        if !isBuilt, !open(hasDecodingTimes: buffer.pointee.dts != GstClockTime.max) {
            gst_buffer_unref(buffer)
            if caps == nil { error("data came before the caps that tell what they are") }
            return caps == nil ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR
        }
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

    /// What is wrong with the size of a buffer, in words; elements inside would end the stream without any.
    private func problem(of buffer: UnsafeMutablePointer<GstBuffer>) -> String? {
        let size = gst_buffer_get_size(buffer)
        if size < pictureSize, gst_buffer_get_video_meta(buffer) == nil {
            return
                "a picture has \(size) bytes, and its caps ask for \(pictureSize): the source's caps say another size or "
                + "format than it sends"
        }
        if size % frameSize != 0 {
            return
                "a buffer of sound has \(size) bytes, which are no whole frames of \(frameSize): the source's caps say "
                + "another format than it sends"
        }
        return nil
    }
}
