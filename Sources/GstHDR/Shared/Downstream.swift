import CGStreamer

/// What lies downstream of a source pad.
enum Downstream {
    typealias Pad = Neighbours.Pad

    /// Whether raw pictures go to one sink and nowhere else, and that sink writes no file and sends nothing. Then a
    /// flush loses nothing but what would be shown.
    static func isOnlyShown(_ pad: Pad) -> Bool {
        guard let sink = sink(pad) else { return false }
        defer { gst_object_unref(sink) }
        return isDisplay(sink)
    }

    /// The sink that raw pictures go to and nowhere else, which the caller owns; `nil` where there is none.
    static func sink(_ pad: Pad) -> Neighbours.Element? {
        var next = gst_pad_get_peer(pad)
        defer { if let next { gst_object_unref(next) } }
        for _ in 0..<Neighbours.limit {
            guard let entry = next else { return nil }
            next = nil
            defer { gst_object_unref(entry) }
            guard isOfRawPictures(entry) else { return nil }
            let exits = Neighbours.otherSides(entry)
            defer { for exit in exits { gst_object_unref(exit) } }
            // The inner side of a bin's pad belongs to no element.
            if let element = gst_pad_get_parent_element(entry) {
                if exits.isEmpty && element.pointee.numsrcpads == 0 { return element }
                defer { gst_object_unref(element) }
                // A mixer or a selector has other inputs, which a flush of one of them disturbs.
                guard !exits.isEmpty, element.pointee.numsinkpads == 1, !isAggregator(element) else { return nil }
            }
            guard exits.count == 1 else { return nil }
            next = gst_pad_get_peer(exits[0])
        }
        return nil
    }

    /// The running time in ns from which the picture is shown that the only sink of a pad shows; `nil` where there are
    /// other sinks, or where the sink keeps no picture to be asked for.
    static func shownTime(_ pad: Pad) -> UInt64? {
        guard let sink = sink(pad) else { return nil }
        defer { gst_object_unref(sink) }
        guard let sample = baseSink(sink).flatMap({ gst_base_sink_get_last_sample($0) }) else { return nil }
        defer { gst_sample_unref(sample) }
        guard let buffer = gst_sample_get_buffer(sample), let segment = gst_sample_get_segment(sample) else {
            return nil
        }
        return ShownTimes(buffer, segment.pointee).start
    }

    /// An element as a GstBaseSink; `nil` where it is none.
    static func baseSink(_ element: Neighbours.Element) -> UnsafeMutablePointer<GstBaseSink>? {
        let type = g_type_from_name("GstBaseSink")
        let instance = UnsafeMutableRawPointer(element)
        guard type != 0,
            g_type_check_instance_is_a(instance.assumingMemoryBound(to: GTypeInstance.self), type) != 0
        else { return nil }
        return instance.assumingMemoryBound(to: GstBaseSink.self)
    }

    private static func isOfRawPictures(_ pad: Pad) -> Bool {
        guard let caps = gst_pad_get_current_caps(pad) else { return false }
        defer { gst_caps_unref(caps) }
        return gst_caps_get_structure(caps, 0).map { gst_structure_has_name($0, "video/x-raw") != 0 } ?? false
    }

    private static func isAggregator(_ element: Neighbours.Element) -> Bool {
        let type = g_type_from_name("GstAggregator")
        return type != 0
            && g_type_check_instance_is_a(
                UnsafeMutableRawPointer(element).assumingMemoryBound(to: GTypeInstance.self), type) != 0
    }

    /// Whether an element's factory metadata name a sink, and neither a file nor a network.
    private static func isDisplay(_ element: Neighbours.Element) -> Bool {
        guard let factory = gst_element_get_factory(element),
            let metadata = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS)
        else { return false }
        let words = String(cString: metadata).split(separator: "/")
        return words.contains("Sink") && !words.contains { ["File", "Network"].contains($0) }
    }
}
