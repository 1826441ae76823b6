import CGStreamer
import CGstHDR
import GstBridge

extension HDRSrc {
    /// The values of the properties.
    struct Settings: @unchecked Sendable {
        /// The path as the system has it, which need not be UTF-8.
        var location: [UInt8] = []
        var decodes = GST_HDR_SRC_DEFAULT_DECODE != 0
        var assumed = AssumedTransfer(GST_HDR_SRC_DEFAULT_ASSUME)
        /// The audio formats that are not decoded; never changed once they are set.
        var kept: OwnedCaps?
        /// The range that is played, in ns of the file; 0 for its beginning and its end.
        var start = UInt64(GST_HDR_SRC_DEFAULT_START)
        var stop = UInt64(GST_HDR_SRC_DEFAULT_STOP)

        /// Whether an audio track is not decoded.
        func keeps(_ caps: OwnedCaps) -> Bool {
            !decodes || kept.map { gst_caps_can_intersect($0.pointer, caps.pointer) != 0 } ?? false
        }
    }

    func setProperty(_ property: GstHdrSrcProp, _ value: UnsafePointer<GValue>) {
        settings.withLock { settings in
            switch property {
            case GST_HDR_SRC_PROP_LOCATION:
                let text = g_value_get_string(value)
                settings.location = text.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
            case GST_HDR_SRC_PROP_DECODE: settings.decodes = g_value_get_boolean(value) != 0
            case GST_HDR_SRC_PROP_ASSUME:
                settings.assumed = AssumedTransfer(
                    GstHdrSrcAssume(rawValue: UInt32(bitPattern: g_value_get_enum(value))))
            case GST_HDR_SRC_PROP_KEEP_CAPS:
                settings.kept = gst_value_get_caps(value).flatMap { gst_caps_copy($0) }.map { OwnedCaps(owning: $0) }
            case GST_HDR_SRC_PROP_START: settings.start = UInt64(g_value_get_uint64(value))
            case GST_HDR_SRC_PROP_STOP: settings.stop = UInt64(g_value_get_uint64(value))
            default: break
            }
        }
    }

    func getProperty(_ property: GstHdrSrcProp, _ value: UnsafeMutablePointer<GValue>) {
        let settings = settings.current
        switch property {
        case GST_HDR_SRC_PROP_LOCATION:
            guard !settings.location.isEmpty else { return }
            let path = settings.location.map { CChar(bitPattern: $0) } + [0]
            g_value_set_string(value, path)
        case GST_HDR_SRC_PROP_DECODE: g_value_set_boolean(value, settings.decodes ? 1 : 0)
        case GST_HDR_SRC_PROP_ASSUME: g_value_set_enum(value, gint(AssumedTransfer.property(settings.assumed).rawValue))
        case GST_HDR_SRC_PROP_KEEP_CAPS:
            if let kept = settings.kept { withExtendedLifetime(kept) { gst_value_set_caps(value, kept.pointer) } }
        case GST_HDR_SRC_PROP_START: g_value_set_uint64(value, guint64(settings.start))
        case GST_HDR_SRC_PROP_STOP: g_value_set_uint64(value, guint64(settings.stop))
        case GST_HDR_SRC_PROP_SOURCE_INFO: if let info = sourceInfo() { g_value_take_boxed(value, info) }
        default: break
        }
    }
}

/// The transfer function that the user sets for a video whose tags are missing or wrong.
enum AssumedTransfer: String, Sendable {
    case pq, hlg

    /// The value of the property; `nil` for none.
    init?(_ property: GstHdrSrcAssume) {
        switch property {
        case GST_HDR_SRC_ASSUME_PQ: self = .pq
        case GST_HDR_SRC_ASSUME_HLG: self = .hlg
        default: return nil
        }
    }

    static func property(_ assumed: AssumedTransfer?) -> GstHdrSrcAssume {
        switch assumed {
        case .pq: GST_HDR_SRC_ASSUME_PQ
        case .hlg: GST_HDR_SRC_ASSUME_HLG
        case nil: GST_HDR_SRC_ASSUME_NONE
        }
    }
}
