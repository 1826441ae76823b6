import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRContainer
import HDRExport

extension HDRSrc {
    // MARK: Start and stop

    /// READY to PAUSED: opens the file, and the elements that read it.
    func start() -> Bool {
        progress.withLock { $0 = Progress() }
        missing.withLock { $0 = [] }
        do throws(SourceFailure) {
            let settings = settings.current
            guard !settings.location.isEmpty else { throw .noLocation }
            let opened = try SourceFile(path: settings.location)
            file.withLock { $0 = opened }
            let reader = try make("filesrc")
            setLocation(reader, opened.path)
            // The bin takes the reader at once, so that it is freed where the parser cannot be made.
            add([reader])
            let parser =
                if let header = opened.y4m { try frameReader(header, opened.name, reader) } else {
                    try make("parsebin")
                }
            add([parser])
            guard gst_element_link(reader, parser) != 0 else {
                throw .failed(opened.name, "filesrc cannot be linked to \(ElementMessage.name(parser))")
            }
            patch(reader, opened.edits.patches)
            if opened.y4m == nil {
                connect(parser)
                readerWatch.start(gstElement)
            }
            return true
        } catch {
            fail(error)
            return false
        }
    }

    func make(_ factory: String) throws(SourceFailure) -> UnsafeMutablePointer<GstElement> {
        guard let element = gst_element_factory_make(factory, nil) else {
            if let message = gst_missing_element_message_new(gstElement, factory) {
                gst_element_post_message(gstElement, message)
            }
            throw .missing(factory, package: DebianPackage.of(element: factory))
        }
        return element
    }

    func add(_ elements: [UnsafeMutablePointer<GstElement>]) {
        for element in elements { gst_bin_add(bin, element) }
        inside.withLock { $0.elements += elements }
    }

    private func setLocation(_ reader: UnsafeMutablePointer<GstElement>, _ path: [UInt8]) {
        var value = GValue()
        g_value_init(&value, GTypes.string)
        g_value_set_string(&value, path.map { CChar(bitPattern: $0) } + [0])
        g_object_set_property(reader.asGObject, "location", &value)
        g_value_unset(&value)
    }

    /// The element that reads the frames of a YUV4MPEG2 file.
    /// - Parameter reader: the element that reads the file; it is set to read a frame at a time.
    private func frameReader(
        _ header: Y4MHeader, _ name: ShownName, _ reader: UnsafeMutablePointer<GstElement>
    ) throws(SourceFailure) -> UnsafeMutablePointer<GstElement> {
        let frames = try Y4MReader(
            header, name, found: { [unowned self] in found($0) }, failed: { [unowned self] in fail($0) })
        guard let element = BinFilter.make("frames", frames) else { throw .failed(name, "out of memory") }
        gst_util_set_object_arg(reader.asGObject, "blocksize", "\(min(header.frameStride, 64 << 20))")
        return element
    }

    /// Replaces bytes of the file on their way to the demuxer.
    private func patch(_ reader: UnsafeMutablePointer<GstElement>, _ patches: [MovieEdits.Patch]) {
        guard !patches.isEmpty, let pad = gst_element_get_static_pad(reader, "src") else { return }
        defer { gst_object_unref(pad) }
        PadProbe.add(
            pad, [GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_PULL, GST_PAD_PROBE_TYPE_PUSH]
        ) { _, info in
            guard let buffer = gst_pad_probe_info_get_buffer(info) else { return GST_PAD_PROBE_OK }
            if let changed = FilePatches.applied(patches, to: buffer) { info.pointee.data = gpointer(changed) }
            return GST_PAD_PROBE_OK
        }
    }

    private func connect(_ parser: UnsafeMutablePointer<GstElement>) {
        let data = Unmanaged.passUnretained(self).toOpaque()
        typealias PadAdded =
            @convention(c) (
                UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, gpointer?
            ) -> Void
        typealias ElementAdded =
            @convention(c) (
                UnsafeMutablePointer<GstBin>?, UnsafeMutablePointer<GstElement>?, gpointer?
            ) -> Void
        typealias Drained = @convention(c) (UnsafeMutablePointer<GstElement>?, gpointer?) -> Void
        let found: PadAdded = { _, pad, data in
            if let pad, let source = HDRSrc.of(data) { source.found(pad) }
        }
        let added: ElementAdded = { _, element, data in
            guard let element, let source = HDRSrc.of(data) else { return }
            source.watchDemuxer(element)
            source.watchParser(element)
        }
        let drained: Drained = { _, data in HDRSrc.of(data)?.drained() }
        for (signal, callback) in [
            ("pad-added", unsafeBitCast(found, to: GCallback.self)),
            ("element-added", unsafeBitCast(added, to: GCallback.self)),
            ("drained", unsafeBitCast(drained, to: GCallback.self)),
        ] {
            g_signal_connect_data(parser, signal, callback, data, nil, GConnectFlags(rawValue: 0))
        }
    }

