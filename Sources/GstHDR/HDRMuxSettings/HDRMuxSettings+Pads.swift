import CGStreamer
import CGstHDR
import GstBridge
import HDRMetadata

extension HDRMuxSettings {
    // MARK: Request pads

    func requestPad(
        _ template: UnsafeMutablePointer<GstPadTemplate>, _ wanted: String?
    ) -> UnsafeMutablePointer<GstPad>? {
        guard let pattern = template.pointee.name_template.map({ String(cString: $0) }) else { return nil }
        let isVideo = pattern.hasPrefix("video")
        let kind = isVideo ? "video" : "audio"
        // Demuxer threads may request pads at the same time, so a name is reserved before its pad exists.
        let (name, isNew) = padNames.withLock { names in
            let name = wanted ?? (0...).lazy.map { "\(kind)_\($0)" }.first { !names.contains($0) } ?? "\(kind)_0"
            return (name, names.insert(name).inserted)
        }
        guard isNew else {
            warning("the pad \(name) exists already; ask for another number")
            return nil
        }
        guard let branch = makeBranch(name, isVideo: isVideo, template) else {
            padNames.withLock { _ = $0.remove(name) }
            return nil
        }
        branches.withLock { $0.append(branch) }
        // A pad that is requested while the bin runs is connected to the muxer immediately.
        let hasPlace = building.withLock { connect(branch, &$0) }
        if !hasPlace { warnOfNoPlace(branch) }
        gst_element_add_pad(gstElement, branch.pad)
        gst_element_sync_state_with_parent(branch.head)
        return branch.pad
    }

    private func makeBranch(
        _ name: String, isVideo: Bool, _ template: UnsafeMutablePointer<GstPadTemplate>
    ) -> Branch? {
        let input = InputFilter(
            accepted: template.pointee.caps, watch: watch,
            build: { [unowned self] start in build(name, start) },
            refused: { [unowned self] in reportRefusal(name) }, abandon: { [unowned self] in abandon(name) },
            lookAhead: { [unowned self] caps in picturesToPlan(name, caps) })
        guard let head = BinFilter.make("\(name)-input", input) else { return nil }
        gst_bin_add(bin, head)
        guard let inner = gst_element_get_static_pad(head, "sink") else { return nil }
        defer { gst_object_unref(inner) }
        guard let pad = gst_ghost_pad_new_from_template(name, inner, template) else {
            gst_bin_remove(bin, head)
            return nil
        }
        gst_pad_set_active(pad, 1)
        return Branch(name: name, isVideo: isVideo, pad: pad, head: head, input: input)
    }

    func releasePad(_ pad: UnsafeMutablePointer<GstPad>) {
        guard
            let branch = branches.withLock({ list in
                list.firstIndex { $0.pad == pad }.map { list.remove(at: $0) }
            })
        else { return }
        gst_pad_set_active(pad, 0)
        let links = building.withLock { elements in
            disconnect(branch, elements.muxer)
            let links = branch.links.withLock { links in
                defer { links.elements = [] }
                return links.elements
            }
            elements.all.removeAll { links.contains($0) }
            return links
        }
        for element in links.reversed() + [branch.head] {
            // A state change of the bin, which may continue on another thread, would start it again.
            gst_element_set_locked_state(element, 1)
            gst_element_set_state(element, GST_STATE_NULL)
            gst_bin_remove(bin, element)
        }
        gst_element_remove_pad(gstElement, pad)
        padNames.withLock { _ = $0.remove(branch.name) }
    }

    /// Requests the stream's track from the muxer, if there is one.
    /// - Returns: whether the muxer has a place for it. Messages are posted without the lock of `elements`: an
    ///   application may release pads while it gets them.
    func connect(_ branch: Branch, _ elements: inout Elements) -> Bool {
        guard let muxer = elements.muxer, branch.muxerPad == nil else { return true }
        let fileType = settingsInUse.fileType
        let template = fileType == .mpegts ? "sink_%d" : branch.isVideo ? "video_%u" : "audio_%u"
        branch.muxerPad = gst_element_request_pad_simple(muxer, template)
        guard branch.muxerPad != nil else { return false }
        if fileType == .mpegts, let pad = branch.muxerPad { gst_pad_set_offset(pad, Self.transportStreamStart) }
        branch.track.withLock { $0 = elements.tracks }
        elements.tracks += 1
        return true
    }

    func warnOfNoPlace(_ branch: Branch) { warning("the muxer has no place for the stream \(branch.name)") }

    /// The time at which the streams of a transport stream start, in ns: mpegtsmux has no times below 0, and encoders
    /// put packets before the audio.
    static let transportStreamStart: gint64 = 500_000_000

    func disconnect(_ branch: Branch, _ muxer: UnsafeMutablePointer<GstElement>?) {
        guard let pad = branch.muxerPad else { return }
        branch.muxerPad = nil
        branch.track.withLock { $0 = nil }
        if let muxer { gst_element_release_request_pad(muxer, pad) }
        gst_object_unref(pad)
    }

    /// Removes the track of a stream that ends before its first packet.
    /// - Parameter isKnown: whether the muxer has the stream's caps. It may have written them into a header then, of
    ///   which only a movie box at the end of the file can be changed.
    /// - Returns: whether the muxer keeps the stream, and is to get its end.
    @discardableResult
    func abandon(_ name: String, isKnown: Bool = false) -> Bool {
        guard let branch = branches.withLock({ $0.first { $0.name == name } }) else { return isKnown }
        let settings = settingsInUse
        if isKnown, !settings.fileType.isMovie || settings.fragmentDuration > 0 {
            warning("\(name) ended without data: its track in the file is empty")
            return true
        }
        warning("\(name) ended without data, and is left out")
        if isKnown { hasUnusedTrack.withLock { $0 = true } }
        let isLast = building.withLock { elements in
            disconnect(branch, elements.muxer)
            return branches.current.allSatisfy { $0.muxerPad == nil }
        }
        // A muxer without pads never sends EOS.
        if isLast {
            error(
                "every stream ended before its first data came: there is nothing to write",
                .stream(GST_STREAM_ERROR_MUX))
        }
        return false
    }
}
