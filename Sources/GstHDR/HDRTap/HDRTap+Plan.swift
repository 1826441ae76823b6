import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// What the stream is, and when processors are prepared for it.
extension HDRTap {
    /// Where a section would go on in a new segment: running and stream time in ns.
    struct Continuation {
        let running: UInt64
        let stream: UInt64
    }

    /// New caps. Those that are no raw audio pass.
    func setCaps(_ newCaps: UnsafeMutablePointer<GstCaps>) {
        if let caps, gst_caps_is_equal(caps, newCaps) != 0 { return }
        endSection(withTail: false)
        unprepare()
        if let caps { gst_caps_unref(caps) }
        caps = gst_caps_ref(newCaps)
        hasReportedFormat = false
        format = nil
        guard isRawAudio else { return }
        var info = GstAudioInfo()
        if gst_audio_info_from_caps(&info, newCaps) != 0 { format = TapFormat(info) }
    }

    var isRawAudio: Bool { caps.flatMap { Caps.mediaType($0) } == "audio/x-raw" }

    enum Readiness {
        case process(AudioTap, TapFormat)
        case pass
        case failed
    }

    /// Prepares the processor if that is due.
    func makeReady() -> Readiness {
        guard let tap, caps != nil else { return .pass }
        guard let format, format.channels <= TapFormat.mostChannels else {
            guard isRawAudio else {
                if !hasReportedFormat {
                    hasReportedFormat = true
                    warnOfOtherStream(tap)
                }
                return .pass
            }
            if !hasReportedFormat {
                hasReportedFormat = true
                error(
                    "Audio of the format \(caps.map { Caps.description($0) } ?? "") cannot be processed: up to "
                        + "\(TapFormat.mostChannels) channels can; audioconvert before this element makes fewer",
                    .stream())
            }
            return .failed
        }
        if isPrepared { return .process(tap, format) }
        let wanted = Int(control.withLock { $0.maxFrames })
        maxFrames = wanted > 0 ? wanted : Self.usualFrames(format.rate)
        guard let caps else { return .pass }
        if let refusal = tap.prepare(format, caps: caps, maxFrames: maxFrames) {
            error("\(refusal). Convert the stream before this element, or attach other callbacks", .stream())
            return .failed
        }
        isPrepared = true
        log.info("prepared for \(Caps.description(caps)), \(maxFrames) frames a call, latency \(tap.latency)")
        setLatency(frames: tap.latency)
        return .process(tap, format)
    }

    private func warnOfOtherStream(_ tap: AudioTap) {
        let name = caps.flatMap { Caps.mediaType($0) }
        let subject =
            switch tap {
            case is EffectTap: "The effect \(control.current.effectName ?? "")"
            case is SignalTap: "The signal process"
            default: "The callback process"
            }
        warning(
            "\(subject) is for raw audio, and this stream is \(name ?? "something else"), which passes unchanged. Put the "
                + "element where decoded audio goes by")
    }

    /// 2048 at 44.1 and 48 kHz, and as long at other rates, in powers of two.
    static func usualFrames(_ rate: Int) -> Int {
        var frames = 2048
        var covered = 48000
        while covered < rate && frames < 1 << 16 {
            frames *= 2
            covered *= 2
        }
        while covered > 0 && covered / 2 >= rate && frames > 64 {
            frames /= 2
            covered /= 2
        }
        return frames
    }

    func unprepare() {
        silence = 0
        guard isPrepared else { return }
        isPrepared = false
        tap?.unprepare()
        setLatency(frames: 0)
    }

    /// The streaming has ended, or the element goes.
    func endStream() {
        section = nil
        continuation = nil
        unprepare()
        format = nil
        if let caps { gst_caps_unref(caps) }
        caps = nil
        gst_segment_init(&segment, GST_FORMAT_UNDEFINED)
    }

    // MARK: Latency

    func setLatency(frames: Int) {
        let time = format.map { ClockTime.nanoseconds(frames: frames, rate: $0.rate) } ?? 0
        guard latency.exchange(time, ordering: .relaxed) != time else { return }
        g_object_notify(element.asGObject, "latency")
        gst_element_post_message(
            gstElement,
            gst_message_new_latency(gstObject))
    }

    /// Answers the latency query: upstream's and the processor's.
    /// - Returns: `false` for all other queries.
    func sourceQuery(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        let own = latency.load(ordering: .relaxed)
        guard query.pointee.type == GST_QUERY_LATENCY, own > 0,
            gst_pad_peer_query(element.pointee.sinkpad, query) != 0
        else { return false }
        var isLive: gboolean = 0
        var minimum: GstClockTime = 0
        var maximum: GstClockTime = 0
        gst_query_parse_latency(query, &isLive, &minimum, &maximum)
        func later(_ time: GstClockTime) -> GstClockTime {
            let (sum, overflow) = UInt64(time).addingReportingOverflow(own)
            return overflow ? GstClockTime.max : GstClockTime(sum)
        }
        minimum = later(minimum)
        if maximum != GstClockTime.max { maximum = later(maximum) }
        gst_query_set_latency(query, isLive, minimum, maximum)
        return true
    }
}
