import CGStreamer
import GstBridge
import HDRConcurrency
import HDRExport

/// An element of a stream's chain, a reference of which is owned here until the bin has taken it.
final class Link {
    let element: UnsafeMutablePointer<GstElement>

    init(_ factory: String, _ properties: [(String, String)] = []) throws(ExportError) {
        guard let element = gst_element_factory_make(factory, nil) else {
            throw .missingElement(factory, package: DebianPackage.of(element: factory))
        }
        gst_object_ref_sink(element)
        self.element = element
        for (name, value) in properties { set(name, value) }
    }

    init(_ name: String?, _ filter: BinFilter) throws(ExportError) {
        guard let element = BinFilter.make(name ?? "filter", filter) else { throw .sourceNotUsable("out of memory") }
        gst_object_ref_sink(element)
        self.element = element
    }

    deinit { gst_object_unref(element) }

    /// An encoder with those of its options that its version and its device support.
    convenience init(_ options: EncoderOptions, _ log: Log) throws(ExportError) {
        try self.init(options.factory)
        for property in options.properties {
            switch property.set(on: element) {
            case .set: break
            case .limited: log.info("\(options.factory) limits \(property.text)")
            case .leftOut: log.info("\(options.factory) has no \(property.text), which is left out")
            }
        }
    }

    static func caps(_ caps: String) throws(ExportError) -> Link { try Link("capsfilter", [("caps", caps)]) }

    /// An unlimited queue for what the muxer holds back until the other streams catch up. Compressed data are small,
    /// and a limit could block a demuxer that the other streams depend on.
    static func queue() throws(ExportError) -> Link {
        try Link(
            "queue", [("max-size-buffers", "0"), ("max-size-bytes", "0"), ("max-size-time", "0")])
    }

    /// Counts packets right before the queue in front of the muxer, where each is a sample of the file.
    static func counting(_ packets: Locked<PacketCount>) throws(ExportError) -> Link {
        try Link("count", CountingFilter(packets))
    }

    static func exists(_ factory: String) -> Bool {
        guard let found = gst_element_factory_find(factory) else { return false }
        gst_object_unref(gpointer(found))
        return true
    }

    /// Whether an element processes a raw format in system memory. Only the first structure of its template counts: by
    /// further ones, some elements pass other formats through unchanged.
    static func takes(_ factory: String, _ format: String) -> Bool {
        // A missing element is reported when it is made.
        guard let found = gst_element_factory_find(factory) else { return true }
        defer { gst_object_unref(gpointer(found)) }
        guard let wanted = gst_caps_from_string("video/x-raw, format=(string)\(format)") else { return false }
        defer { gst_caps_unref(wanted) }
        var node = gst_element_factory_get_static_pad_templates(found)
        while let entry = node {
            node = UnsafePointer(entry.pointee.next)
            guard let template = entry.pointee.data?.assumingMemoryBound(to: GstStaticPadTemplate.self),
                template.pointee.direction == GST_PAD_SINK, let all = gst_static_pad_template_get_caps(template)
            else { continue }
            defer { gst_caps_unref(all) }
            guard gst_caps_get_size(all) > 0, let first = gst_caps_copy_nth(all, 0) else { continue }
            defer { gst_caps_unref(first) }
            if gst_caps_can_intersect(first, wanted) != 0 { return true }
        }
        return false
    }

    /// Sets a property, where the element has it, to a value in the syntax of a launch line.
    func set(_ name: String, _ value: String) {
        let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
        let klass = UnsafeMutableRawPointer(element.pointee.object.object.g_type_instance.g_class)
            .assumingMemoryBound(to: GObjectClass.self)
        // Other versions of the element may lack the property.
        guard g_object_class_find_property(klass, name) != nil else { return }
        gst_util_set_object_arg(object, name, value)
    }
}
