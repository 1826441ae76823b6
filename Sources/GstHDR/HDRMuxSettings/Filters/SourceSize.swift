import CGStreamer
import GstBridge
import HDRMetadata

/// The size of the source pictures, which an event carries past elements that scale them.
struct SourceSize: Equatable {
    private static let name = "hdr-source-size"

    let size: FrameSize
    /// The pixel aspect ratio, width over height.
    let pixelAspect: Fraction

    init(size: FrameSize, pixelAspect: Fraction) {
        self.size = size
        self.pixelAspect = pixelAspect
    }

    /// - Parameter event: any event; it stays the caller's.
    /// - Returns: `nil` where it is not a CAPS event of pictures.
    init?(caps event: UnsafeMutablePointer<GstEvent>) {
        guard event.pointee.type == GST_EVENT_CAPS else { return nil }
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &caps)
        guard let caps, let size = FrameSize(caps) else { return nil }
        self.size = size
        pixelAspect = gst_caps_get_structure(caps, 0).flatMap { Fraction($0, "pixel-aspect-ratio") } ?? .one
    }

    /// - Parameter event: any event; it stays the caller's.
    /// - Returns: `nil` where it is not an event made by ``event``.
    init?(told event: UnsafeMutablePointer<GstEvent>) {
        guard event.pointee.type == GST_EVENT_CUSTOM_DOWNSTREAM, let structure = gst_event_get_structure(event),
            gst_structure_has_name(structure, Self.name) != 0
        else { return nil }
        var (width, height): (gint, gint) = (0, 0)
        gst_structure_get_int(structure, "width", &width)
        gst_structure_get_int(structure, "height", &height)
        let copy = UnsafeMutablePointer(mutating: structure)
        size = FrameSize(Int(width), Int(height))
        pixelAspect = Fraction(copy, "pixel-aspect-ratio") ?? .one
    }

    /// A new event that carries the size downstream.
    var event: UnsafeMutablePointer<GstEvent>? {
        let text =
            "\(Self.name), width=\(size.width), height=\(size.height), pixel-aspect-ratio="
            + "\(pixelAspect.numerator)/\(pixelAspect.denominator);"
        return gst_structure_from_string(text, nil).flatMap { gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, $0) }
    }
}
