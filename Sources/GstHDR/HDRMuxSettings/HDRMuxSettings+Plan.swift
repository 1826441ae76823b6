import CGStreamer
import CGstHDR
import GstBridge
import HDRContainer
import HDRExport
import HDRMetadata

extension HDRMuxSettings {
    // MARK: One stream

    func build(_ name: String, _ start: InputFilter.Start) -> Bool {
        guard let branch = branches.withLock({ $0.first { $0.name == name } }) else { return false }
        do {
            let planner = try settingsInUse.planner()
            var chain = branch.isVideo ? try video(planner, start, branch) : try audio(planner, start, branch)
            let empty = EmptyStreamFilter(marksGaps: settingsInUse.fileType == .matroska && !branch.isVideo) {
                [unowned self] in abandon(name, isKnown: $0)
            }
            // The last link is the queue in front of the muxer.
            chain.insert(try Link("empty-stream", empty), at: max(chain.count - 1, 0))
            let lost = settingsInUse.fileType == .matroska ? nil : { [unowned self] count in loseChapters(count) }
            chain.insert(try Link("chapters", ChapterFilter(lost: lost)), at: 0)
            return link(chain, branch)
        } catch {
            // Only software encoders can be installed.
            if case .missingEncoder(_, let refusals, let package, _) = error,
                let software = refusals.first(where: { !$0.isHardware && $0.reason == .missing })
            {
                missing(software.factory, package: package, "\(error)")
            } else if case .missingElement(let factory, let package) = error {
                missing(factory, package: package, "\(error)")
            } else {
                self.error("\(error)")
            }
            return false
        }
    }

    /// The number of first pictures that are searched for dynamic metadata, which any of them may lack: a damaged one,
    /// one at which a part of the source begins, or the first of an application.
    static let searchedPictures = 8

    /// The number of first buffers that the plan of a stream with these caps may be made from. Only pictures that an
    /// `hdrmetaparse` has seen wait.
    func picturesToPlan(_ name: String, _ caps: UnsafeMutablePointer<GstCaps>) -> Int {
        guard let planner = try? settingsInUse.planner(), let source = SourceFormat(caps),
            planner.looksForDynamicMetadata(source),
            let pad = branches.withLock({ list in list.first { $0.name == name }?.pad }),
            Upstream.readsDynamicMetadata(pad)
        else { return 1 }
        return Self.searchedPictures
    }

    private func video(
        _ planner: ExportPlanner, _ start: InputFilter.Start, _ branch: Branch
    ) throws(ExportError) -> [Link] {
        // videoflip 1.22 leaves the orientation tag unchanged after it has rotated the pictures by it.
        let turn = Upstream.turn(branch.pad, tagged: start.orientation)
        let orientation = turn == nil ? start.orientation : Orientation()
        branch.input.turn = turn ?? Orientation()
        guard var source = SourceFormat(start.caps, rotation: orientation.rotation) else {
            throw .sourceNotUsable("its caps are \(Caps.description(start.caps))")
        }
        if let unknown = UnknownColorName(start.caps) { throw .sourceNotUsable("\(unknown)") }
        source.isMirrored = orientation.isMirrored
        let header = try complete(&source, start, branch)
        source.readMetadata(branch.input.waiting, Upstream.history(branch.pad, tagged: start.orientation))
        var plan = try planner.plan(video: source)
        plan.warnings += header.warnings(plan, source, keepsDynamic: settingsInUse.preservesDynamic)
        if source.codec != nil && !plan.isPassthrough {
            throw .sourceNotUsable("it is compressed; put decodebin before the pad, or choose the preset passthrough")
        }
        let encoder = plan.isPassthrough ? nil : try EncoderChoice(plan, settingsInUse, log).find()
        report(plan, encoder)
        let track = VideoTrackMetadata(plan, header, insertsMetadata: settingsInUse.insertsMetadata)
        branch.plan.withLock { $0 = StreamPlan(media: .video(track), isFromMatroska: header.isMatroska) }
        setClock(plan, header, branch)
        branch.input.dropsOrientation = plan.geometry.changesOrientation || turn != nil
        branch.input.tag = plan.color.assumed?.colorimetry
        return try VideoChain(plan, encoder, start, self, header, branch).links()
    }

