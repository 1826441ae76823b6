import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRContainer
import HDRMetadata

extension HDRSrc {
    /// The size limit of queues, in bytes. A queue holds compressed data until slower tracks of a file arrive and must
    /// have no other limit: a muxer that waits for one track would stop the others.
    private static let queueSize: guint = 64 << 20

    // MARK: Build

    /// Builds the elements between each track that is played and its pad. They hold data back until all pads can be
    /// shown.
    func build(_ file: SourceFile) throws(SourceFailure) {
        let settings = settings.current
        let tracks = inside.withLock { $0.tracks }
        let plan = try Plan(tracks, file, missing: missing.current, settings)
        let metadata = plan.video.map { _ in DynamicMetadata() }
        let video = plan.video.map { VideoFacts($0, file, settings.assumed) }
        if let video { try check(video, file, settings) }
        waiting.withLock { $0 = Waiting(plan: plan, video: video, metadata: metadata, decodes: settings.decodes) }
        let tally = plan.video.map { track in
            Tally(
                seesGaps: !file.hasIndexOfTimes && Self.hasFrameRate(track),
                isFramePerPacket: track.mediaType == "video/x-h265")
        }
        if let track = plan.video, let video, let metadata, let tally {
            let orientation = video.header?.orientation.flatMap { $0 == .upright ? nil : $0.tag }
            let ownEnd = track.containerNumber.flatMap { file.edits.videoEnds[$0] }
            // Demuxers end at the boundary of a group of pictures, so packets are cut here.
            let cut = settings.decodes || settings.stop == 0 ? nil : settings.stop
            let end = [ownEnd, cut].compactMap { $0 }.min()
            let exit = StreamFilter(
                StreamFilter.Video(
                    complete: video.complete, tally: settings.decodes ? tally : nil,
                    end: end, orientation: orientation,
                    needsMetadata: settings.decodes && video.hasOwnColors
                        ? { [unowned self] in
                            fail(.ownColors(file.name, profile: video.ownColorsProfile(metadata) ?? 5))
                        } : nil,
                    ended: { [unowned self] in judge(tally, file, decodes: settings.decodes) }),
                duration: file.duration, chapters: chapters, isAnyLinked: { [unowned self] in isAnyLinked })
            let durations = inside.withLock { $0.durations }
            let entry = PacketFilter.Video(
                durations: durations, tally: tally, metadata: metadata, end: end,
                isPart: { [unowned self] number in progress.current.seek == number })
            try addBranch(
                "video_0", track, entry, exit, decodes: settings.decodes, appliesMetadata: video.hasOwnColors, file)
        }
        for (index, track) in plan.audio.enumerated() {
            let exit = StreamFilter(
                nil, duration: file.duration, chapters: chapters, isAnyLinked: { [unowned self] in isAnyLinked })
            try addBranch(
                "audio_\(index)", track, nil, besides: tally, exit, decodes: !settings.keeps(track.caps), file)
        }
        let branches = branches
        progress.withLock { $0.phase = .built }
        for track in tracks where !branches.contains(where: { $0.track === track }) { drop(track) }
        for track in tracks {
            let probe = track.probe.withLock { $0 }
            if probe != 0 { gst_pad_remove_probe(track.pad, probe) }
        }
    }

    /// - Throws: where the video cannot be played with these settings.
    private func check(
        _ video: VideoFacts, _ file: SourceFile, _ settings: Settings
    ) throws(SourceFailure) {
        if !settings.decodes, let assumed = settings.assumed, let said = video.said,
            ColorDescription(colorimetry: said)?.transfer != 2,
            VideoFacts.transfer(said) != assumed.rawValue.uppercased()
        {
            throw .contradicted(file.name, assumed.rawValue, says: said)
        }
    }

    private static func hasFrameRate(_ track: SourceTrack) -> Bool {
        gst_caps_get_structure(track.caps.pointer, 0).flatMap { Fraction($0, "framerate") }
            .map { $0.numerator > 0 } ?? false
    }

