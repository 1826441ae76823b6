import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

/// Peaks that follow the scene: pictures are measured, wait for those behind them where that costs no latency that
/// matters, and are converted with a curve for their scene.
extension HDRConvert {
    /// Makes what detection needs for the plan without it, or ends it where that needs none.
    /// - Parameter conversion: the plan with the static peak.
    func prepareDetection(_ settings: Settings, _ conversion: ConversionPlan, _ negotiated: Negotiated, threads: Int) {
        guard settings.detectsPeaks, conversion.source.transfer.isHDR, conversion.toneCurve.followsPeak,
            conversion.targetPeak < conversion.sourcePeak
        else {
            scene = nil
            latency.withLock { $0 = 0 }
            return
        }
        let (from, to) = (negotiated.source.color.primaries, negotiated.target.color.primaries)
        let source = SceneDetection.Source(
            signal: negotiated.source, gamut: from == to ? .bt709 : to, hlgPeak: conversion.hlgPeak,
            white: conversion.referenceWhite)
        let info = negotiated.sourceInfo
        let hasRate = info.fps_n > 0 && info.fps_d > 0
        let interval = hasRate ? Double(info.fps_d) / Double(info.fps_n) : 0.04
        if scene?.source != source || scene?.threads != threads || scene?.interval != interval {
            scene = SceneDetection(source, threads: threads, interval: interval)
            sceneLight = nil
            recentPlans = []
        }
        if isLive == nil { isLive = askWhetherLive() }
        updateLatency(settings)
    }

    /// Pictures that may wait. A live stream is never held back. Nor is one whose rate is not known, because nobody
    /// could be told by how much.
    private func lookAhead(_ settings: Settings) -> Int {
        guard scene != nil, settings.detectsPeaks, isLive == false, let info = negotiated?.sourceInfo, info.fps_n > 0,
            info.fps_d > 0
        else {
            return 0
        }
        return Int(settings.lookAhead)
    }

    /// The time by which pictures are held back, in ns, for the latency query.
    private func updateLatency(_ settings: Settings) {
        guard let info = negotiated?.sourceInfo, info.fps_n > 0, info.fps_d > 0 else { return }
        let frames = guint64(lookAhead(settings))
        let time = UInt64(
            gst_util_uint64_scale_ceil(
                frames, guint64(info.fps_d) * guint64(ClockTime.second), guint64(info.fps_n)))
        let isNew = latency.withLock { latency in
            defer { latency = time }
            return latency != time
        }
        if isNew, let message = gst_message_new_latency(gstObject) { gst_element_post_message(gstElement, message) }
    }

    /// Whether upstream is live; where it does not say, it is taken to be.
    private func askWhetherLive() -> Bool {
        guard let query = gst_query_new_latency() else { return true }
        defer { gst_query_unref(query) }
        guard let pad = transform.pointee.sinkpad, gst_pad_peer_query(pad, query) != 0 else { return true }
        var isLive: gboolean = 1
        gst_query_parse_latency(query, &isLive, nil, nil)
        return isLive != 0
    }

    /// Buffers of upstream's pool that may be held at a time.
    var mostHeld: UInt32 { UInt32(clamping: lookAhead(settings.current)) }

    // MARK: Pictures in

    /// Takes over the buffer that waits in the base class, where pictures are measured or others wait before it.
    func submitted() {
        guard let buffer = transform.pointee.queued_buf, scene != nil || !held.isEmpty else { return }
        transform.pointee.queued_buf = nil
        // In a live stream a picture is measured while it is converted, and serves the next one.
        let isMeasured = isLive == false || scene?.light == nil
        held.append(HeldPicture(buffer: buffer, measured: isMeasured ? measure(buffer) : nil))
        let most = min(lookAhead(settings.current), isOfLimitedPool(buffer) ? 0 : .max)
        // Nothing waits for the first picture: it is what a paused pipeline and a snapshot show.
        due = hasShownFirst ? max(held.count - most, 0) : held.count
        hasShownFirst = true
    }