    private func audio(
        _ planner: ExportPlanner, _ start: InputFilter.Start, _ branch: Branch
    ) throws(ExportError) -> [Link] {
        guard let source = AudioSource(start.caps) else {
            throw .sourceNotUsable("its caps are \(Caps.description(start.caps))")
        }
        let plan = try planner.plan(audio: source)
        if source.codec != nil && !plan.isPassthrough {
            throw .sourceNotUsable(
                "the sound is compressed; put decodebin before the pad, or choose the preset passthrough")
        }
        if let text = plan.placement?.warning { warning(text) }
        let isHidden = settingsInUse.fileType.isMovie && plan.isPassthrough && plan.codec != .pcm
        let lead = isHidden ? branch.input.lead : 0
        branch.lead.withLock { $0 = lead }
        var chain = AudioChain(plan, settingsInUse.fileType, log, branch.packets, lead: lead)
        let links = try chain.links()
        let isFromMatroska = SourceHeader.isMatroska(branch.pad)
        if settingsInUse.fileType == .mpegts { startEarlier(by: chain.priming, branch) }
        let track = AudioTrackMetadata(
            priming: chain.priming, pcm: PCMDescription(plan),
            sampleRate: plan.codec == .pcm ? nil : UInt32(exactly: plan.sampleRate))
        branch.plan.withLock { $0 = StreamPlan(media: .sound(track), isFromMatroska: isFromMatroska) }
        return links
    }

    /// Starts the audio earlier by its encoder delay, since a transport stream cannot tell players to skip it.
    private func startEarlier(by priming: AudioPriming?, _ branch: Branch) {
        guard let priming, let pad = building.withLock({ _ in branch.muxerPad }) else { return }
        gst_pad_set_offset(pad, Self.transportStreamStart - gint64(clamping: priming.nanoseconds))
    }

    /// Chooses the timescale so that the track represents the source's times exactly: a multiple of the source track's,
    /// where a file's header states it, or else of the frame rate; at least 90 000 ticks per second for variable rates.
    private func setClock(_ plan: VideoPlan, _ header: SourceHeader, _ branch: Branch) {
        guard plan.fileType.isMovie, let pad = building.withLock({ _ in branch.muxerPad }) else { return }
        let isSourcesTime = !plan.resamplesFrames && settingsInUse.mixedSources == nil
        let source = isSourcesTime ? header.track?.timescale.map { Int($0) } : nil
        let ticks = MediaTimescale.of(source: source, frameRate: plan.frameRate)
        gst_util_set_object_arg(pad.asGObject, "trak-timescale", "\(ticks)")
    }

    /// Warns about chapters, once for all streams, each of which carries them.
    private func loseChapters(_ count: Int) {
        let isFirst = hasToldOfChapters.withLock { isTold in
            defer { isTold = true }
            return !isTold
        }
        guard isFirst else { return }
        warning("chapters are not in the file, of which the source has \(count): only Matroska files get them")
    }

    /// Posts the message `export-plan`, and each of the plan's warnings.
    private func report(_ plan: VideoPlan, _ encoder: EncoderOptions?) {
        for text in plan.warnings { warning(text) }
        let summary = plan.summary(encoder: encoder)
        for line in summary { log.info("\(line)") }
        var settings = [Setting("summary", .string(summary.joined(separator: "\n")))]
        if let encoder { settings.append(Setting("encoder", .string(encoder.factory))) }
        post(SettingStructure.make("export-plan", settings))
    }

    /// Posts a missing-plugin message, with which applications offer to install the element, and an error.
    func missing(_ factory: String, package: String, _ text: String? = nil) {
        if let message = gst_missing_element_message_new(gstElement, factory) {
            gst_element_post_message(gstElement, message)
        }
        error(
            text ?? "the element \(factory) is missing. Install the Debian package \(package)",
            .core(GST_CORE_ERROR_MISSING_PLUGIN))
    }
}