    /// Makes the elements of one track, and links them to the reader.
    private func addBranch(
        _ name: String, _ track: SourceTrack, _ video: PacketFilter.Video?, besides tally: Tally? = nil,
        _ exit: StreamFilter, decodes: Bool, appliesMetadata: Bool = false, _ file: SourceFile
    ) throws(SourceFailure) {
        let queue = try make("queue")
        for (limit, value) in [("buffers", 0), ("time", 0), ("bytes", Self.queueSize)] {
            gst_util_set_object_arg(queue.asGObject, "max-size-\(limit)", "\(value)")
        }
        watchOverrun(queue)
        guard let last = BinFilter.make("\(name)-exit", exit), let source = gst_element_get_static_pad(last, "src")
        else { throw .failed(file.name, "out of memory") }
        let branch = Branch(name, track, exit, source)
        inside.withLock { $0.branches.append(branch) }
        let end = settings.current.stop > 0 && file.container == .mov ? settings.current.stop : nil
        let cut = end.map { end in
            PacketFilter.Cut(end: end) { [unowned self] number in progress.current.seek == number }
        }
        let sound = track.containerNumber.flatMap { file.edits.sounds[$0] }
        let filter = PacketFilter(
            track, video, sound: sound, besides: tally, firstTime: file.firstTime,
            countsFromClock: file.isTransportStream, cut
        ) {
            [unowned self, weak branch] in
            // While pads are being added, applications have not linked all of them yet.
            guard let branch, progress.current.phase == .playing, !branch.isLinked else { return false }
            return isAnyLinked
        }
        guard let first = BinFilter.make("\(name)-packets", filter) else { throw .failed(file.name, "out of memory") }
        var chain = [first]
        if video != nil, let parser = try metadataParser(track) { chain.append(parser) }
        chain.append(queue)
        if decodes, !track.isRaw {
            guard let decoder = Decoders.make(for: track.caps.pointer) else {
                for element in chain + [last] { gst_object_unref(gst_object_ref_sink(element)) }
                let media = track.mediaType
                throw .noDecoder(file.name, Decoders.codecName(media), package: Decoders.package(media))
            }
            log.info("\(name) is decoded by \(ElementMessage.name(decoder))")
            chain.append(decoder)
            if appliesMetadata { chain += try pictureMakers() }
        }
        chain.append(last)
        add(chain)
        hold(branch)
        for (element, next) in zip(chain, chain.dropFirst()) where gst_element_link(element, next) == 0 {
            throw .failed(file.name, "\(ElementMessage.name(element)) cannot be linked to \(ElementMessage.name(next))")
        }
        for element in chain.reversed() { gst_element_sync_state_with_parent(element) }
        guard let entry = gst_element_get_static_pad(first, "sink") else { return }
        defer { gst_object_unref(entry) }
        guard gst_pad_link(track.pad, entry) == GST_PAD_LINK_OK else {
            throw .failed(file.name, "the track \(track.number) cannot be linked")
        }
    }

    /// An hdrmetaparse where the reader has none: parsebin of GStreamer 1.28 looks for no parser behind h265parse and
    /// av1parse.
    private func metadataParser(
        _ track: SourceTrack
    ) throws(SourceFailure) -> UnsafeMutablePointer<GstElement>? {
        guard !track.hasMetadataParser else { return nil }
        let parser = try make("hdrmetaparse")
        guard let pad = gst_element_get_static_pad(parser, "sink") else { return nil }
        defer { gst_object_unref(pad) }
        if gst_pad_query_accept_caps(pad, track.caps.pointer) != 0 { return parser }
        gst_object_unref(gst_object_ref_sink(parser))
        return nil
    }

    /// The elements that convert a profile 5 base layer, which cannot be shown without its RPU, to PQ.
    private func pictureMakers() throws(SourceFailure) -> [UnsafeMutablePointer<GstElement>] {
        let filter = try make("capsfilter")
        gst_util_set_object_arg(filter.asGObject, "caps", "video/x-raw, colorimetry=(string)bt2100-pq")
        return [try make("hdrconvert"), filter]
    }

    private func watchOverrun(_ queue: UnsafeMutablePointer<GstElement>) {
        typealias Overrun = @convention(c) (UnsafeMutablePointer<GstElement>?, gpointer?) -> Void
        // Audio may begin long after the video, or the reverse.
        let full: Overrun = { _, data in HDRSrc.of(data)?.expose() }
        g_signal_connect_data(
            queue, "overrun", unsafeBitCast(full, to: GCallback.self), Unmanaged.passUnretained(self).toOpaque(), nil,
            GConnectFlags(rawValue: 0))
    }

    /// Holds a stream's data back, but not its caps and tags, until all pads are shown.
    private func hold(_ branch: Branch) {
        let probe = PadProbe.add(branch.source, PadProbe.data + [GST_PAD_PROBE_TYPE_BLOCK]) {
            [unowned self, unowned branch] _, info in
            guard PadProbe.isData(info) else { return GST_PAD_PROBE_PASS }
            branch.isOver.withLock { $0 = PadProbe.isEnd(info) }
            branch.isReady.withLock { $0 = true }
            if branches.allSatisfy({ $0.isReady.current }) { expose() }
            return GST_PAD_PROBE_OK
        }
        branch.probe.withLock { $0 = probe }
    }

    // MARK: Pads

    var isAnyLinked: Bool { branches.contains(where: \.isLinked) }

