import CGStreamer
import CGstHDR
import GstBridge

/// Why caps are refused: this element converts format and colour, and nothing else.
extension HDRConvert {
    /// Fields that this element does not change, and the elements that change them.
    private static let keptFields: [(names: [String], element: String)] = [
        (["width", "height", "pixel-aspect-ratio"], "videoscale"), (["framerate"], "videorate"),
        (["interlace-mode", "field-order"], "deinterlace"),
    ]

    /// Why pictures with these caps cannot become what downstream accepts; `nil` if that is not due to a field that
    /// this element keeps.
    private func mismatch(_ caps: Caps.Pointer) -> String? {
        guard let pad = transform.pointee.srcpad, let wanted = gst_pad_peer_query_caps(pad, nil) else { return nil }
        defer { gst_caps_unref(wanted) }
        guard gst_caps_is_any(wanted) == 0, let structure = gst_caps_get_structure(caps, 0) else { return nil }
        var found: String?
        for other in Caps.structures(wanted) {
            let reasons = Self.keptFields.compactMap { fields, element -> String? in
                let differing = fields.filter { !Self.canMeet(structure, other, $0) }
                guard !differing.isEmpty else { return nil }
                func values(_ structure: Caps.Structure) -> String {
                    differing.compactMap { Self.text(structure, $0) }.joined(separator: ", ")
                }
                return
                    "the pictures have \(values(structure)), downstream accepts \(values(other)): put \(element) "
                    + "before or after this element, which keeps both size and time"
            }
            // The mismatch is not in the size or the rate, so this function cannot explain it.
            if reasons.isEmpty { return nil }
            found = found ?? reasons.joined(separator: "; ")
        }
        return found
    }

    private static func canMeet(_ a: Caps.Structure, _ b: Caps.Structure, _ field: String) -> Bool {
        guard let first = gst_structure_get_value(a, field), let second = gst_structure_get_value(b, field) else {
            return true
        }
        // gst_value_can_intersect compares only the types.
        return gst_value_intersect(nil, first, second) != 0
    }

    private static func text(_ structure: Caps.Structure, _ field: String) -> String? {
        guard let value = gst_structure_get_value(structure, field), let text = gst_value_serialize(value) else {
            return nil
        }
        defer { g_free(text) }
        return "\(field)=\(String(cString: text))"
    }

    /// Posts a warning when a caps query from upstream was answered with no caps.
    func capsQueryAnswered(_ query: UnsafeMutablePointer<GstQuery>) {
        var filter: Caps.Pointer?
        var result: Caps.Pointer?
        gst_query_parse_caps(query, &filter)
        gst_query_parse_caps_result(query, &result)
        guard let filter, let result, gst_caps_is_empty(result) != 0, gst_caps_is_any(filter) == 0,
            let reason = mismatch(filter), isNew(reason)
        else { return }
        // A warning only: upstream may have other caps to offer.
        warning("Cannot convert: \(reason).")
    }

    /// Posts an error when received caps could not be set.
    func refused(_ caps: Caps.Pointer) {
        guard let reason = mismatch(caps), isNew(reason + "!") else { return }
        error("Cannot convert: \(reason).")
    }

    /// Posts an error when a buffer was received before any caps.
    func reportMissingCaps() {
        error(
            "Cannot convert: the data have no caps, so they are no raw video. Put decodebin before this element for a "
                + "file, rawvideoparse for pictures without a header.")
    }

    /// Whether a refusal has not been reported yet since the element was started.
    private func isNew(_ reason: String) -> Bool {
        reportedRefusals.withLock { reported in
            guard !reported.contains(reason), reported.count < 16 else { return false }
            reported.append(reason)
            return true
        }
    }
}
