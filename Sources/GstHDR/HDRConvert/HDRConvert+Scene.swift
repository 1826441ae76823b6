import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

/// Tone mapping by scenes: pictures are measured, wait for later ones where the added latency does not matter, and are
/// converted with a curve for their scene.
extension HDRConvert {
    /// Creates what scene detection needs for a plan, or ends detection where the plan needs none.
    /// - Parameters:
    ///   - conversion: the plan with the static peak.
    ///   - declared: the peak that limits measured ones, in cd/m²; `nil` for none.
    ///   - isNeeded: whether the pictures have no dynamic metadata that state their light.
    func prepareDetection(
        _ settings: Settings, _ conversion: ConversionPlan, _ negotiated: Negotiated, declared: Double?, threads: Int,
        isNeeded: Bool
    ) {
        let isServed = SceneDetection.serves(conversion, declared: declared)
        followsScenes = settings.hasScenes && isServed
        guard settings.detectsPeaks, isNeeded, isServed else {
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

    /// The longest time for which a picture waits, in s. A demuxer whose queue of sound, which holds a second by
    /// default, is full reads no more pictures, so that those that waited longer would be late.
    private static let longestWait = 0.5

    /// The number of pictures that may wait. Live streams are never delayed, nor those without a known frame rate,
    /// whose latency could not be reported.
    private func lookAhead(_ settings: Settings) -> Int {
        guard scene != nil, settings.detectsPeaks, isLive == false, let info = negotiated?.sourceInfo, info.fps_n > 0,
            info.fps_d > 0
        else {
            return 0
        }
        return min(Int(settings.lookAhead), Int(Self.longestWait / SceneDetection.interval(info)))
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

    /// Whether upstream is live, which is assumed where the latency query fails.
    private func askWhetherLive() -> Bool {
        guard let pad = transform.pointee.sinkpad else { return true }
        return Upstream.isLive(pad) ?? true
    }

    /// Buffers of upstream's pool that may be held at a time.
    var maxHeldBuffers: UInt32 { UInt32(clamping: lookAhead(settings.current)) }

    // MARK: Pictures in

    /// Takes over the buffer that waits in the base class, where pictures are measured or others wait before it.
    func submitted() {
        guard let buffer = transform.pointee.queued_buf, scene != nil || !held.isEmpty else {
            pushEvents()
            return
        }
        transform.pointee.queued_buf = nil
        // In a live stream a picture is measured while it is converted, and its measurement is used for the next one.
        let isMeasured = isLive == false || scene?.light == nil
        held.append(HeldPicture(events: events, buffer: buffer, measured: isMeasured ? measure(buffer) : nil))
        events = []
        let most = min(lookAhead(settings.current), buffer.isOfLimitedPool ? 0 : .max)
        // The first picture is not delayed: a paused pipeline and a snapshot show it.
        due = hasShownFirst ? max(held.count - most, 0) : held.count
        hasShownFirst = true
    }

    /// The events that wait with the pictures before them, in their place: tags, which parsers send whenever the bit
    /// rate changes, and what passes through without a meaning for this element. They let no picture go before its
    /// time.
    private static let heldEvents: Set<UInt32> = Set(
        [
            GST_EVENT_TAG, GST_EVENT_TOC, GST_EVENT_CUSTOM_DOWNSTREAM, GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
            GST_EVENT_SINK_MESSAGE,
        ].map { UInt32($0.rawValue) })

    /// Takes an event over that has to wait for pictures before it.
    /// - Returns: whether it has to.
    func holds(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        // None overtakes those that a flush has left.
        let mustWait = !held.isEmpty || !events.isEmpty
        guard mustWait, Self.heldEvents.contains(UInt32(event.pointee.type.rawValue)) else { return false }
        events.append(event)
        return true
    }

    /// Sends the events behind the last picture that waited.
    private func pushEvents() {
        for event in events { gst_pad_push_event(transform.pointee.srcpad, event) }
        events = []
    }

    private func measure(_ buffer: UnsafeMutablePointer<GstBuffer>) -> MeasuredPicture? {
        guard let scene, let pool, let negotiated else { return nil }
        return scene.measure(buffer, negotiated.sourceInfo, negotiated.sourceLayout, pool)
    }

    // MARK: Pictures out

    /// The next picture to convert, which the caller then owns; `nil` where all of them still wait. The one before has
    /// been sent, and the events between the two are.
    func takeHeld() -> UnsafeMutablePointer<GstBuffer>? {
        // Those that a flush has left come behind the next segment.
        if held.isEmpty && (hasShownFirst || hasEnded) { pushEvents() }
        guard due > 0, !held.isEmpty else { return nil }
        due -= 1
        let picture = held.removeFirst()
        for event in picture.events { gst_pad_push_event(transform.pointee.srcpad, event) }
        adoptSettings(picture.buffer)
        if let scene {
            if let measured = picture.measured {
                scene.follow(
                    measured.sample, next: held.compactMap(\.measured?.sample), isLast: hasEnded && held.isEmpty)
                adoptScene()
                report(measured, picture.buffer)
            } else {
                adoptScene()
            }
        }
        return picture.buffer
    }

    /// Releases all waiting pictures for conversion.
    /// - Parameter isEnd: whether no picture follows them.
    func release(isEnd: Bool) { (due, hasEnded) = (held.count, isEnd) }

    /// Drops the waiting pictures and the scene's state, at a flush or at the end of the stream.
    /// - Parameter keepsTags: whether sticky events, such as tags, go on with the next picture.
    func dropHeld(keepsTags: Bool) {
        for picture in held { gst_buffer_unref(picture.buffer) }
        let waiting = held.flatMap(\.events) + events
        func isKept(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
            keepsTags && event.pointee.type.rawValue & GST_EVENT_TYPE_STICKY.rawValue != 0
        }
        events = waiting.filter(isKept)
        for event in waiting where !isKept(event) { gst_event_unref(event) }
        held = []
        (due, hasEnded) = (0, false)
        hasShownFirst = false
        scene?.reset()
        survey = SceneSurvey()
    }

    /// Makes a new plan where the scene's light has changed.
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

    /// Makes the plan for the scene at a buffer's time, from the scenes in the property `scene-light`.
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

    /// Follows the scene by a measurement that was made during conversion.
    func follow(_ buffer: UnsafeMutablePointer<GstBuffer>?) {
        guard let scene, let measured = scene.measured() else { return }
        scene.follow(measured.sample, next: [])
        if let buffer { report(measured, buffer) }
    }

    /// Whether pictures are measured while they are converted.
    var measuresWhileConverting: Bool { scene != nil && isLive != false }

    // MARK: Messages

    private func report(_ picture: MeasuredPicture, _ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let scene else { return }
        let segment = transform.pointee.segment
        if scene.source.expandedWhite == nil, let time = ClockTime.known(buffer.pointee.pts),
            let start = ClockTime.streamTime(segment, time)
        {
            let end = start &+ (ClockTime.known(buffer.pointee.duration) ?? 0)
            post(
                survey.add(
                    picture.sample, from: start, to: end, light: scene.light, isUnconfirmed: scene.isUnconfirmed))
        }
        if let message = scene.message(picture.light, buffer, segment) { post(message) }
    }

    /// Ends the last scene at the end of the stream.
    func endScene() { post(survey.finish()) }

    /// Posts the peaks and the averages of scenes that have ended, in the form that `scene-light` accepts.
    private func post(_ scenes: [SceneSurvey.Scene]) {
        for scene in scenes {
            post(
                Structure.make(
                    "hdr-scene",
                    [
                        ("start", .uint64(scene.start)), ("end", .uint64(scene.end)),
                        ("peak", .double(PQ.eotf(scene.peak))), ("average", .double(PQ.eotf(scene.average))),
                    ]))
        }
    }
}

/// A picture that waits for later ones.
struct HeldPicture {
    /// The events between the picture before and this one; owned.
    let events: [UnsafeMutablePointer<GstEvent>]
    /// The buffer; owned.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// The measurement of the picture; `nil` where it could not be measured.
    let measured: MeasuredPicture?
}
