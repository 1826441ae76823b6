import CGStreamer
import CGstHDRX265
import CX265
import GstBridge
import HDRBitstream
import HDRMetadata

extension HDRX265Enc {
    /// The caps that upstream may send: formats that this libx265 encodes, with profiles that downstream accepts.
    func getCaps(filter: Caps.Pointer?) -> Caps.Pointer? {
        guard let pad = base.pointee.sinkpad, let template = gst_pad_get_pad_template_caps(pad) else {
            return gst_video_encoder_proxy_getcaps(base, nil, filter)
        }
        defer { gst_mini_object_unref(template.asMiniObject) }
        guard let own = gst_caps_copy(template) else { return gst_video_encoder_proxy_getcaps(base, nil, filter) }
        defer { gst_mini_object_unref(own.asMiniObject) }
        let profiles = allowedProfiles().map { names in StreamProfile.all.filter { names.contains($0.name) } }
        let formats = InputFormat.all.filter { format in
            cx265_api(format.depth) != nil && profiles?.contains { $0.holds(format) } ?? true
        }
        for structure in Caps.structures(own) { Caps.set(structure, "format", to: formats.map(\.name)) }
        return gst_video_encoder_proxy_getcaps(base, own, filter)
    }

    /// The profiles that downstream accepts; `nil` for any.
    private func allowedProfiles() -> [String]? {
        guard let pad = base.pointee.srcpad, let caps = gst_pad_get_allowed_caps(pad) else { return nil }
        defer { gst_mini_object_unref(caps.asMiniObject) }
        let lists = Caps.structures(caps).map { Caps.strings($0, "profile") }
        return lists.isEmpty || lists.contains { $0 == nil } ? nil : lists.flatMap { $0 ?? [] }
    }

    /// Adopts another format. Pictures that wait in the encoder are output first. Where the caps differ in nothing that
    /// is encoded, such as a multiview mode that only one of two clips names, the encoder continues.
    func setFormat(_ state: UnsafeMutablePointer<GstVideoCodecState>) -> Bool {
        if let plan, let caps = state.pointee.caps, plan.encodes(state.pointee.info, caps) {
            keepState(state)
            return true
        }
        let flow = drain()
        if flow != GST_FLOW_OK { log.info("the pictures before the new format could not be pushed: \(flow.rawValue)") }
        guard let caps = state.pointee.caps, makePlan(state.pointee.info, caps) else { return false }
        keepState(state)
        return true
    }

    /// Adopts the metadata of caps that differ in nothing else, about which the base class does not notify.
    func followCaps(before frame: Frame) -> GstFlowReturn {
        guard let pad = base.pointee.sinkpad, let caps = gst_pad_get_current_caps(pad) else { return GST_FLOW_OK }
        if caps == seenCaps {
            gst_caps_unref(caps)
            return GST_FLOW_OK
        }
        if let seenCaps { gst_caps_unref(seenCaps) }
        seenCaps = caps
        reportUnreadable(caps)
        guard let plan, StaticMetadata(caps: caps) != plan.metadata else { return GST_FLOW_OK }
        let flow = drain(before: frame)
        guard flow == GST_FLOW_OK else { return flow }
        return makePlan(plan.info, caps) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED
    }

    /// Warns about fields that cannot be parsed: they count as absent, so the stream lacks what the caps state.
    private func reportUnreadable(_ caps: Caps.Pointer) {
        for (field, text, form) in StaticMetadata.unreadable(in: caps) where reported.insert(field + text).inserted {
            warning(
                "\(field)=\(text) in the caps is not written into the stream: it is not \(form); the upstream element "
                    + "that sets it produces wrong caps.", .stream())
        }
    }

    private func makePlan(_ info: GstVideoInfo, _ caps: Caps.Pointer) -> Bool {
        let format = info.finfo?.pointee.name.flatMap { InputFormat.named(String(cString: $0)) }
        let profile = format.flatMap { format in
            allowedProfiles().flatMap { StreamProfile.request(format, among: $0) }
        }
        do {
            let settings = settings.current
            plan = try Plan(info: info, caps: caps, settings: settings, profile: profile)
            currentBitrate = settings.bitrate
        } catch {
            plan = nil
            self.error(error.description)
            return false
        }
        return true
    }

