import CGStreamer
import HDRMetadata

/// HDR10's static metadata in caps: `mastering-display-info` and `content-light-level`. Caps have the primaries in the
/// order red, green, blue; SEI messages and boxes begin with green, see `HDRMetadata/MetadataPayload.swift`.
extension StaticMetadata {
    static let masteringField = "mastering-display-info"
    static let lightField = "content-light-level"

    /// Reads both fields. A field that cannot be parsed counts as absent; primaries that a demuxer has copied from a
    /// box in its order are put in that of caps.
    package init(caps: Caps.Pointer) {
        self.init(asWritten: caps)
        masteringDisplay = masteringDisplay?.withRedFirst
    }

    private init(asWritten caps: Caps.Pointer) {
        var mastering = GstVideoMasteringDisplayInfo()
        var light = GstVideoContentLightLevel()
        self.init()
        if gst_video_mastering_display_info_from_caps(&mastering, caps) != 0 {
            let p = mastering.display_primaries
            masteringDisplay = MasteringDisplay(
                red: SIMD2(p.0.x, p.0.y), green: SIMD2(p.1.x, p.1.y), blue: SIMD2(p.2.x, p.2.y),
                white: SIMD2(mastering.white_point.x, mastering.white_point.y),
                maximum: mastering.max_display_mastering_luminance, minimum: mastering.min_display_mastering_luminance)
        }
        if gst_video_content_light_level_from_caps(&light, caps) != 0 {
            contentLightLevel = ContentLightLevel(
                maximum: light.max_content_light_level, frameAverage: light.max_frame_average_light_level)
        }
    }

    /// The fields that are there and cannot be parsed, each with its text and the form that it should have.
    package static func unreadable(in caps: Caps.Pointer) -> [(field: String, text: String, form: String)] {
        let metadata = StaticMetadata(asWritten: caps)
        let fields = [
            (
                masteringField, metadata.masteringDisplay == nil,
                "(string)Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min, such as "
                    + "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"
            ),
            (lightField, metadata.contentLightLevel == nil, "(string)MaxCLL:MaxFALL, such as 1000:400"),
        ]
        guard let structure = gst_caps_get_structure(caps, 0) else { return [] }
        return fields.compactMap { field, isUnread, form in
            guard isUnread, let value = gst_structure_get_value(structure, field),
                let text = gst_value_serialize(value)
            else { return nil }
            defer { g_free(text) }
            return (field, String(cString: text), form)
        }
    }

    /// Writes both fields, or removes those without a value. `caps` must be writable.
    package func write(to caps: Caps.Pointer) {
        // A field with equal values keeps its spelling, so that equal caps stay equal.
        let present = StaticMetadata(asWritten: caps)
        if let m = masteringDisplay {
            if m == present.masteringDisplay { return writeLight(to: caps, present) }
            var info = GstVideoMasteringDisplayInfo()
            info.display_primaries.0 = GstVideoMasteringDisplayInfoCoordinates(x: m.red.x, y: m.red.y)
            info.display_primaries.1 = GstVideoMasteringDisplayInfoCoordinates(x: m.green.x, y: m.green.y)
            info.display_primaries.2 = GstVideoMasteringDisplayInfoCoordinates(x: m.blue.x, y: m.blue.y)
            info.white_point = GstVideoMasteringDisplayInfoCoordinates(x: m.white.x, y: m.white.y)
            info.max_display_mastering_luminance = m.maximum
            info.min_display_mastering_luminance = m.minimum
            gst_video_mastering_display_info_add_to_caps(&info, caps)
        } else {
            Caps.removeField(caps, Self.masteringField)
        }
        writeLight(to: caps, present)
    }

    private func writeLight(to caps: Caps.Pointer, _ present: StaticMetadata) {
        if let l = contentLightLevel {
            if l == present.contentLightLevel { return }
            var level = GstVideoContentLightLevel()
            level.max_content_light_level = l.maximum
            level.max_frame_average_light_level = l.frameAverage
            gst_video_content_light_level_add_to_caps(&level, caps)
        } else {
            Caps.removeField(caps, Self.lightField)
        }
    }
}
