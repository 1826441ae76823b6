import CGStreamer
import CGstHDR
import CHDRTap
import GstBridge
import HDRMetadata
import Synchronization

extension HDRTap {
    /// The values of the properties and signals that the application has set.
    struct Settings: @unchecked Sendable {
        /// The effects' child objects, in the order in which they act; owned.
        var effects: [UnsafeMutablePointer<GstHdrEffect>] = []
        /// The value of the property `effect` as the application wrote it.
        var effectName: String?
        /// The values that the element's properties of effects were set to, by their names.
        var parameters: [String: Double] = [:]
        /// The formats of the effects.
        var formats = EffectFormats.all
        /// Why the value of the property `effect` is invalid; `nil` where it is valid.
        var effectProblem: String?
        var isEmitting = GST_HDR_TAP_DEFAULT_EMIT_SIGNALS != 0
        /// The maximum number of frames of a process call; 0 for one that suits the sample rate.
        var maxFrames = GST_HDR_TAP_DEFAULT_MAX_FRAMES
        /// The maximum length of the tail in ns.
        var maxTail = UInt64(GST_HDR_TAP_DEFAULT_MAX_TAIL)
        var alignmentThreshold = UInt64(GST_HDR_TAP_DEFAULT_ALIGNMENT_THRESHOLD)
        var colorSpace = LightSpace.displayP3
        /// The number of threads for linear light; 0 for one per processor.
        var threads = GST_HDR_TAP_DEFAULT_N_THREADS
        /// Whether frames are kept, to be processed again in a pause.
        var keepsFrames = GST_HDR_TAP_DEFAULT_KEEP_FRAMES != 0
        /// The attached callbacks, for audio or for video.
        var callbacks: (any AttachedProcessor)?
        /// Why a setting cannot be used, kept until the element is on a bus.
        var complaint: String?
    }

    func setProperty(_ property: GstHdrTapProp, _ value: UnsafePointer<GValue>) {
        switch property {
        case GST_HDR_TAP_PROP_EFFECT:
            setEffect(g_value_get_string(value).map { String(cString: $0) } ?? "")
        case GST_HDR_TAP_PROP_EMIT_SIGNALS:
            let isEmitting = g_value_get_boolean(value) != 0
            submit { $0.isEmitting = isEmitting }
        case GST_HDR_TAP_PROP_MAX_FRAMES: settings.withLock { $0.maxFrames = g_value_get_uint(value) }
        case GST_HDR_TAP_PROP_MAX_TAIL: settings.withLock { $0.maxTail = UInt64(g_value_get_uint64(value)) }
        case GST_HDR_TAP_PROP_ALIGNMENT_THRESHOLD:
            settings.withLock { $0.alignmentThreshold = UInt64(g_value_get_uint64(value)) }
        case GST_HDR_TAP_PROP_COLOR_SPACE:
            let choice = GstHdrTapColorSpace(UInt32(bitPattern: g_value_get_enum(value)))
            guard let space = LightSpace(choice) else { return }
            settings.withLock { $0.colorSpace = space }
        case GST_HDR_TAP_PROP_N_THREADS: settings.withLock { $0.threads = g_value_get_uint(value) }
        case GST_HDR_TAP_PROP_KEEP_FRAMES:
            let keeps = g_value_get_boolean(value) != 0
            settings.withLock { $0.keepsFrames = keeps }
        default:
            if let parameter = TapParameter(property) { setParameter(parameter, to: g_value_get_double(value)) }
        }
    }

    func getProperty(_ property: GstHdrTapProp, _ value: UnsafeMutablePointer<GValue>) {
        let settings = settings.current
        switch property {
        case GST_HDR_TAP_PROP_EFFECT: g_value_set_string(value, settings.effectName)
        case GST_HDR_TAP_PROP_EMIT_SIGNALS: g_value_set_boolean(value, settings.isEmitting ? 1 : 0)
        case GST_HDR_TAP_PROP_MAX_FRAMES: g_value_set_uint(value, settings.maxFrames)
        case GST_HDR_TAP_PROP_MAX_TAIL: g_value_set_uint64(value, guint64(settings.maxTail))
        case GST_HDR_TAP_PROP_ALIGNMENT_THRESHOLD: g_value_set_uint64(value, guint64(settings.alignmentThreshold))
        case GST_HDR_TAP_PROP_LATENCY: g_value_set_uint64(value, guint64(latency.load(ordering: .relaxed)))
        case GST_HDR_TAP_PROP_COLOR_SPACE:
            g_value_set_enum(value, gint(bitPattern: settings.colorSpace.tapValue.rawValue))
        case GST_HDR_TAP_PROP_N_THREADS: g_value_set_uint(value, settings.threads)
        case GST_HDR_TAP_PROP_KEEP_FRAMES: g_value_set_boolean(value, settings.keepsFrames ? 1 : 0)
        case GST_HDR_TAP_PROP_STATS: g_value_take_boxed(value, statistics.structure())
        default:
            if let parameter = TapParameter(property) { g_value_set_double(value, number(of: parameter)) }
        }
    }

    // MARK: The effect

