import CGStreamer
import CGstHDR
import GstBridge
import HDRMetadata
import Synchronization

extension HDRTap {
    /// What the application has set.
    struct Settings: @unchecked Sendable {
        /// The effect's child object; owned.
        var effect: UnsafeMutablePointer<GstHdrEffect>?
        var effectName: String?
        /// A name that no effect has.
        var unknownEffect: String?
        var isEmitting = false
        /// The maximum number of frames of a process call; 0 for one that suits the sample rate.
        var maxFrames = GST_HDR_TAP_DEFAULT_MAX_FRAMES
        /// In ns.
        var maxTail = UInt64(GST_HDR_TAP_DEFAULT_MAX_TAIL)
        var alignmentThreshold = UInt64(GST_HDR_TAP_DEFAULT_ALIGNMENT_THRESHOLD)
        var colorSpace = LightSpace.displayP3
        /// The attached callbacks, for audio or for video.
        var callbacks: (any AttachedProcessor)?
        /// Why a setting is unusable, until the element is on a bus.
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
            guard let space = LightSpace(rawValue: Int(g_value_get_enum(value))) else { return }
            settings.withLock { $0.colorSpace = space }
        default: break
        }
    }

    func getProperty(_ property: GstHdrTapProp, _ value: UnsafeMutablePointer<GValue>) {
        let settings = settings.current
        switch property {
        case GST_HDR_TAP_PROP_EFFECT: g_value_set_string(value, settings.unknownEffect ?? settings.effectName)
        case GST_HDR_TAP_PROP_EMIT_SIGNALS: g_value_set_boolean(value, settings.isEmitting ? 1 : 0)
        case GST_HDR_TAP_PROP_MAX_FRAMES: g_value_set_uint(value, settings.maxFrames)
        case GST_HDR_TAP_PROP_MAX_TAIL: g_value_set_uint64(value, guint64(settings.maxTail))
        case GST_HDR_TAP_PROP_ALIGNMENT_THRESHOLD: g_value_set_uint64(value, guint64(settings.alignmentThreshold))
        case GST_HDR_TAP_PROP_LATENCY: g_value_set_uint64(value, guint64(latency.load(ordering: .relaxed)))
        case GST_HDR_TAP_PROP_COLOR_SPACE: g_value_set_enum(value, gint(settings.colorSpace.rawValue))
        case GST_HDR_TAP_PROP_STATS: g_value_take_boxed(value, statistics.structure())
        default: break
        }
    }

    // MARK: The effect

    static func describeUnknown(_ name: String) -> String {
        let names = EffectKind.all.map(\.name)
        let near = NearMatches.of(name, in: names)
        let guess = near.isEmpty ? "" : ". Did you mean \(near.joined(separator: " or "))?"
        return "No effect is called \"\(name.prefix(64))\": there are \(names.joined(separator: ", "))\(guess)"
    }

    private func setEffect(_ name: String) {
        guard !name.isEmpty && name != "none" else {
            replaceEffect(nil)
            submit { $0.unknownEffect = nil }
            return
        }
        guard let effect = EffectObject.make(name) else {
            settings.withLock { $0.unknownEffect = name }
            // Before READY, `check` ends what would go on without the effect.
            if hasLeftNull {
                error(Self.describeUnknown(name))
            } else {
                ElementMessage.refusal(gstElement, Self.describeUnknown(name))
            }
            return
        }
        replaceEffect(effect, name)
        submit { $0.unknownEffect = nil }
    }

    /// Puts a new child in the place of the old one. Takes the floating reference over.
    func replaceEffect(_ effect: UnsafeMutablePointer<GstHdrEffect>?, _ name: String? = nil) {
        let proxy = OpaquePointer(element)
        // Another thread may replace the new child, and drop the parent's reference to it, before this function ends.
        if let effect {
            gst_object_set_parent(effect.asGstObject, gstObject)
            gst_object_ref(effect)
        }
        defer { if let effect { gst_object_unref(effect) } }
        let old = settings.withLock { settings in
            defer { (settings.effect, settings.effectName) = (effect, name) }
            return settings.effect
        }
        if let old {
            gst_child_proxy_child_removed(proxy, old.asGObject, "effect")
            gst_object_unparent(old.asGstObject)
        }
        if let effect { gst_child_proxy_child_added(proxy, effect.asGObject, "effect") }
    }

    private var hasLeftNull: Bool { gstElement.pointee.current_state.rawValue > GST_STATE_NULL.rawValue }

    /// Reports an unusable setting: at once, or when the element leaves NULL.
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
