import CGStreamer

/// Access to named child objects of an element, such as the effect of `hdrtap`, and control of their properties.
extension Element {
    /// GST_PARAM_CONTROLLABLE, a macro that Swift does not see.
    private static let controllable: Int32 = 1 << 9

    private var proxy: OpaquePointer? {
        let instance = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GTypeInstance.self)
        guard g_type_check_instance_is_a(instance, gst_child_proxy_get_type()) != 0 else { return nil }
        return OpaquePointer(object)
    }

    /// The child with a name, such as `effect` in `effect::volume=2` of a launch line.
    public func child(_ name: String) throws(PipelineError) -> Element {
        guard let proxy, let found = gst_child_proxy_get_child_by_name(proxy, name) else {
            throw PipelineError("there is no child \(name)", element: self.name)
        }
        defer { g_object_unref(found) }
        return Element(retaining: found)
    }

    /// The elements of a bin, or the child objects of other elements.
    public var children: [Element] {
        guard let proxy else { return [] }
        return (0..<gst_child_proxy_get_children_count(proxy)).compactMap { index in
            guard let found = gst_child_proxy_get_child_by_index(proxy, index) else { return nil }
            defer { g_object_unref(found) }
            return Element(retaining: found)
        }
    }

    /// Moves a numeric property through points, with linear interpolation (GstController). It keeps its own value
    /// before the first point, and the last point's value after that.
    /// - Parameter points: stream times in ns, and values in the property's own unit.
    public func move(_ name: String, through points: [(time: UInt64, value: Double)]) throws(PipelineError) {
        guard try property(name).pointee.flags.rawValue & Self.controllable != 0 else {
            throw PipelineError("the property \(name) cannot be moved", element: self.name)
        }
        guard let source = gst_interpolation_control_source_new() else {
            throw PipelineError("out of memory for the course of \(name)", element: self.name)
        }
        defer { gst_object_unref(source) }
        try Element(retaining: UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self))
            .set("mode", to: "linear")
        let values = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstTimedValueControlSource.self)
        for point in points { gst_timed_value_control_source_set(values, GstClockTime(point.time), point.value) }
        let target = UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstObject.self)
        // The object takes ownership of the binding, which replaces the property's former one.
        guard gst_object_add_control_binding(target, gst_direct_control_binding_new_absolute(target, name, source)) != 0
        else { throw PipelineError("the property \(name) cannot be moved", element: self.name) }
    }
}
