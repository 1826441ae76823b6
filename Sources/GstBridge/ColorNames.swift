import CGStreamer

/// A value of `colorimetry` or `chroma-site` in caps that GStreamer does not know.
///
/// GStreamer treats such a picture as untagged and passes the name on, so that wrong colours would result without any
/// error.
package struct UnknownColorName: Error, CustomStringConvertible {
    package let field: String
    package let name: String
    /// The known names that are probably meant.
    let guess: [String]
    private let known: String

    /// The first unknown name in fixed caps of raw video; `nil` where all names are known.
    package init?(_ caps: Caps.Pointer) {
        guard let structure = gst_caps_get_structure(caps, 0) else { return nil }
        self.init(structure)
    }

    init?(_ structure: Caps.Structure) {
        if let name = Caps.string(structure, "colorimetry"), !name.isEmpty {
            var colorimetry = GstVideoColorimetry()
            if gst_video_colorimetry_from_string(&colorimetry, name) == 0 {
                self.init("colorimetry", name, Self.colorimetry(near: name), Self.colorimetries)
                return
            }
        }
        if let name = Caps.string(structure, "chroma-site"), !name.isEmpty,
            gst_video_chroma_site_from_string(name) == GST_VIDEO_CHROMA_SITE_UNKNOWN
        {
            self.init(
                "chroma-site", name, Self.chromaSite(near: name), "mpeg2 (left), jpeg (centre) and cosited (top left)")
            return
        }
        return nil
    }

    private init(_ field: String, _ name: String, _ guess: [String], _ known: String) {
        self.field = field
        self.name = name
        self.guess = guess
        self.known = known
    }

    package var description: String {
        let meant = guess.isEmpty ? "" : "; \(guess.joined(separator: " or ")) is probably meant"
        return "GStreamer knows no \(field)=\(name)\(meant). Known are \(known). Set the right one in the caps, with "
            + "capssetter where another element writes them."
    }

    private static let colorimetries =
        "bt2100-pq (HDR10), bt2100-hlg, bt709, bt601, bt2020, bt2020-10, sRGB, smpte240m, and numbers as 2:6:14:7"

    private static func colorimetry(near name: String) -> [String] {
        let name = plain(name)
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        if has("hlg", "b67", "arib") { return ["bt2100-hlg"] }
        if has("pq", "2084", "hdr10") { return ["bt2100-pq"] }
        if has("2100", "hdr") { return ["bt2100-pq", "bt2100-hlg"] }
        if has("2020") { return ["bt2020"] }
        if has("srgb") { return ["sRGB"] }
        if has("709") { return ["bt709"] }
        if has("601", "170", "470", "525", "625") { return ["bt601"] }
        if has("240") { return ["smpte240m"] }
        return []
    }

    private static func chromaSite(near name: String) -> [String] {
        switch plain(name) {
        case "left", "mpeg4", "h264", "hcosited": ["mpeg2"]
        case "center", "centre", "mpeg1": ["jpeg"]
        case "topleft", "lefttop", "collocated", "colocated": ["cosited"]
        case "top": ["v-cosited"]
        default: []
        }
    }

    /// The lower-case letters and digits of a name.
    private static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
}
