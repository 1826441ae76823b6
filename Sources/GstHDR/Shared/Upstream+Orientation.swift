import CGStreamer
import GstBridge

extension Upstream {
    /// The TAG event with the orientation of the pictures that come to a sink pad, as a new reference. A decoder
    /// announces the size of its pictures before it forwards the tags of the demuxer, whose pads have them already.
    /// - Returns: `nil` where no tag tells the orientation, or where an element that turns pictures or joins them comes
    ///   after it.
    static func orientationEvent(_ pad: Pad) -> UnsafeMutablePointer<GstEvent>? {
        var next = gst_pad_get_peer(pad)
        for _ in 0..<Neighbours.limit {
            guard let exit = next else { break }
            defer { gst_object_unref(exit) }
            next = nil
            if let event = orientationTag(on: exit) { return event }
            if let element = gst_pad_get_parent_element(exit) {
                defer { gst_object_unref(element) }
                if turns(element) || element.isOf("Compositor") { break }
            }
            guard let entry = entry(exit) else { break }
            defer { gst_object_unref(entry) }
            next = gst_pad_get_peer(entry)
        }
        if let next { gst_object_unref(next) }
        return nil
    }

    private static func turns(_ element: UnsafeMutablePointer<GstElement>) -> Bool {
        let instance = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self)
        return g_type_check_instance_is_a(instance, gst_video_direction_get_type()) != 0
    }

    private static func orientationTag(on pad: Pad) -> UnsafeMutablePointer<GstEvent>? {
        var index: guint = 0
        while let event = gst_pad_get_sticky_event(pad, GST_EVENT_TAG, index) {
            if Orientation(event) != nil { return event }
            gst_mini_object_unref(event.asMiniObject)
            index += 1
        }
        return nil
    }
}
