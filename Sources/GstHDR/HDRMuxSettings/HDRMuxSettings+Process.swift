import CGStreamer
import CGstHDR
import GstBridge
import HDRContainer
import HDRExport
import HDRMetadata

extension HDRMuxSettings {
    // MARK: Start and stop

    /// READY to PAUSED: adds the muxer and the filters behind it.
    func start() -> Bool {
        let settings = settings.current
        running.withLock { $0 = settings }
        for branch in branches.current {
            branch.plan.withLock { $0 = nil }
            branch.levels.withLock { $0 = ContentLightMeter() }
            branch.packets.withLock { $0 = PacketCount() }
            branch.shownDuration.withLock { $0 = nil }
            branch.lead.withLock { $0 = 0 }
            branch.configuration.withLock { $0 = nil }
        }
        hasExplained.withLock { $0 = false }
        hasToldOfChapters.withLock { $0 = false }
        hasUnusedTrack.withLock { $0 = false }
        let factory = settings.fileType.muxer
        guard let muxer = gst_element_factory_make(factory, nil) else {
            missing(factory, package: DebianPackage.of(element: factory))
            return false
        }
        guard let filter = BinFilter.make("container", containerFilter(settings.fileType)) else { return false }
        configure(muxer, settings)
        let (isLinked, crowded) = building.withLock { elements -> (Bool, [Branch]) in
            elements.muxer = muxer
            for element in [muxer, filter] {
                gst_bin_add(bin, element)
                elements.all.append(element)
            }
            guard gst_element_link(muxer, filter) != 0, let source = gst_element_get_static_pad(filter, "src") else {
                return (false, [])
            }
            defer { gst_object_unref(source) }
            let ghost = UnsafeMutableRawPointer(element.pointee.srcpad!).assumingMemoryBound(to: GstGhostPad.self)
            gst_ghost_pad_set_target(ghost, source)
            let crowded = branches.current.filter { !connect($0, &elements) }
            watch.start(filter, media: settings.fileType.caps)
            return (true, crowded)
        }
        if !isLinked { error("the muxer \(factory) cannot be linked") }
        for branch in crowded { warnOfNoPlace(branch) }
        return isLinked
    }

    /// The filter that completes the muxer's output for a file type.
    private func containerFilter(_ fileType: FileType) -> BinFilter {
        let owner = ContainerOwner(
            begun: watch.stop, metadata: { [unowned self] in fileMetadata(fileType) },
            written: { [unowned self] in compare($0) })
        return fileType == .mpegts ? TransportStreamFilter(owner) : ContainerFilter(owner)
    }

    /// The metadata for the file's header, as far as the streams' plans are known now.
    private func fileMetadata(_ fileType: FileType) -> ContainerMetadata {
        var metadata = ContainerMetadata()
        metadata.removesEmptyTracks = true
        metadata.removesUnusedTracks = hasUnusedTrack.current
        for (index, branch) in tracks.enumerated() {
            let plan = branch.plan.current
            if branch.isVideo {
                metadata.shownDurations.append(branch.shownDuration.current)
                metadata.hiddenStarts.append(branch.lead.current)
            }
            if case .video(var track) = plan?.media {
                if case .set = track.contentLightLevel, let level = branch.levels.current.levels {
                    track.contentLightLevel = .set(level)
                }
                if fileType == .mpegts { track.codecConfiguration = branch.configuration.current }
                metadata.video.append(track)
            } else if branch.isVideo {
                metadata.video.append(.nothing)
            } else if case .sound(var track) = plan?.media {
                if track.priming == nil, let rate = track.sampleRate {
                    track.priming = AudioPriming(nanoseconds: branch.lead.current, rate: rate)
                }
                metadata.audio.append(track)
            } else {
                metadata.audio.append(AudioTrackMetadata())
            }
            if fileType == .matroska, plan?.isFromMatroska != true { metadata.undeterminedLanguages.insert(index) }
        }
        return metadata
    }

