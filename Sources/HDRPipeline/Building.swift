import CGStreamer

/// Functions to build a pipeline element by element, where a launch line is not sufficient, such as for an unknown
/// number of tracks.
extension Element {
    /// Makes a new element.
    /// - Parameters:
    ///   - factory: the name of its factory, as `gst-inspect-1.0` lists it.
    ///   - properties: the properties to set, in this order.
    public convenience init(
        make factory: String, _ properties: KeyValuePairs<String, any Value> = [:]
    ) throws(PipelineError) {
        Library.start
        guard let made = gst_element_factory_make(factory, nil) else {
            var error = PipelineError(
                "the element \(factory) is missing: install its package, or name its folder in GST_PLUGIN_PATH"
            )
            error.missing = factory
            throw error
        }
        gst_object_ref_sink(made)
        defer { gst_object_unref(made) }
        self.init(retaining: UnsafeMutableRawPointer(made).assumingMemoryBound(to: GObject.self))
        for (name, value) in properties { try set(name, to: value) }
    }

    /// The name of its factory.
    public var factory: String? {
        guard isElement, let factory = gst_element_get_factory(pointer) else { return nil }
        let object = UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
        guard let text = gst_object_get_name(object) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// An existing pad.
    public func pad(_ name: String) throws(PipelineError) -> Pad {
        guard let found = gst_element_get_static_pad(pointer, name) else {
            throw PipelineError("there is no pad \(name)", element: self.name)
        }
        defer { gst_object_unref(found) }
        return Pad(retaining: found)
    }

    /// Requests a new pad from a template, such as `video_%u`.
    public func request(_ name: String) throws(PipelineError) -> Pad {
        guard let made = gst_element_request_pad_simple(pointer, name) else {
            throw PipelineError("the pad \(name) is not to be had", element: self.name)
        }
        defer { gst_object_unref(made) }
        return Pad(retaining: made)
    }

    /// Releases a pad that was requested.
    public func release(_ pad: Pad) { gst_element_release_request_pad(pointer, pad.pointer) }

    /// Links this element to another one.
    public func link(to next: Element) throws(PipelineError) {
        guard gst_element_link(pointer, next.pointer) != 0 else {
            throw PipelineError("it cannot be linked to \(next.name)", element: name)
        }
    }

    /// Sets an element that was added to a running pipeline to the pipeline's state.
    public func follow() { gst_element_sync_state_with_parent(pointer) }
}

extension Pipeline {
    /// Adds elements, each linked to the next.
    /// - Returns: the last one.
    @discardableResult public func add(_ chain: Element...) throws(PipelineError) -> Element? { try add(chain) }

    /// Adds elements, each linked to the next.
    @discardableResult public func add(_ chain: [Element]) throws(PipelineError) -> Element? {
        let bin = UnsafeMutableRawPointer(root.object).assumingMemoryBound(to: GstBin.self)
        for element in chain {
            guard gst_bin_add(bin, element.pointer) != 0 else {
                throw PipelineError("it is in a pipeline already", element: element.name)
            }
            // The state of an element that was removed before is still locked.
            gst_element_set_locked_state(element.pointer, 0)
        }
        for (first, second) in zip(chain, chain.dropFirst()) { try first.link(to: second) }
        return chain.last
    }

    /// Stops an element and removes it, with its links.
    public func remove(_ element: Element) {
        // A state change of the pipeline, which may continue on another thread, would start it again.
        gst_element_set_locked_state(element.pointer, 1)
        gst_element_set_state(element.pointer, GST_STATE_NULL)
        gst_bin_remove(UnsafeMutableRawPointer(root.object).assumingMemoryBound(to: GstBin.self), element.pointer)
    }
}