    static func of(_ data: gpointer?) -> HDRSrc? {
        data.map { Unmanaged<HDRSrc>.fromOpaque($0).takeUnretainedValue() }
    }

    /// PAUSED to READY, after streaming has stopped.
    func stop() {
        readerWatch.stop()
        let held = inside.withLock { inside in
            defer { inside = Inside() }
            return inside
        }
        for branch in held.branches {
            guard let pad = branch.pad.withLock({ $0.value }) else { continue }
            branch.pad.withLock { $0.value = nil }
            gst_pad_set_active(pad, 0)
            gst_element_remove_pad(gstElement, pad)
        }
        for element in held.elements.reversed() {
            gst_element_set_state(element, GST_STATE_NULL)
            gst_bin_remove(bin, element)
        }
        facts.withLock { $0 = nil }
        chapters.withLock { $0 = 0 }
        waiting.withLock { $0 = nil }
        file.withLock { $0 = nil }
    }

    // MARK: Tracks

    /// Restores times that the demuxer loses, and records the durations of video packets before parsers change them.
    private func watchDemuxer(_ element: UnsafeMutablePointer<GstElement>) {
        guard let factory = gst_element_get_factory(element),
            let kind = gst_element_factory_get_metadata(factory, "klass"), String(cString: kind).contains("Demux")
        else { return }
        typealias PadAdded =
            @convention(c) (
                UnsafeMutablePointer<GstElement>?, UnsafeMutablePointer<GstPad>?, gpointer?
            ) -> Void
        let found: PadAdded = { _, pad, data in
            guard let pad, let source = HDRSrc.of(data) else { return }
            LostTimes.restore(pad)
            source.inside.withLock { $0.durations }.watch(pad)
        }
        g_signal_connect_data(
            element, "pad-added", unsafeBitCast(found, to: GCallback.self), Unmanaged.passUnretained(self).toOpaque(),
            nil, GConnectFlags(rawValue: 0))
    }

    /// Keeps packets that are not decoded as they are in the file.
    private func watchParser(_ element: UnsafeMutablePointer<GstElement>) {
        guard !settings.current.decodes, let factory = gst_element_get_factory(element),
            let name = gst_object_get_name(UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self))
        else { return }
        defer { g_free(name) }
        if String(cString: name) == "h265parse" { UnchangedPackets.keep(behind: element) }
    }

    /// Called when a track was found. Its data wait until all tracks are known, which is when the first of them has
    /// data.
    private func found(_ pad: UnsafeMutablePointer<GstPad>) {
        guard let track = SourceTrack(pad) else { return }
        log.info("track \(track.number): \(Caps.description(track.caps.pointer))")
        let isLate = progress.current.phase != .reading
        if isLate { return drop(track) }
        inside.withLock { $0.tracks.append(track) }
        let probe = PadProbe.add(pad, PadProbe.data + [GST_PAD_PROBE_TYPE_BLOCK]) {
            [unowned self, unowned track] _, info in
            if let event = Self.capsEvent(info) {
                var caps: UnsafeMutablePointer<GstCaps>?
                gst_event_parse_caps(event, &caps)
                if let caps { track.adopt(caps) }
            }
            guard PadProbe.isData(info) else { return GST_PAD_PROBE_PASS }
            decide()
            return GST_PAD_PROBE_OK
        }
        track.probe.withLock { $0 = probe }
    }

    private static func capsEvent(_ info: PadProbe.Info) -> UnsafeMutablePointer<GstEvent>? {
        guard info.pointee.type.rawValue & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM.rawValue != 0,
            let event = gst_pad_probe_info_get_event(info), event.pointee.type == GST_EVENT_CAPS
        else { return nil }
        return event
    }

    /// Discards a track's data: where they are not consumed, reading stops, sometimes without an error message.
    func drop(_ track: SourceTrack) {
        PadProbe.add(track.pad, [GST_PAD_PROBE_TYPE_BUFFER, GST_PAD_PROBE_TYPE_BUFFER_LIST]) { _, _ in
            GST_PAD_PROBE_DROP
        }
    }

    /// Called when the reader has reached its end.
    private func drained() {
        if progress.current.phase == .reading { decide() }
    }

    /// Called when all tracks are known: chooses those that are played, and builds the elements up to their pads.
    private func decide() {
        let isFirst = progress.withLock { progress in
            guard progress.phase == .reading, !progress.hasFailed else { return false }
            progress.phase = .building
            return true
        }
        guard isFirst, let file = file.current else { return }
        readerWatch.stop()
        do throws(SourceFailure) {
            try build(file)
        } catch {
            fail(error)
        }
    }
}