    /// Adds all pads before any of them sends data.
    private func expose() {
        let range = settings.current
        let begins = range.start > 0 || range.stop > 0
        let (isFirst, isAtStart) = progress.withLock { progress in
            guard progress.phase == .built, !progress.hasFailed else { return (false, false) }
            let isAtStart = progress.isAtStart || !begins
            progress.phase = isAtStart ? .exposed : .seeking
            return (true, isAtStart)
        }
        guard isFirst else { return }
        guard let waiting = waiting.current, let file = file.current else { return }
        guard isAtStart else {
            // A demuxer that has found no data may answer a seek without flushing, and nothing would follow.
            return branches.allSatisfy({ $0.isOver.current }) ? fail(.damaged(file.name)) : goToStart()
        }
        if waiting.decodes, let video = waiting.video, let metadata = waiting.metadata, !video.hasOwnColors,
            let profile = video.ownColorsProfile(metadata)
        {
            return fail(.ownColors(file.name, profile: profile))
        }
        gatherFacts(file, waiting.plan, waiting.video, waiting.metadata)
        let branches = branches
        for branch in branches { show(branch) }
        gst_element_no_more_pads(gstElement)
        notify("source-info")
        gst_hdr_src_pads_are_there(element)
        progress.withLock { $0.phase = .playing }
        for branch in branches {
            let probe = branch.probe.withLock { probe in
                defer { probe = 0 }
                return probe
            }
            if probe != 0 { gst_pad_remove_probe(branch.source, probe) }
        }
    }

    /// Seeks to the property `start` before any data has left. The seek flushes the held data, for which it needs
    /// another thread than those that hold them.
    private func goToStart() {
        gst_element_call_async(
            gstElement, { _, data in HDRSrc.of(data)?.seekToStart() }, Unmanaged.passUnretained(self).toOpaque(), nil)
    }

    private func seekToStart() {
        let branches = branches
        let range = settings.current
        guard let first = branches.first, let file = file.current else { return }
        for branch in branches { branch.isReady.withLock { $0 = false } }
        // Undecoded packets are only usable from a key frame on.
        let place = range.decodes ? GST_SEEK_FLAG_ACCURATE.rawValue : Self.keyFrameBefore
        let margin = file.container == .mov ? PacketFilter.Cut.margin : 0
        let (stop, isFar) = gint64(clamping: range.stop).addingReportingOverflow(margin)
        let event = gst_event_new_seek(
            1, GST_FORMAT_TIME, GstSeekFlags(GST_SEEK_FLAG_FLUSH.rawValue | place), GST_SEEK_TYPE_SET,
            gint64(clamping: range.start), range.stop > 0 ? GST_SEEK_TYPE_SET : GST_SEEK_TYPE_NONE,
            isFar ? .max : stop)
        progress.withLock { $0.seek = event.map { gst_event_get_seqnum($0) } }
        guard gst_pad_send_event(first.source, event) != 0 else {
            return fail(.failed(file.name, "it has no times to begin or end at: put it into MOV, MP4 or Matroska"))
        }
        progress.withLock { progress in
            progress.isAtStart = true
            if progress.phase == .seeking { progress.phase = .built }
        }
        if branches.allSatisfy({ $0.isReady.current }) { expose() }
    }

    private static let keyFrameBefore = GST_SEEK_FLAG_KEY_UNIT.rawValue | GST_SEEK_FLAG_SNAP_BEFORE.rawValue

    private func show(_ branch: Branch) {
        guard
            let template = gst_element_get_pad_template(gstElement, branch.isVideo ? "video_%u" : "audio_%u"),
            let pad = gst_ghost_pad_new_from_template(branch.name, branch.source, template)
        else { return }
        gst_pad_set_active(pad, 1)
        // Applications that link to the pad may query its caps at once.
        gst_pad_sticky_events_foreach(
            branch.source,
            { _, event, pad in
                guard let pad, let event = event?.pointee, event.pointee.type != GST_EVENT_EOS else { return 1 }
                gst_pad_store_sticky_event(pad.assumingMemoryBound(to: GstPad.self), event)
                return 1
            }, gpointer(pad))
        branch.pad.withLock { $0.value = pad }
        gst_element_add_pad(gstElement, pad)
    }

    // MARK: The end

    /// Reports what is missing of a video.
    /// - Returns: whether the loss is small enough to count the video as complete.
    private func judge(_ tally: Tally, _ file: SourceFile, decodes: Bool) -> Bool {
        // Matroska's demuxer takes a block that is larger than its cluster for the end of the file.
        let range = settings.current
        let ending = tally.ending(
            file.name, of: file.container == .matroska ? file.duration : nil, part: (range.start, range.stop),
            isBroken: { !file.isUnbroken })
        guard accept(ending, file) else { return false }
        guard decodes else { return true }
        return accept(tally.verdict(file.name, gapsAreMeant: { file.isUnbroken }), file)
    }

    private func accept(_ verdict: Tally.Verdict, _ file: SourceFile) -> Bool {
        switch verdict {
        case .whole: return true
        case .note(let text):
            warning(text, .stream(GST_STREAM_ERROR_DECODE))
            return true
        case .nothing:
            fail(.damaged(file.name))
            return false
        case .lost(let share):
            fail(.damaged(file.name, lost: share))
            return false
        case .brokenOff(let share):
            fail(.brokenOff(file.name, missing: share))
            return false
        }
    }
}