    /// Warns about packets that arrived and are not in the file.
    private func compare(_ all: [TrackSamples]) {
        let branches = tracks
        let written = hasUnusedTrack.current ? all.filter { $0.count > 0 } : all
        guard branches.count == written.count else {
            log.info("the file has \(written.count) tracks of \(branches.count) streams; packets are not counted")
            return
        }
        for (branch, track) in zip(branches, written) {
            let packets = branch.packets.current
            guard (track.kind == .video) == branch.isVideo else { continue }
            log.info("\(branch.name): \(packets.came) packets arrived, the file has \(track.count) samples")
            let missing = packets.isCountable ? packets.came - min(packets.came, track.count) : packets.dropped
            guard missing > 0 else { continue }
            let all = packets.isCountable ? " of \(packets.came)" : ""
            warning(
                "\(missing)\(all) packets of \(branch.name) are not in the file: they "
                    + "hold no frame, have no timestamp, or lie before the start of the segment; encode the "
                    + "stream to keep what they hold")
        }
    }

    private func configure(_ muxer: UnsafeMutablePointer<GstElement>, _ settings: Settings) {
        let object = UnsafeMutableRawPointer(muxer)
        switch settings.fileType {
        case .matroska:
            gst_util_set_object_arg(object.assumingMemoryBound(to: GObject.self), "writing-app", "hdrmux-settings")
        case .mov, .mp4:
            let muxer = object.assumingMemoryBound(to: GObject.self)
            // Edit lists and durations get the resolution of the tracks' timestamps.
            gst_util_set_object_arg(muxer, "movie-timescale", "90000")
            if settings.fragmentDuration > 0 {
                gst_util_set_object_arg(muxer, "fragment-duration", "\(settings.fragmentDuration)")
            } else if settings.optimizesForNetwork {
                gst_util_set_object_arg(muxer, "faststart", "true")
            }
        case .mpegts: break
        }
    }

    /// PAUSED to READY, after streaming has stopped.
    func stop() {
        watch.stop()
        running.withLock { $0 = nil }
        let branches = branches.current
        building.withLock { elements in
            for branch in branches {
                disconnect(branch, elements.muxer)
                branch.links.withLock { $0.elements = [] }
            }
            gst_ghost_pad_set_target(
                UnsafeMutableRawPointer(element.pointee.srcpad!).assumingMemoryBound(to: GstGhostPad.self), nil)
            for element in elements.all.reversed() {
                gst_element_set_state(element, GST_STATE_NULL)
                gst_bin_remove(bin, element)
            }
            elements = Elements()
        }
    }

    /// Adds elements to the bin and links them from the branch's head to the muxer.
    func link(_ links: [Link], _ branch: Branch) -> Bool {
        // The error is posted without the lock: an application may release pads while it gets the message.
        let problem = building.withLock { elements in assemble(links, branch, &elements) }
        if let problem { error(problem) }
        return problem == nil
    }

    /// - Returns: why the elements cannot be linked; `nil` where they are.
    private func assemble(_ links: [Link], _ branch: Branch, _ elements: inout Elements) -> String? {
        guard let target = branch.muxerPad else { return "the muxer has no place for the stream \(branch.name)" }
        for link in links {
            nameApart(link.element, branch)
            guard gst_bin_add(bin, link.element) != 0 else {
                return "\(Self.name(link.element)) cannot be added for the stream \(branch.name)"
            }
            elements.all.append(link.element)
            branch.links.withLock { $0.elements.append(link.element) }
        }
        var previous = branch.head
        for link in links {
            guard gst_element_link(previous, link.element) != 0 else {
                return "\(Self.name(previous)) and \(Self.name(link.element)) cannot be linked"
            }
            previous = link.element
        }
        guard let source = gst_element_get_static_pad(previous, "src") else {
            return "\(Self.name(previous)) has no source pad"
        }
        defer { gst_object_unref(source) }
        let result = gst_pad_link(source, target)
        guard result == GST_PAD_LINK_OK else {
            return "\(Self.name(previous)) and the muxer cannot be linked (\(result.rawValue))"
        }
        for link in links.reversed() { gst_element_sync_state_with_parent(link.element) }
        return nil
    }

    /// Makes an element's name unique in the bin, since two streams use elements of the same name.
    private func nameApart(_ element: UnsafeMutablePointer<GstElement>, _ branch: Branch) {
        let name = Self.name(element)
        let others = [name, "\(branch.name)-\(name)"] + (2...64).map { "\(branch.name)-\(name)-\($0)" }
        let free = others.first { other in
            guard let found = gst_bin_get_by_name(bin, other) else { return true }
            gst_object_unref(found)
            return false
        }
        guard let free, free != name else { return }
        gst_object_set_name(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self), free)
    }

    static func name(_ element: UnsafeMutablePointer<GstElement>) -> String {
        ElementMessage.name(element)
    }
}
