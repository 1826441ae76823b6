import CGStreamer
import GstBridge

/// Walks the elements linked to a pad: those upstream of a sink pad, or downstream of a source pad, in and out of bins.
enum Neighbours {
    typealias Pad = UnsafeMutablePointer<GstPad>
    typealias Element = UnsafeMutablePointer<GstElement>

    /// More elements in a row than pipelines have, since broken topologies could be endless.
    static let limit = 256

    /// Calls `body` for each element from the nearest on, and returns its first non-nil answer.
    static func first<Answer>(_ pad: Pad, _ body: (Element) -> Answer?) -> Answer? {
        firstPad(pad) { pad in
            guard let element = gst_pad_get_parent_element(pad) else { return nil }
            defer { gst_object_unref(element) }
            return body(element)
        }
    }

    /// Calls `body` for the pad of each element through which the walk enters it, and returns its first non-nil answer.
    static func firstPad<Answer>(_ pad: Pad, _ body: (Pad) -> Answer?) -> Answer? {
        var next = gst_pad_get_peer(pad)
        for _ in 0..<limit {
            guard let current = next else { return nil }
            defer { gst_object_unref(current) }
            if let answer = body(current) { return answer }
            next = otherSide(current).flatMap { pad in
                defer { gst_object_unref(pad) }
                return gst_pad_get_peer(pad)
            }
        }
        if let next { gst_object_unref(next) }
        return nil
    }

    static func isHDRConvert(_ element: Element) -> Bool { isInstance(element, of: "GstHdrConvert") }

    static func isHDRMetaParse(_ element: Element) -> Bool { isInstance(element, of: "GstHdrMetaParse") }

    private static func isInstance(_ element: Element, of name: String) -> Bool {
        let type = g_type_from_name(name)
        return type != 0
            && g_type_check_instance_is_a(
                UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self), type) != 0
    }

    /// Whether an element's factory metadata classify it as a converter of formats or colours.
    static func isConverter(_ element: Element) -> Bool {
        guard let factory = gst_element_get_factory(element),
            let klass = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS)
        else { return false }
        return String(cString: klass).contains("Converter")
    }

    /// The pads through which a pad's data leave its element, or enter it, as new references; empty where the element's
    /// pads are being changed.
    static func otherSides(_ pad: Pad) -> [Pad] {
        guard let links = gst_pad_iterate_internal_links(pad) else { return [] }
        defer { gst_iterator_free(links) }
        var pads: [Pad] = []
        var value = GValue()
        while gst_iterator_next(links, &value) == GST_ITERATOR_OK {
            if let pad = g_value_dup_object(&value)?.assumingMemoryBound(to: GstPad.self) { pads.append(pad) }
            g_value_reset(&value)
        }
        g_value_unset(&value)
        return pads
    }

    /// The first of the pads on the other side; a new reference.
    private static func otherSide(_ pad: Pad) -> Pad? {
        let pads = otherSides(pad)
        for pad in pads.dropFirst() { gst_object_unref(pad) }
        return pads.first
    }
}