    /// Opens the encoder for the first picture, and announces its output.
    ///
    /// Levels of Dolby Vision limit the bit rate, which libx265 only respects where the decoder's buffer is limited
    /// too, here to one second. The limits are those of the main tier; by itself, libx265 would prefer the high tier of
    /// a lower level.
    func openEncoder(_ plan: Plan, isDolbyVision: Bool) -> X265Encoder? {
        let p = plan.parameters.pointer
        if !plan.hasBuffer {
            let limit = DolbyVisionRate.highest(
                width: plan.width, height: plan.height, framesPerSecond: plan.framesPerSecond)
            let rate = isDolbyVision ? max(limit, p.pointee.rc.bitrate) : 0
            p.pointee.rc.vbvMaxBitrate = rate
            p.pointee.rc.vbvBufferSize = rate
            if !plan.choosesTier { p.pointee.bHighTier = isDolbyVision ? 0 : 1 }
        }
        isForDolbyVision = isDolbyVision
        let statistics: PassStatistics?
        do {
            statistics = try passStatistics(plan)
        } catch {
            self.error(error.description)
            return nil
        }
        guard let opened = X265Encoder(plan.parameters) else {
            // Opens it again with messages on, since libx265 reports reasons on standard error only.
            let level = plan.parameters.pointer.pointee.logLevel
            plan.parameters.pointer.pointee.logLevel = max(level, X265_LOG_ERROR)
            defer { plan.parameters.pointer.pointee.logLevel = level }
            if level >= X265_LOG_ERROR || X265Encoder(plan.parameters) == nil {
                error("libx265 refuses the settings; what it wrote to standard error says why.\(passAdvice(plan))")
            }
            return nil
        }
        if let statistics {
            do {
                try checkBlocks(statistics, of: opened, plan)
            } catch {
                self.error(error.description)
                return nil
            }
        }
        passPictures = statistics?.count
        picturesTaken = 0
        if p.pointee.bEnablePsnr != 0 || p.pointee.bEnableSsim != 0, p.pointee.logLevel < X265_LOG_INFO,
            reported.insert("measurements").inserted
        {
            warning("libx265 measures PSNR and SSIM only with log-level=info or a higher level.")
        }
        encoder = opened
        needsStart = true
        announce(plan, opened)
        return opened
    }

    /// Sets the caps of the coded stream, its tags, and the latency.
    private func announce(_ plan: Plan, _ encoder: X265Encoder) {
        if let caps = outputCaps(encoder),
            let state = gst_video_encoder_set_output_state(base, caps, inputState)
        {
            declare(plan.metadata, in: state)
            gst_video_codec_state_unref(state)
        }
        let delay = UInt64(encoder.delay) &* plan.frameDuration
        gst_video_encoder_set_latency(base, GstClockTime(delay), GstClockTime(delay))
        announceTags(encoder)
    }

    /// Sets the metadata of the coded stream's caps: the base class keeps those of the first caps of this format.
    private func declare(_ metadata: StaticMetadata, in state: UnsafeMutablePointer<GstVideoCodecState>) {
        let size = gsize(MemoryLayout<GstVideoMasteringDisplayInfo>.size)
        let lightSize = gsize(MemoryLayout<GstVideoContentLightLevel>.size)
        if let old = state.pointee.mastering_display_info { g_slice_free1(size, old) }
        if let old = state.pointee.content_light_level { g_slice_free1(lightSize, old) }
        state.pointee.mastering_display_info = nil
        state.pointee.content_light_level = nil
        if let caps = state.pointee.caps { metadata.write(to: caps) }
    }

    private func announceTags(_ encoder: X265Encoder) {
        guard let tags = gst_tag_list_new_empty() else { return }
        var value = GValue()
        g_value_init(&value, GTypes.string)
        let version = encoder.api.pointee.version_str.map { " " + String(cString: $0) } ?? ""
        g_value_set_string(&value, "x265\(version)")
        gst_tag_list_add_value(tags, GST_TAG_MERGE_REPLACE, "encoder", &value)
        g_value_unset(&value)
        gst_video_encoder_merge_tags(base, tags, GST_TAG_MERGE_REPLACE)
        gst_mini_object_unref(tags.cast())
    }

    /// The caps, with profile, tier and level from the parameter sets.
    private func outputCaps(_ encoder: X265Encoder) -> Caps.Pointer? {
        guard let caps = gst_caps_new_empty_simple("video/x-h265"), let structure = gst_caps_get_structure(caps, 0)
        else { return nil }
        Caps.set(structure, "stream-format", to: "byte-stream")
        Caps.set(structure, "alignment", to: "au")
        let level = Self.profileTierLevel(encoder.parameterSets)
        if level.isEmpty {
            log.warning("the video parameter set has no profile")
        } else {
            gst_codec_utils_h265_caps_set_level_tier_and_profile(caps, level, guint(level.count))
        }
        return caps
    }

    /// profile_tier_level() of the video parameter set (H.265 7.3.2.1, 7.3.3), which comes first.
    static func profileTierLevel(_ parameterSets: [UInt8]) -> [UInt8] {
        // A start code of three or four bytes and a unit header of two bytes; the structure begins after four further
        // bytes.
        guard let one = parameterSets.firstIndex(of: 1) else { return [] }
        let unit = parameterSets[(one + 1)...]
        let bytes = Array(unit).withUnsafeBytes { EmulationPrevention.removed(from: $0, limit: 2 + 4 + 12) }
        guard bytes.count == 18, bytes[0] >> 1 == HEVCUnitType.vps else { return [] }
        return Array(bytes[6...])
    }
}
