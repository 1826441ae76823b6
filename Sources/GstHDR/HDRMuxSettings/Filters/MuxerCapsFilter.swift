import CGStreamer
import CGstHDR
import GstBridge
import HDRExport

/// Adds the fields to the caps of copied video that muxers need and demuxers leave out.
final class MuxerCapsFilter: BinFilter, @unchecked Sendable {
    private let plan: VideoPlan

    init(_ plan: VideoPlan) { self.plan = plan }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let given, let copy = gst_caps_copy(given) else { return push(event) }
        defer { gst_caps_unref(copy) }
        for structure in Caps.structures(copy) { complete(structure) }
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
        return gst_event_new_caps(copy).map { push($0) } ?? false
    }

    /// Accepts caps without these fields, which the muxer's template would refuse before they are added here.
    override func query(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        guard query.pointee.type == GST_QUERY_ACCEPT_CAPS else { return false }
        gst_query_set_accept_caps_result(query, 1)
        return true
    }

    private func complete(_ structure: Caps.Structure) {
        switch plan.codec {
        case .vp9 where plan.fileType != .matroska:
            // mp4mux 1.22 compares both strings without checking that they exist. VP9's default chroma location is
            // vertically cosited, left.
            set(structure, "chroma-site", "mpeg2")
            set(structure, "colorimetry", "0:0:0:0")
        case _ where plan.codec.isProRes:
            // matroskamux and matroskademux 1.22 name the variant in another field.
            guard let variant = plan.codec.proResVariant else { return }
            Caps.set(structure, plan.fileType == .matroska ? "format" : "variant", to: variant)
        default: break
        }
    }

    private func set(_ structure: Caps.Structure, _ field: String, _ text: String) {
        if gst_structure_has_field(structure, field) == 0 { Caps.set(structure, field, to: text) }
    }
}