    private static func describeUnknown(_ name: String) -> String {
        let names = EffectKind.all.map(\.name)
        let near = NearMatches.of(name, in: names)
        let guess =
            name.isEmpty
            ? ". Is there a comma too many?"
            : near.isEmpty ? "" : ". Did you mean \(near.joined(separator: " or "))?"
        return "No effect is called \"\(name.prefix(64))\": there are \(names.joined(separator: ", "))\(guess)"
    }

    /// The maximum number of effects in a chain.
    private static let longestChain = 32

    /// Why names do not form a chain of effects; `nil` where they do.
    private static func defect(_ names: [String]) -> String? {
        guard names.count <= longestChain else {
            return "A chain has up to \(longestChain) effects, and this one \(names.count)"
        }
        if let unknown = names.first(where: { name in !EffectKind.all.contains { $0.name == name } }) {
            return describeUnknown(unknown)
        }
        func first(_ media: EffectKind.Media) -> String? {
            names.first { name in EffectKind.all.contains { $0.name == name && $0.media == media } }
        }
        guard let sound = first(.audio), let video = first(.video) else { return nil }
        return "\(sound) is an effect on sound and \(video) on video: put them into an element each"
    }

    private func setEffect(_ name: String) {
        // Projects of GES set every property to what it was.
        let isThere = settings.withLock { !$0.effects.isEmpty && $0.effectName == name && $0.effectProblem == nil }
        if isThere { return }
        let names = name.split(separator: ",", omittingEmptySubsequences: false).map { part in
            String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard !name.isEmpty && name != "none" else {
            replaceEffects([])
            submit { $0.effectProblem = nil }
            return
        }
        let isSingle = names.count == 1
        let made =
            Self.defect(names) == nil
            ? names.enumerated().compactMap { EffectObject.make($1, child: isSingle ? "effect" : "effect_\($0)") } : []
        if let problem = Self.defect(names) {
            settings.withLock { settings in
                settings.effectProblem = problem
                settings.effectName = name
            }
            // Below READY, `check` refuses the state change instead of continuing without the effect.
            if hasLeftNull { error(problem) } else { ElementMessage.refusal(gstElement, problem) }
            return
        }
        let kinds = EffectKind.all.filter { names.contains($0.name) }
        let formats: EffectFormats =
            kinds.contains(where: \.addsAlpha) ? .withAlpha : kinds.contains { $0.media == .video } ? .kept : .all
        replaceEffects(made, name, formats)
        submit { $0.effectProblem = nil }
    }

    /// Replaces the child objects. Takes ownership of the floating references.
    func replaceEffects(
        _ effects: [UnsafeMutablePointer<GstHdrEffect>], _ name: String? = nil, _ formats: EffectFormats = .all
    ) {
        let proxy = OpaquePointer(element)
        // Another thread may replace the new children, and drop the parent's reference to them, before this function
        // ends.
        for effect in effects { gst_object_set_parent(effect.asGstObject, gstObject) }
        setParameters(of: effects)
        for effect in effects {
            gst_hdr_tap_watch_effect(element, effect.asGObject)
            gst_object_ref(effect)
        }
        defer { for effect in effects { gst_object_unref(effect) } }
        let (old, oldFormats) = settings.withLock { settings in
            defer { (settings.effects, settings.effectName, settings.formats) = (effects, name, formats) }
            return (settings.effects, settings.formats)
        }
        // Upstream may choose a format that the new effects take, or one that it prefers.
        if formats != oldFormats, hasLeftNull, let pad = element.pointee.sinkpad {
            gst_pad_push_event(pad, gst_event_new_reconfigure())
        }
        for effect in old {
            Self.withName(effect) { gst_child_proxy_child_removed(proxy, effect.asGObject, $0) }
            gst_object_unparent(effect.asGstObject)
        }
        for effect in effects {
            Self.withName(effect) { gst_child_proxy_child_added(proxy, effect.asGObject, $0) }
        }
    }

    private static func withName(
        _ effect: UnsafeMutablePointer<GstHdrEffect>, _ body: (UnsafePointer<CChar>) -> Void
    ) {
        guard let name = gst_object_get_name(effect.asGstObject) else { return }
        defer { g_free(name) }
        body(name)
    }

    private var hasLeftNull: Bool { gstElement.pointee.current_state.rawValue > GST_STATE_NULL.rawValue }

    /// Reports a setting that cannot be used: at once, or when the element leaves NULL.
    func complain(_ text: String) {
        if hasLeftNull {
            error(text)
        } else {
            settings.withLock { $0.complaint = text }
        }
    }
}

extension HDRTap.Statistics {
    /// The value of the property `stats`. The caller owns it.
    func structure() -> Structure.Pointer? {
        func field(_ name: String, _ count: borrowing Atomic<Int>) -> (String, Structure.Value) {
            (name, .uint64(UInt64(max(0, count.load(ordering: .relaxed)))))
        }
        return Structure.make(
            "hdrtap-stats",
            [
                field("processed-frames", processed), field("silenced-frames", silenced),
                field("dropped-frames", dropped), field("discontinuities", discontinuities),
                field("absorbed-jitter", jitter),
            ])
    }
}
