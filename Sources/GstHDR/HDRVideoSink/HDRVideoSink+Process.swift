import CGStreamer
import CGstHDR
import GstBridge
import HDRExport

extension HDRVideoSink {
    /// The elements in the bin.
    struct Inside: @unchecked Sendable {
        var sink: OwnedElement
        /// The elements from the bin's pad to the sink.
        var chain: [OwnedElement]
        var converts: Bool
        /// The reasons why sinks that are preferred to the present one could not be used.
        var refusals: [String]
    }

    /// A sink that is being tried, and its messages.
    struct Trial: @unchecked Sendable {
        var sink: OwnedElement
        var troubles: [String] = []
    }

    /// Why a sink cannot be used.
    struct Refusal: Error {
        var text: String
    }

    // MARK: Opening

    /// NULL to READY.
    func open() -> Bool {
        close()
        var refusals: [String] = []
        for candidate in candidates(&refusals) {
            do throws(Refusal) {
                let inside = try build(candidate, refusals)
                self.inside.withLock { $0 = inside }
                trial.withLock { $0 = nil }
                log.info("shows by \(candidate.factory). " + refusals.joined(separator: " "))
                return true
            } catch {
                trial.withLock { $0 = nil }
                refusals.append("\(candidate.factory): \(Self.sentence(error.text))")
            }
        }
        fail(refusals)
        return false
    }

    private func build(_ candidate: Candidate, _ refusals: [String]) throws(Refusal) -> Inside {
        let sink = try start(candidate)
        var inside = Inside(sink: sink, chain: [sink], converts: candidate.converts, refusals: refusals)
        do throws(Refusal) {
            if candidate.converts { inside.chain = try conversion(to: sink) + [sink] }
            try link(inside.chain)
        } catch {
            take(inside.chain)
            throw error
        }
        return inside
    }

    /// Adds a sink to the bin and sets it to READY.
    private func start(_ candidate: Candidate) throws(Refusal) -> OwnedElement {
        guard let made = gst_element_factory_make(candidate.factory, "display") else {
            if let message = gst_missing_element_message_new(gstElement, candidate.factory) {
                gst_element_post_message(gstElement, message)
            }
            let advice =
                DebianPackage.known(element: candidate.factory).map { "apt-get install \($0)" }
                ?? "gst-inspect-1.0 lists the elements that are"
            throw Refusal(text: "it is not installed: \(advice)")
        }
        let sink = OwnedElement(made)
        if let presenter = candidate.presenter { gst_util_set_object_arg(made.asGObject, "presenter", presenter) }
        // From now on the sink gets what the application sets, before it is in use too.
        trial.withLock { $0 = Trial(sink: sink) }
        apply(to: sink)
        gst_bin_add(bin, made)
        let change = gst_element_set_state(made, GST_STATE_READY)
        let troubles = trial.current?.troubles ?? []
        guard change != GST_STATE_CHANGE_FAILURE else {
            take([sink])
            throw Refusal(text: troubles.first ?? "it does not open a display")
        }
        forwardBalance(of: sink)
        return sink
    }

    /// The elements that convert HDR to SDR for a sink, and leave SDR unchanged. Overlays are blended into the
    /// converted picture, so that their white is the one that is shown.
    private func conversion(to sink: OwnedElement) throws(Refusal) -> [OwnedElement] {
        let formats = SDRFormats(sink)
        let filter = try make("capsfilter", "filter")
        let converter = try make("hdrconvert", "convert")
        // videoflip supports fewer formats than sinks do, so that it comes last.
        let turner = turner(before: sink)
        let start = SDREntryFilter(filter: filter, turner: turner, formats: formats)
        guard let entry = BinFilter.make("entry", start),
            let blender = BinFilter.make("overlay", OverlayFilter())
        else { throw Refusal(text: "out of memory") }
        var chain = [OwnedElement(entry), converter, filter, OwnedElement(blender)]
        if let turner { chain.append(turner) }
        if formats.isEmpty || chain.last.map({ !Self.canLink($0, to: sink) }) ?? false {
            chain.append(try make("videoconvert", "format"))
        }
        // Some sinks cannot scale, such as ximagesink.
        let scaler = try make("videoscale", "scale")
        gst_util_set_object_arg(scaler.pointer.asGObject, "n-threads", "0")
        chain.append(scaler)
        for element in chain { gst_bin_add(bin, element.pointer) }
        return chain
    }