    /// Whether a buffer's pool may run out of buffers, so that one that is held could stop the stream.
    private func isOfLimitedPool(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        guard let pool = buffer.pointee.pool, let config = gst_buffer_pool_get_config(pool) else { return false }
        defer { gst_structure_free(config) }
        var most: guint = 0
        return gst_buffer_pool_config_get_params(config, nil, nil, nil, &most) == 0 || most > 0
    }

    private func measure(_ buffer: UnsafeMutablePointer<GstBuffer>) -> MeasuredPicture? {
        guard let scene, let pool, let negotiated else { return nil }
        let source = negotiated.source
        let isMeasured = negotiated.sourceInfo.withMappedFrame(buffer) { frame in
            let size = (width: source.width, height: source.height)
            guard let view = FrameView(frame, size, source.layout, negotiated.sourceLayout) else { return false }
            scene.meter.begin()
            pool.measureFrame(view, scene.meter, isInterlaced: source.layout.verticalShift > 0 && frame.isInterlaced)
            return true
        }
        return isMeasured == true ? scene.measured() : nil
    }

    // MARK: Pictures out

    /// The next picture that is to be converted, which the caller owns; `nil` where the others wait.
    func takeHeld() -> UnsafeMutablePointer<GstBuffer>? {
        guard due > 0, !held.isEmpty else { return nil }
        due -= 1
        let picture = held.removeFirst()
        adoptSettings(picture.buffer)
        if let scene {
            if let measured = picture.measured {
                scene.follow(measured.sample, next: held.compactMap(\.measured?.sample))
                adoptScene()
                report(measured.light, picture.buffer)
            } else {
                adoptScene()
            }
        }
        return picture.buffer
    }

    /// Lets all pictures go that wait.
    func release() { due = held.count }

    /// Drops the pictures that wait, and what is known of the scene: a flush, or the end.
    func dropHeld() {
        for picture in held { gst_buffer_unref(picture.buffer) }
        held = []
        due = 0
        hasShownFirst = false
        scene?.reset()
    }

    /// Makes the plan for the scene's light, where that has changed.
    private func adoptScene() {
        guard let scene, let settings = plannedSettings, let peaks = staticPeaks else { return }
        let light = scene.scene(above: peaks.target, declared: peaks.declared)
        guard light?.peak != sceneLight?.peak || light?.average != sceneLight?.average else { return }
        sceneLight = light
        makePlan(settings)
    }

    /// Takes what was measured while a picture was converted.
    func follow(_ buffer: UnsafeMutablePointer<GstBuffer>?) {
        guard let scene, let measured = scene.measured() else { return }
        scene.follow(measured.sample, next: [])
        if let buffer { report(measured.light, buffer) }
    }

    /// Whether the picture that is being converted has to be measured now.
    var measuresWhileConverting: Bool { scene != nil && isLive != false }

    // MARK: Messages

    /// Twice a second, and at each new scene.
    private func report(_ light: PictureLight, _ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let scene else { return }
        let time = ClockTime.known(buffer.pointee.pts)
        let isNew = scene.light?.startsScene == true
        if let time, let last = scene.reported, !isNew, time >= last, time - last < ClockTime.second / 2 { return }
        scene.reported = time
        let segment = transform.pointee.segment
        func field(_ time: UInt64?) -> Structure.Value { .uint64(time ?? UInt64.max) }
        var fields: [(String, Structure.Value)] = [
            ("timestamp", field(time)), ("stream-time", field(time.flatMap { ClockTime.streamTime(segment, $0) })),
            ("running-time", field(time.flatMap { ClockTime.runningTime(segment, $0) })),
            ("duration", field(ClockTime.known(buffer.pointee.duration))),
            ("maximum", .double(light.maximum)), ("average", .double(light.average)), ("peak", .double(light.peak)),
            ("outside-gamut", .double(light.outsideGamut)), ("new-scene", .bool(isNew)),
        ]
        if let own = scene.light {
            fields += [("scene-peak", .double(PQ.eotf(own.peak))), ("scene-average", .double(PQ.eotf(own.average)))]
        }
        post(Structure.make("hdr-light", fields))
    }
}
