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
        let taken = branches.withLock { $0.map(\.name) }
        let name = wanted ?? (0...).lazy.map { "\(kind)_\($0)" }.first { !taken.contains($0) } ?? "\(kind)_0"
        if taken.contains(name) {
            warning("the pad \(name) exists already; ask for another number")
            return nil
        }
        let stage = InputStage(
            accepted: template.pointee.caps, watch: watch,
            build: { [unowned self] start in build(name, start) },
            refused: { [unowned self] in reportRefusal(name) }, abandon: { [unowned self] in abandon(name) })
        guard let head = Stage.make("\(name)-input", stage) else { return nil }
        gst_bin_add(bin, head)
        guard let inner = gst_element_get_static_pad(head, "sink") else { return nil }
        defer { gst_object_unref(inner) }
        guard let pad = gst_ghost_pad_new_from_template(name, inner, template) else {
            gst_bin_remove(bin, head)
            return nil
        }
        gst_pad_set_active(pad, 1)
        let branch = Branch(name: name, isVideo: isVideo, pad: pad, head: head, stage: stage)
        branches.withLock { $0.append(branch) }
        // A pad that is asked for while the bin runs joins the muxer at once.
        building.withLock { elements in if let muxer = elements.muxer { connect(branch, muxer) } }
        gst_element_add_pad(gstElement, pad)
        gst_element_sync_state_with_parent(head)
        return pad
    }

    func releasePad(_ pad: UnsafeMutablePointer<GstPad>) {
        guard
            let branch = branches.withLock({ list in
                list.firstIndex { $0.pad == pad }.map { list.remove(at: $0) }
            })
        else { return }
        gst_pad_set_active(pad, 0)
        building.withLock { disconnect(branch, $0.muxer) }
        gst_element_set_state(branch.head, GST_STATE_NULL)
        gst_bin_remove(bin, branch.head)
        gst_element_remove_pad(gstElement, pad)
    }

    private func connect(_ branch: Branch, _ muxer: UnsafeMutablePointer<GstElement>) {
        guard branch.muxerPad == nil else { return }
        branch.muxerPad = gst_element_request_pad_simple(muxer, branch.isVideo ? "video_%u" : "audio_%u")
        if branch.muxerPad == nil { warning("the muxer has no place for the stream \(branch.name)") }
        branch.sound.withLock { $0 = Sound(hasTrack: !branch.isVideo && branch.muxerPad != nil) }
    }

    private func disconnect(_ branch: Branch, _ muxer: UnsafeMutablePointer<GstElement>?) {
        guard let pad = branch.muxerPad else { return }
        branch.muxerPad = nil
        branch.sound.withLock { $0 = Sound() }
        if let muxer { gst_element_release_request_pad(muxer, pad) }
        gst_object_unref(pad)
    }

    /// A stream that ends without any data is none.
    private func abandon(_ name: String) {
        guard let branch = branches.withLock({ $0.first { $0.name == name } }) else { return }
        log.info("\(name) ends without data and is left out")
        let isLast = building.withLock { elements in
            disconnect(branch, elements.muxer)
            return branches.current.allSatisfy { $0.muxerPad == nil }
        }
        // A muxer without a stream never ends.
        if isLast {
            error("every stream ended before its first data came: there is nothing to write")
        }
    }

    // MARK: Start and stop

    /// READY to PAUSED: the muxer and what follows it.
    func start() -> Bool {
        let control = control.current
        container.withLock { $0 = .nothing }
        isFromMatroska.withLock { $0 = false }
        levels.withLock { $0 = ContentLightMeter() }
        hasExplained.withLock { $0 = false }
        let factory = control.fileType.muxer
        guard let muxer = gst_element_factory_make(factory, nil) else {
            missing(factory, package: "gstreamer1.0-plugins-good")
            return false
        }
        let boxes = BoxStage(begun: watch.stop) { [unowned self] in
            var metadata = container.current
            // Matroska's own default is what a Matroska source has said.
            metadata.tellsUndeterminedLanguage = control.fileType == .matroska && !isFromMatroska.current
            metadata.audioPriming = branches.current.map(\.sound.current).filter(\.hasTrack).map(\.priming)
            if case .set = metadata.contentLightLevel, let level = levels.current.levels {
                metadata.contentLightLevel = .set(level)
            }
            return metadata
        }
        guard let stage = Stage.make("boxes", boxes) else { return false }
        configure(muxer, control)
        return building.withLock { elements in
            elements.muxer = muxer
            for element in [muxer, stage] {
                gst_bin_add(bin, element)
                elements.all.append(element)
            }
            guard gst_element_link(muxer, stage) != 0, let source = gst_element_get_static_pad(stage, "src") else {
                error("the muxer \(factory) cannot be linked")
                return false
            }
            defer { gst_object_unref(source) }
            let ghost = UnsafeMutableRawPointer(element.pointee.srcpad!).assumingMemoryBound(to: GstGhostPad.self)
            gst_ghost_pad_set_target(ghost, source)
            for branch in branches.current { connect(branch, muxer) }
            watch.start(stage, media: control.fileType.caps)
            return true
        }
    }

    private func configure(_ muxer: UnsafeMutablePointer<GstElement>, _ control: Control) {
        let object = UnsafeMutableRawPointer(muxer)
        switch control.fileType {
        case .matroska:
            gst_util_set_object_arg(object.assumingMemoryBound(to: GObject.self), "writing-app", "hdrmux-settings")
        case .mov, .mp4:
            let muxer = object.assumingMemoryBound(to: GObject.self)
            // Edit lists and durations as exact as the tracks' times.
            gst_util_set_object_arg(muxer, "movie-timescale", "90000")
            if control.fragmentDuration > 0 {
                gst_util_set_object_arg(muxer, "fragment-duration", "\(control.fragmentDuration)")
            } else if control.optimizesForNetwork {
                gst_util_set_object_arg(muxer, "faststart", "true")
            }
        }
    }

    /// PAUSED to READY: nothing streams any more.
    func stop() {
        watch.stop()
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

    // MARK: One stream

    private func build(_ name: String, _ start: InputStage.Start) -> Bool {
        guard let branch = branches.withLock({ $0.first { $0.name == name } }) else { return false }
        do {
            let planner = try control.current.planner()
            let chain = branch.isVideo ? try video(planner, start, branch) : try audio(planner, start, branch)
            return link(chain, branch)
        } catch {
            // What can be installed is software.
            if case .missingEncoder(_, let refusals, let package) = error,
                let software = refusals.first(where: { !$0.isHardware && $0.reason == .missing })
            {
                missing(software.factory, package: package, "\(error)")
            } else {
                self.error("\(error)")
            }
            return false
        }
    }

    private func video(
        _ planner: ExportPlanner, _ start: InputStage.Start, _ branch: Branch
    ) throws(ExportError) -> [Link] {
        guard var source = SourceFormat(start.caps, rotation: start.orientation.rotation) else {
            throw .sourceNotUsable("its caps are \(Caps.description(start.caps))")
        }
        if let unknown = UnknownColorName(start.caps) { throw .sourceNotUsable("\(unknown)") }
        source.isMirrored = start.orientation.isMirrored
        let header = try complete(&source, start, branch)
        var plan = try planner.plan(video: source)
        plan.warnings += header.warnings(plan, source, keepsDynamic: control.current.preservesDynamic)
        if source.codec != nil && !plan.isPassthrough {
            throw .sourceNotUsable("it is compressed; put decodebin before the pad, or choose the preset passthrough")
        }
        let encoder = plan.isPassthrough ? nil : try EncoderChoice(plan, control.current, log).find()
        report(plan, encoder)
        note(plan)
        setClock(plan, branch)
        branch.stage.dropsOrientation = plan.geometry.changesOrientation
        branch.stage.tag = plan.color.assumed?.colorimetry
        return try VideoChain(plan, encoder, start, self, header, hasTimes: branch.stage.hasTimes).links()
    }

    private func audio(
        _ planner: ExportPlanner, _ start: InputStage.Start, _ branch: Branch
    ) throws(ExportError) -> [Link] {
        guard let source = AudioSource(start.caps) else {
            throw .sourceNotUsable("its caps are \(Caps.description(start.caps))")
        }
        let plan = try planner.plan(audio: source)
        if source.codec != nil && !plan.isPassthrough {
            throw .sourceNotUsable(
                "the sound is compressed; put decodebin before the pad, or choose the preset passthrough")
        }
        var chain = AudioChain(plan, start.caps, control.current.fileType, log)
        let links = try chain.links()
        branch.sound.withLock { $0.priming = chain.priming }
        return links
    }

    /// A track's clock ticks in a multiple of the frame rate, fine enough for rates that vary.
    private func setClock(_ plan: VideoPlan, _ branch: Branch) {
        guard plan.fileType != .matroska, let pad = branch.muxerPad else { return }
        let rate = plan.frameRate?.numerator ?? 90000
        let ticks = rate > 0 && rate <= 200_000 ? rate : 90000
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(pad).assumingMemoryBound(to: GObject.self), "trak-timescale",
            "\(ticks * ((90000 + ticks - 1) / ticks))")
    }

    /// What the application is told of the plan: the message `export-plan`, and warnings.
    private func report(_ plan: VideoPlan, _ encoder: EncoderOptions?) {
        for text in plan.warnings { warning(text) }
        let summary = plan.summary(encoder: encoder)
        for line in summary { log.info("\(line)") }
        var settings = [Setting("summary", .string(summary.joined(separator: "\n")))]
        if let encoder { settings.append(Setting("encoder", .string(encoder.factory))) }
        post(SettingStructure.make("export-plan", settings))
    }

    /// What the plan says of the file's header.
    private func note(_ plan: VideoPlan) {
        container.withLock { container in
            container = .nothing
            container.insertion = control.current.insertsMetadata ? .auto : .none
            switch plan.color.action {
            case .untagged: container.color = plan.isPassthrough ? .keep : .remove
            default: container.color = plan.color.target.map { .set($0) } ?? .keep
            }
            if plan.geometry.displayRotation != 0 { container.rotation = .set(plan.geometry.displayRotation) }
            let known = plan.metadata.known
            // What is copied may say it in the stream alone.
            let otherwise = plan.isPassthrough
            container.ambientViewing = known.ambientViewing.map { .set($0) } ?? (otherwise ? .keep : .remove)
            // Matroska has no place for it, and HEVC's own messages have it.
            if plan.fileType == .matroska, plan.codec == .hevc { container.ambientViewing = .keep }
            container.masteringDisplay = known.masteringDisplay.map { .set($0) } ?? (otherwise ? .keep : .remove)
            switch plan.metadata.contentLightLevel {
            case .measured: container.contentLightLevel = .set(ContentLightLevel(maximum: 0, frameAverage: 0))
            case .fixed(let level): container.contentLightLevel = .set(level)
            case .none: container.contentLightLevel = otherwise ? .keep : .remove
            }
        }
    }

    /// Puts elements into the bin and links them from the branch's head to the muxer.
    private func link(_ links: [Link], _ branch: Branch) -> Bool {
        building.withLock { elements in
            guard let target = branch.muxerPad else {
                error("the muxer has no place for the stream \(branch.name)")
                for link in links { gst_object_unref(gst_object_ref_sink(link.element)) }
                return false
            }
            for link in links {
                nameApart(link.element, branch)
                gst_bin_add(bin, link.element)
                elements.all.append(link.element)
            }
            branch.links.withLock { $0.elements = links.map(\.element) }
            var previous = branch.head
            for link in links {
                guard gst_element_link(previous, link.element) != 0 else {
                    error("\(Self.name(previous)) and \(Self.name(link.element)) cannot be linked")
                    return false
                }
                previous = link.element
            }
            guard let source = gst_element_get_static_pad(previous, "src") else { return false }
            defer { gst_object_unref(source) }
            let result = gst_pad_link(source, target)
            guard result == GST_PAD_LINK_OK else {
                error("\(Self.name(previous)) and the muxer cannot be linked (\(result.rawValue))")
                return false
            }
            for link in links.reversed() { gst_element_sync_state_with_parent(link.element) }
            return true
        }
    }

    /// Two streams have steps of the same name, which a bin does not take.
    private func nameApart(_ element: UnsafeMutablePointer<GstElement>, _ branch: Branch) {
        let name = Self.name(element)
        guard let other = gst_bin_get_by_name(bin, name) else { return }
        gst_object_unref(other)
        gst_object_set_name(
            UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self), "\(branch.name)-\(name)")
    }

    static func name(_ element: UnsafeMutablePointer<GstElement>) -> String {
        guard let name = gst_object_get_name(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self))
        else { return "an element" }
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Posts the message by which applications offer to install an element, and the error.
    private func missing(_ factory: String, package: String, _ text: String? = nil) {
        if let message = gst_missing_element_message_new(gstElement, factory) {
            gst_element_post_message(gstElement, message)
        }
        ElementMessage.error(
            UnsafeMutableRawPointer(element), domain: gst_core_error_quark(),
            code: Int32(GST_CORE_ERROR_MISSING_PLUGIN.rawValue),
            text ?? "the element \(factory) is missing. Install the Debian package \(package)")
    }
}
