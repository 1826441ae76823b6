import CGStreamer
import GstBridge
import HDRExport
import HDRMetadata

extension Upstream {
    /// The changes that elements between the decoder and a pad make to pictures, by their present caps and properties.
    /// - Parameter tagged: the orientation in the stream's tags, which elements may follow.
    static func history(_ pad: Pad, tagged: Orientation) -> PictureHistory {
        var steps: [PictureHistory.Step] = []
        var next = gst_pad_get_peer(pad)
        for _ in 0..<Neighbours.limit {
            guard let exit = next else { break }
            defer { gst_object_unref(exit) }
            next = nil
            guard let entry = entry(exit) else { break }
            defer { gst_object_unref(entry) }
            if !isGhost(exit), let element = gst_pad_get_parent_element(exit) {
                defer { gst_object_unref(element) }
                // Pictures originate here: from a decoder or a source, or from a compositor.
                guard let before = PictureHistory.Raster(entry), let after = PictureHistory.Raster(exit),
                    !element.isOf("Compositor")
                else { break }
                steps.insert(contentsOf: Self.steps(element, before, after, tagged), at: 0)
            }
            next = gst_pad_get_peer(entry)
        }
        return PictureHistory(steps)
    }

    /// The sink pad from which the pictures at a source pad come; a new reference.
    static func entry(_ exit: Pad) -> Pad? {
        let pads = Neighbours.otherSides(exit)
        var chosen: Pad?
        if pads.count > 1, let element = gst_pad_get_parent_element(exit) {
            defer { gst_object_unref(element) }
            // Elements that join or select streams, such as concat, name the active one.
            let active = element.objectProperty("active-pad")
            chosen = pads.first { gpointer($0) == active }
        } else {
            chosen = pads.first
        }
        for pad in pads where pad != chosen { gst_object_unref(pad) }
        return chosen
    }

    private static func isGhost(_ pad: Pad) -> Bool {
        g_type_check_instance_is_a(
            UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GTypeInstance.self), gst_proxy_pad_get_type()) != 0
    }

    private static func steps(
        _ element: UnsafeMutablePointer<GstElement>, _ given: PictureHistory.Raster, _ after: PictureHistory.Raster,
        _ tagged: Orientation
    ) -> [PictureHistory.Step] {
        let lost = FrameSize(given.size.width - after.size.width, given.size.height - after.size.height)
        if let name = element.factoryName, ["videocrop", "videobox"].contains(name) {
            guard let edges = element.edges(lost, name) else {
                return given == after ? [] : [.init(given, .unknown, after)]
            }
            return edges == .zero ? [] : [.init(given, .cut(edges), after)]
        }
        var steps: [PictureHistory.Step] = []
        var before = given
        if let turn = turn(element, tagged), turn != Orientation() {
            if turn.isTransposed {
                let aspect = given.pixelAspect
                before = .init(given.size.transposed, pixelAspect: Fraction(aspect.denominator, aspect.numerator))
            }
            steps.append(.init(given, .turn(by: turn.rotation, isMirrored: turn.isMirrored), before))
        }
        guard before.size != after.size else { return steps }
        let change: PictureHistory.Change =
            element.isOf("Scaler") || element.isOf("Converter")
            ? .scale(fillsFrame: !element.isSet("add-borders")) : .unknown
        return steps + [.init(before, change, after)]
    }
}

extension PictureHistory.Raster {
    /// The raster of the raw pictures that pass a pad; `nil` where there are none.
    fileprivate init?(_ pad: UnsafeMutablePointer<GstPad>) {
        guard let caps = gst_pad_get_current_caps(pad) else { return nil }
        defer { gst_caps_unref(caps) }
        guard let structure = gst_caps_get_structure(caps, 0), gst_structure_has_name(structure, "video/x-raw") != 0,
            let size = FrameSize(caps)
        else { return nil }
        self.init(size, pixelAspect: Fraction(structure, "pixel-aspect-ratio") ?? .one)
    }
}

extension UnsafeMutablePointer<GstElement> {
    fileprivate var factoryName: String? {
        guard let factory = gst_element_get_factory(self),
            let name = gst_object_get_name(UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self))
        else { return nil }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Whether the klass metadata of its factory contain a word.
    func isOf(_ word: String) -> Bool {
        guard let factory = gst_element_get_factory(self),
            let klass = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS)
        else { return false }
        return String(cString: klass).contains(word)
    }

    /// The edges that `videocrop` and `videobox` cut off, or add where negative, in pixels.
    /// - Parameter lost: by how much pictures are smaller after the element.
    /// - Returns: `nil` where the properties contradict the caps, which were made for other values.
    fileprivate func edges(_ lost: FrameSize, _ factory: String) -> FrameInsets? {
        func pair(_ first: String, _ second: String, _ total: Int) -> (Int, Int)? {
            guard let one = integer(first), let other = integer(second) else { return nil }
            guard factory == "videocrop" else { return one + other == total ? (one, other) : nil }
            // For videocrop, -1 means the rest of what was cut; -1 on both sides means half each.
            switch (one < 0, other < 0) {
            case (true, true): return (total / 2, total - total / 2)
            case (true, false): return other <= total ? (total - other, other) : nil
            case (false, true): return one <= total ? (one, total - one) : nil
            case (false, false): return one + other == total ? (one, other) : nil
            }
        }
        guard let (left, right) = pair("left", "right", lost.width),
            let (top, bottom) = pair("top", "bottom", lost.height)
        else { return nil }
        return FrameInsets(left: left, top: top, right: right, bottom: bottom)
    }

    private func integer(_ name: String) -> Int? { value(name, GTypes.int) { Int(g_value_get_int(&$0)) } }

    fileprivate func isSet(_ name: String) -> Bool {
        value(name, GTypes.boolean) { g_value_get_boolean(&$0) != 0 } ?? false
    }

    /// The object that a property holds, only for comparing addresses; no reference is kept.
    fileprivate func objectProperty(_ name: String) -> gpointer? {
        value(name, gst_pad_get_type()) { gpointer(g_value_get_object(&$0)) } ?? nil
    }

    /// A property's value; `nil` where the element has none of this name and type.
    private func value<Value>(_ name: String, _ type: GType, _ read: (inout GValue) -> Value) -> Value? {
        let object = UnsafeMutableRawPointer(self)
        guard let klass = object.assumingMemoryBound(to: GTypeInstance.self).pointee.g_class,
            let property = g_object_class_find_property(
                UnsafeMutableRawPointer(klass).assumingMemoryBound(to: GObjectClass.self), name),
            property.pointee.value_type == type,
            property.pointee.flags.rawValue & G_PARAM_READABLE.rawValue != 0
        else { return nil }
        var value = GValue()
        g_value_init(&value, type)
        defer { g_value_unset(&value) }
        g_object_get_property(object.assumingMemoryBound(to: GObject.self), name, &value)
        return read(&value)
    }
}
