import CGStreamer
import CGstHDR
import GstBridge
import HDRMetadata
import Synchronization

extension HDRTap {
    /// What the application has set.
    struct Control: @unchecked Sendable {
        /// The effect's child object; owned.
        var effect: UnsafeMutablePointer<GstHdrEffect>?
        var effectName: String?
        /// A name that no effect has.
        var unknownEffect: String?
        var isEmitting = false
        /// 0: by the sample rate.
        var maxFrames: UInt32 = 0
        /// In ns.
        var maxTail: UInt64 = 10_000_000_000
        var alignmentThreshold: UInt64 = 40_000_000
        /// Attached callbacks.
        var callbacks: CallbackTap?
        /// What is wrong with a setting and could not be said yet, as the element was on no bus.
        var complaint: String?
    }

    func setProperty(_ property: GstHdrTapProp, _ value: UnsafePointer<GValue>) {
        switch property {
        case GST_HDR_TAP_PROP_EFFECT:
            setEffect(g_value_get_string(value).map { String(cString: $0) } ?? "")
        case GST_HDR_TAP_PROP_EMIT_SIGNALS:
            let isEmitting = g_value_get_boolean(value) != 0
            submit { $0.isEmitting = isEmitting }
        case GST_HDR_TAP_PROP_MAX_FRAMES: control.withLock { $0.maxFrames = g_value_get_uint(value) }
        case GST_HDR_TAP_PROP_MAX_TAIL: control.withLock { $0.maxTail = UInt64(g_value_get_uint64(value)) }
        case GST_HDR_TAP_PROP_ALIGNMENT_THRESHOLD:
            control.withLock { $0.alignmentThreshold = UInt64(g_value_get_uint64(value)) }
        default: break
        }
    }

    func getProperty(_ property: GstHdrTapProp, _ value: UnsafeMutablePointer<GValue>) {
        let control = self.control.current
        switch property {
        case GST_HDR_TAP_PROP_EFFECT: g_value_set_string(value, control.unknownEffect ?? control.effectName)
        case GST_HDR_TAP_PROP_EMIT_SIGNALS: g_value_set_boolean(value, control.isEmitting ? 1 : 0)
        case GST_HDR_TAP_PROP_MAX_FRAMES: g_value_set_uint(value, control.maxFrames)
        case GST_HDR_TAP_PROP_MAX_TAIL: g_value_set_uint64(value, guint64(control.maxTail))
        case GST_HDR_TAP_PROP_ALIGNMENT_THRESHOLD: g_value_set_uint64(value, guint64(control.alignmentThreshold))
        case GST_HDR_TAP_PROP_LATENCY: g_value_set_uint64(value, guint64(latency.load(ordering: .relaxed)))
        case GST_HDR_TAP_PROP_STATS: g_value_take_boxed(value, statistics.structure())
        default: break
        }
    }

    // MARK: The effect

    static func describeUnknown(_ name: String) -> String {
        let all = String(cString: gst_hdr_effect_names())
        let near = NearMatches.of(name, in: all.split(separator: ",").map { String($0.drop { $0 == " " }) })
        let guess = near.isEmpty ? "" : ". Did you mean \(near.joined(separator: " or "))?"
        return "No effect is called \"\(name.prefix(64))\": there are \(all)\(guess)"
    }

    private func setEffect(_ name: String) {
        guard !name.isEmpty && name != "none" else {
            replaceEffect(nil)
            submit { $0.unknownEffect = nil }
            return
        }
        guard let effect = gst_hdr_effect_new(name) else {
            control.withLock { $0.unknownEffect = name }
            // `check` ends what goes on without it.
            if gstElement.pointee.current_state.rawValue > GST_STATE_NULL.rawValue {
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
        // Another thread may take the new child's place, and with it the parent's reference, before this is done.
        if let effect {
            gst_object_set_parent(effect.asGstObject, gstObject)
            gst_object_ref(effect)
        }
        defer { if let effect { gst_object_unref(effect) } }
        let old = control.withLock { control in
            defer { (control.effect, control.effectName) = (effect, name) }
            return control.effect
        }
        if let old {
            gst_child_proxy_child_removed(proxy, old.asGObject, "effect")
            gst_object_unparent(old.asGstObject)
        }
        if let effect { gst_child_proxy_child_added(proxy, effect.asGObject, "effect") }
    }

    /// Says that a setting cannot be used: now, or when the element leaves NULL.
    func complain(_ text: String) {
        if gstElement.pointee.current_state.rawValue > GST_STATE_NULL.rawValue {
            error(text)
        } else {
            control.withLock { $0.complaint = text }
        }
    }
}

extension HDRTap.Statistics {
    /// A structure that the caller owns.
    func structure() -> UnsafeMutablePointer<GstStructure>? {
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