    /// Makes the sink rotate pictures by their orientation tags, as phones write them.
    /// - Returns: an element that does so where the sink cannot.
    private func turner(before sink: OwnedElement) -> OwnedElement? {
        if Self.has("rotate-method", gst_video_orientation_method_get_type(), sink) {
            sink.use { gst_util_set_object_arg($0.asGObject, "rotate-method", "auto") }
            return nil
        }
        guard let made = gst_element_factory_make("videoflip", "turn") else {
            log.warning(
                "videoflip is not installed: rotated pictures stay unrotated. apt-get install "
                    + DebianPackage.of(element: "videoflip"))
            return nil
        }
        gst_util_set_object_arg(made.asGObject, "video-direction", "auto")
        return OwnedElement(made)
    }

    /// Whether two elements have a format in common.
    private static func canLink(_ element: OwnedElement, to sink: OwnedElement) -> Bool {
        guard let source = element.use({ gst_element_get_static_pad($0, "src") }) else { return false }
        defer { gst_object_unref(source) }
        guard let entry = sink.use({ gst_element_get_static_pad($0, "sink") }) else { return false }
        defer { gst_object_unref(entry) }
        guard let made = gst_pad_get_pad_template_caps(source) else { return false }
        defer { gst_caps_unref(made) }
        guard let taken = gst_pad_query_caps(entry, nil) else { return false }
        defer { gst_caps_unref(taken) }
        return gst_caps_can_intersect(made, taken) != 0
    }

    private func make(_ factory: String, _ name: String) throws(Refusal) -> OwnedElement {
        guard let element = gst_element_factory_make(factory, name) else {
            throw Refusal(
                text: "\(factory), which converts pictures for the sink, is not installed: apt-get install "
                    + DebianPackage.of(element: factory))
        }
        return OwnedElement(element)
    }

    private func link(_ chain: [OwnedElement]) throws(Refusal) {
        for (element, next) in zip(chain, chain.dropFirst())
        where gst_element_link(element.pointer, next.pointer) == 0 {
            throw Refusal(
                text: "\(ElementMessage.name(element.pointer)) cannot be linked to \(ElementMessage.name(next.pointer))"
            )
        }
        guard let first = chain.first, let pad = gst_element_get_static_pad(first.pointer, "sink") else {
            throw Refusal(text: "it has no pad")
        }
        defer { gst_object_unref(pad) }
        gst_ghost_pad_set_target(element.pointee.sinkpad.cast(to: GstGhostPad.self), pad)
    }

    /// Forwards changes of the inner sink's colour balance as changes of the bin's.
    private func forwardBalance(of sink: OwnedElement) {
        typealias Changed =
            @convention(c) (
                OpaquePointer?, UnsafeMutablePointer<GstColorBalanceChannel>?, gint, gpointer?
            ) -> Void
        let changed: Changed = { _, channel, value, bin in
            if let bin { gst_color_balance_value_changed(OpaquePointer(bin), channel, value) }
        }
        _ = sink.balance { balance in
            g_signal_connect_object(
                UnsafeMutableRawPointer(balance), "value-changed", unsafeBitCast(changed, to: GCallback.self),
                element, GConnectFlags(rawValue: 0))
        }
    }

    // MARK: Closing

    /// READY to NULL; also called before the element is freed.
    func close() {
        let held = inside.withLock { inside in
            defer { inside = nil }
            return inside
        }
        if let held { take(held.chain) }
    }

    /// Removes elements from the bin.
    private func take(_ chain: [OwnedElement]) {
        gst_ghost_pad_set_target(element.pointee.sinkpad.cast(to: GstGhostPad.self), nil)
        for element in chain {
            element.use { pointer in
                gst_element_set_state(pointer, GST_STATE_NULL)
                _ = gst_bin_remove(bin, pointer)
            }
        }
    }
}
