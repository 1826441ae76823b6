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
    /// - Parameters:
    ///   - conversion: the plan with the static peak.
    ///   - isNeeded: whether no metadata of the pictures say their light.
    func prepareDetection(
        _ settings: Settings, _ conversion: ConversionPlan, _ negotiated: Negotiated, threads: Int, isNeeded: Bool
    ) {
        followsScenes = settings.hasScenes && SceneDetection.serves(conversion)
        guard settings.detectsPeaks, isNeeded, SceneDetection.serves(conversion) else {
            scene = nil
            latency.withLock { $0 = 0 }
            return
        }
        let source = SceneDetection.Source(negotiated.source, for: conversion)
        let interval = SceneDetection.interval(negotiated.sourceInfo)
        if scene?.source != source || scene?.threads != threads || scene?.interval != interval {
            scene = SceneDetection(source, threads: threads, interval: interval)
            sceneLight = nil
            sceneHighlights = nil
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
        guard let pad = transform.pointee.sinkpad else { return true }
        return Upstream.isLive(pad) ?? true
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
        return scene.measure(buffer, negotiated.sourceInfo, negotiated.sourceLayout, pool)
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
                report(measured, picture.buffer)
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
        survey = SceneSurvey()
    }

    /// Makes the plan for the scene's light, where that has changed.
    private func adoptScene() {
        guard let scene, let settings = plannedSettings, let peaks = staticPeaks else { return }
        if scene.source.expandedWhite != nil {
            guard scene.highlightShare != sceneHighlights else { return }
            sceneHighlights = scene.highlightShare
            makePlan(settings)
            return
        }
        adopt(scene.scene(scene.light, above: peaks.target, declared: peaks.declared), settings)
    }

    /// Makes the plan for the scene of a buffer's time, where scenes were measured before.
    func adoptGivenScene(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard followsScenes, let settings = plannedSettings, let peaks = staticPeaks else { return }
        let time = ClockTime.known(buffer.pointee.pts).flatMap { ClockTime.streamTime(transform.pointee.segment, $0) }
        guard let given = settings.scenes.scene(at: time ?? 0) else { return }
        var exceedsMetadata = false
        let light = SceneDetection.bounded(
            peak: PQ.inverseEOTF(given.peak), average: PQ.inverseEOTF(given.average), above: peaks.target,
            declared: peaks.declared, &exceedsMetadata)
        adopt(light, settings)
    }

    private func adopt(_ light: (peak: Double, average: Double)?, _ settings: Settings) {
        guard light?.peak != sceneLight?.peak || light?.average != sceneLight?.average else { return }
        sceneLight = light
        makePlan(settings)
    }

    /// Takes what was measured while a picture was converted.
    func follow(_ buffer: UnsafeMutablePointer<GstBuffer>?) {
        guard let scene, let measured = scene.measured() else { return }
        scene.follow(measured.sample, next: [])
        if let buffer { report(measured, buffer) }
    }

    /// Whether the picture that is being converted has to be measured now.
    var measuresWhileConverting: Bool { scene != nil && isLive != false }

    // MARK: Messages

    private func report(_ picture: MeasuredPicture, _ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let scene else { return }
        let segment = transform.pointee.segment
        if scene.source.expandedWhite == nil, let time = ClockTime.known(buffer.pointee.pts),
            let start = ClockTime.streamTime(segment, time)
        {
            let end = start &+ (ClockTime.known(buffer.pointee.duration) ?? 0)
            post(survey.add(picture.sample, from: start, to: end, startsScene: scene.light?.startsScene == true))
        }
        if let message = scene.message(picture.light, buffer, segment) { post(message) }
    }

    /// The stream has ended, and with it its last scene.
    func endScene() { post(survey.finish()) }

    /// One peak and one average for a scene that has ended, which `scene-light` takes.
    private func post(_ scene: SceneSurvey.Scene?) {
        guard let scene else { return }
        post(
            Structure.make(
                "hdr-scene",
                [
                    ("start", .uint64(scene.start)), ("end", .uint64(scene.end)),
                    ("peak", .double(PQ.eotf(scene.peak))), ("average", .double(PQ.eotf(scene.average))),
                ]))
    }
}

/// A picture that waits for those behind it.
struct HeldPicture {
    /// Owned.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// `nil` where it could not be measured.
    let measured: MeasuredPicture?
}
