import CGStreamer

/// Pipelines that are built element by element, where a launch line cannot say it: tracks of which nobody knows how
/// many there are.
extension Element {
    /// A new element.
    /// - Parameters:
    ///   - factory: its kind, as `gst-inspect-1.0` lists them.
    ///   - properties: set in this order.
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

    /// The name of its kind.
    public var factory: String? {
        guard isElement, let factory = gst_element_get_factory(pointer) else { return nil }
        let object = UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
        guard let text = gst_object_get_name(object) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// A pad that is there already.
    public func pad(_ name: String) throws(PipelineError) -> Pad {
        guard let found = gst_element_get_static_pad(pointer, name) else {
            throw PipelineError("there is no pad \(name)", element: self.name)
        }
        defer { gst_object_unref(found) }
        return Pad(retaining: found)
    }

    /// A new pad of those that come on request, such as `video_%u`.
    public func request(_ name: String) throws(PipelineError) -> Pad {
        guard let made = gst_element_request_pad_simple(pointer, name) else {
            throw PipelineError("the pad \(name) is not to be had", element: self.name)
        }
        defer { gst_object_unref(made) }
        return Pad(retaining: made)
    }

    /// Gives a pad back that came on request.
    public func release(_ pad: Pad) { gst_element_release_request_pad(pointer, pad.pointer) }

    /// Sends what leaves this element into another one.
    public func link(to next: Element) throws(PipelineError) {
        guard gst_element_link(pointer, next.pointer) != 0 else {
            throw PipelineError("it cannot be linked to \(next.name)", element: name)
        }
    }

    /// Gives an element that joins a running pipeline the pipeline's state.
    public func follow() { gst_element_sync_state_with_parent(pointer) }
}

extension Pipeline {
    /// Adds elements, each linked to the next.
    /// - Returns: the last of them.
    @discardableResult public func add(_ chain: Element...) throws(PipelineError) -> Element? { try add(chain) }

    /// Adds elements, each linked to the next.
    @discardableResult public func add(_ chain: [Element]) throws(PipelineError) -> Element? {
        let bin = UnsafeMutableRawPointer(root.object).assumingMemoryBound(to: GstBin.self)
        for element in chain {
            guard gst_bin_add(bin, element.pointer) != 0 else {
                throw PipelineError("it is in a pipeline already", element: element.name)
            }
            // One that was removed before has its state locked.
            gst_element_set_locked_state(element.pointer, 0)
        }
        for (first, second) in zip(chain, chain.dropFirst()) { try first.link(to: second) }
        return chain.last
    }

    /// Stops an element and takes it out, with its links.
    public func remove(_ element: Element) {
        // A change of the pipeline's state, which may go on on another thread, would start it again.
        gst_element_set_locked_state(element.pointer, 1)
        gst_element_set_state(element.pointer, GST_STATE_NULL)
        gst_bin_remove(UnsafeMutableRawPointer(root.object).assumingMemoryBound(to: GstBin.self), element.pointer)
    }
}
