import CGStreamer

/// The way in which players rotate a picture before they show it: mirrored left to right, then rotated clockwise.
package struct Orientation: Equatable, Sendable {
    package var isMirrored = false
    /// The clockwise rotation: 0, 90, 180 or 270 degrees.
    package var rotation = 0

    /// The upright orientation.
    package init() {}

    /// The value of GStreamer's tag `image-orientation`, such as `rotate-90` or `flip-rotate-90`.
    package init(tag: String) {
        isMirrored = tag.hasPrefix("flip-")
        let turn = tag.split(separator: "-").last.flatMap { Int($0) } ?? 0
        guard [90, 180, 270].contains(turn) else { return }
        rotation = turn
    }

    /// The orientation in a TAG event; `nil` where it has none.
    package init?(_ event: UnsafeMutablePointer<GstEvent>) {
        var tags: UnsafeMutablePointer<GstTagList>?
        var text: UnsafeMutablePointer<gchar>?
        gst_event_parse_tag(event, &tags)
        guard let tags, gst_tag_list_get_string(tags, "image-orientation", &text) != 0, let text else { return nil }
        defer { g_free(text) }
        self.init(tag: String(cString: text))
    }

    /// Whether width and height are exchanged.
    package var isTransposed: Bool { rotation == 90 || rotation == 270 }
}
