import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata
import HDRPresenter

/// Chooses the picture format for the display, and plans the conversion of the source to it.
extension EDRSink {
    /// The signal, layout and metadata that the sink pad's caps describe.
    struct Source {
        var signal: VideoSignal
        let info: GstVideoInfo
        let metadata: StaticMetadata
        let layout: DefaultLayout
        let pixelAspect: Double
    }

    /// A conversion that is ready to run, and what it was made from. Never changed: a new one takes its place.
    struct Plan {
        let conversion: ConversionPlan
        let format: FormatPlan
        let converter: PictureConverter
    }

    // MARK: Caps and events

    func setInfo(_ caps: UnsafeMutablePointer<GstCaps>, _ info: GstVideoInfo) -> Bool {
        let signal: VideoSignal
        do {
            if let unknown = UnknownColorName(caps) { throw unknown }
            signal = try VideoSignal(shown: info)
        } catch {
            self.error("Cannot show: \(error)", .stream())
            return false
        }
        if let note = info.colorimetry.shownNote { warning(note) }
        let metadata = StaticMetadata(caps: caps)
        for defect in metadata.defects { log.warning("ignoring HDR metadata: \(defect)") }
        let aspect = info.par_n > 0 && info.par_d > 0 ? Double(info.par_n) / Double(info.par_d) : 1
        let video = element.cast(to: GstVideoSink.self)
        (video.pointee.width, video.pointee.height) = (info.width, info.height)
        let orientation = painter.withLock { painter in
            painter.dropPending(screen.current.presenter)
            // A picture of the old caps cannot be painted again with the new ones.
            painter.keep(nil)
            painter.source = Source(
                signal: signal, info: info, metadata: metadata, layout: DefaultLayout(info), pixelAspect: aspect)
            return painter.orientation
        }
        let turned = orientation.isTransposed
        let (width, height) = turned ? (signal.height, signal.width) : (signal.width, signal.height)
        let shape = turned ? 1 / aspect : aspect
        screen.withLock { $0.shape = (Double(width) * shape, Double(height)) }
        return openAtSize()
    }

    func proposeAllocation(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        var caps: UnsafeMutablePointer<GstCaps>?
        var needsPool: gboolean = 0
        gst_query_parse_allocation(query, &caps, &needsPool)
        gst_query_add_allocation_meta(query, gst_video_meta_api_get_type(), nil)
        gst_query_add_allocation_meta(query, gst_video_overlay_composition_meta_api_get_type(), nil)
        // Overlays are blended at the picture's own size, so the window's size does not matter.
        return true
    }

    func event(_ event: UnsafeMutablePointer<GstEvent>) {
        switch event.pointee.type {
        case GST_EVENT_TAG:
            guard let orientation = Orientation(event) else { return }
            painter.withLock { painter in
                if painter.orientation != orientation { painter.dropPending(screen.current.presenter) }
                painter.orientation = orientation
                guard let source = painter.source else { return }
                let (w, h) = (Double(source.signal.width) * source.pixelAspect, Double(source.signal.height))
                screen.withLock { $0.shape = orientation.isTransposed ? (h, w) : (w, h) }
            }
            _ = openAtSize()
        case GST_EVENT_STREAM_START:
            painter.withLock { painter in
                if painter.orientation != Orientation() { painter.dropPending(screen.current.presenter) }
                painter.orientation = Orientation()
                painter.scene.detection?.reset()
                // Caps that stay the same do not come again.
                guard let source = painter.source else { return }
                let (width, height) = (Double(source.signal.width), Double(source.signal.height))
                screen.withLock { $0.shape = (width * source.pixelAspect, height) }
            }
        case GST_EVENT_FLUSH_STOP:
            painter.withLock { painter in
                painter.dropPending(screen.current.presenter)
                painter.scene.detection?.reset()
            }
            frames.endFlush(event)
        case GST_EVENT_FLUSH_START: frames.beginFlush()
        case GST_EVENT_SEGMENT: clock.begin(event)
        case GST_EVENT_INSTANT_RATE_SYNC_TIME:
            clock.changeRate(event)
            frames.timeHasChanged()
        default: break
        }
    }

    func beforeState(_ transition: GstStateChange) {
        clock.stateChanges(transition)
        frames.timeHasChanged()
        guard transition == GST_STATE_CHANGE_READY_TO_PAUSED else { return }
        record.reset()
        frames.open()
        // The last stream ended while flushing.
        setFlushing(false)
    }

    /// PAUSED to READY: no streaming thread runs any more.
    func stop() {
        clock.stop()
        frames.clear()
        painter.withLock { painter in
            painter.dropPending(screen.current.presenter)
            painter.keep(nil)
            painter.scene = SceneState()
            painter.source = nil
            painter.orientation = Orientation()
            painter.scratch = []
        }
    }

    // MARK: The plan

    /// Chooses what the display gets, and makes a new plan if anything has changed.
    /// - Parameters:
    ///   - buffer: the picture that the plan is for, which is measured where the tone curve depends on its scene.
    ///   - light: the light that the picture's metadata state; `nil` where they state none.
    func configure(
        _ source: Source, _ presenter: any Presenter, _ painter: inout Painter,
        for buffer: UnsafeMutablePointer<GstBuffer>, light: PictureDynamics.Light?
    ) throws(PresenterError) {
        let settings = settings.current
        let choice = choose(source, presenter, settings)
        let headroom = settings.headroom(of: presenter.display)
        let fixed = settings.conversion(source, choice, headroom: headroom)
        let threads = RowPool.threads(height: source.signal.height)
        if painter.pool?.threads != threads { painter.pool = RowPool(threads: threads) }
        let reshapes = painter.metadata.reshaper != nil
        let said = light?.planned(fixed, takesCurve: settings.toneMapping == .rolloff)
        let detects = settings.detectsPeaks && said == nil && !reshapes
        let scene = said?.scene ?? followScene(buffer, source, fixed, detects: detects, &painter)
        let conversion =
            scene == nil
            ? fixed : settings.conversion(source, choice, headroom: headroom, scene: scene, curve: said?.curve)
        let target = choice.format.layout
        let isCoarser = target.bits < source.signal.layout.bits || (target.bits == 8 && !conversion.keepsLight)
        var format = FormatPlan(
            source: source.signal.layout.opaque, target: target, sourceSiting: source.signal.siting,
            targetSiting: .left, chromaMode: .linear, dither: isCoarser ? .ordered : .none)
        format.reshapes = reshapes
        func isPlanned(_ plan: Plan) -> Bool {
            plan.conversion == conversion && plan.format == format && plan.converter.threads == threads
                && plan.converter.takes(width: source.signal.width, height: source.signal.height)
        }
        if painter.plan.map(isPlanned) != true {
            let recent = painter.recentPlans.firstIndex(where: isPlanned).map { painter.recentPlans.remove(at: $0) }
            let (width, height) = (source.signal.width, source.signal.height)
            if conversion.contrastRecovery > 0 {
                painter.recoveryMap = .fitting(painter.recoveryMap, width: width, height: height)
            }
            let next =
                recent
                ?? Plan(
                    conversion: conversion, format: format,
                    converter: PictureConverter(
                        plan: conversion, format: format, quality: .balanced, width: width, threads: threads,
                        instructionSet: CPUChoice.current.instructionSet, replacing: painter.plan?.converter,
                        map: painter.recoveryMap))
            painter.recentPlans = scene == nil ? [] : (painter.plan.map { [$0] } ?? []) + painter.recentPlans.prefix(3)
            painter.plan = next
        }
        // The display is told the light of the whole stream: it would answer that of each scene with a change of its
        // own.
        let picture = describe(source, choice, fixed, presenter.display, painter.orientation)
        guard picture != screen.current.picture else { return }
        try presenter.configure(picture)
        screen.withLock { $0.picture = picture }
    }

    private func choose(
        _ source: Source, _ presenter: any Presenter, _ settings: Settings
    ) -> (format: PictureFormat, encoding: PictureEncoding) {
        let isHDR = source.signal.color.transfer.isHDR
        let wants = settings.wantsExtendedRange && (isHDR || settings.asksForEncoding)
        // Half floats take twice the memory of ten bits.
        if wants, settings.format == nil, settings.transfer == nil,
            source.signal.width * source.signal.height > 1920 * 1088
        {
            let choice = presenter.choose(wantsExtendedRange: true, format: .rgb10a2, encoding: .pq)
            if choice.encoding.transfer != .sRGB { return choice }
        }
        return presenter.choose(wantsExtendedRange: wants, format: settings.format, encoding: settings.transfer)
    }

    private func describe(
        _ source: Source, _ choice: (format: PictureFormat, encoding: PictureEncoding), _ plan: ConversionPlan,
        _ display: DisplayState, _ orientation: Orientation
    ) -> PictureDescription {
        let turned = orientation.isTransposed
        let scale = display.referenceWhite / plan.referenceWhite
        let declared = source.signal.color.transfer == .pq ? source.metadata.peak ?? ConversionPlan.nominalHDRPeak : nil
        let peak = min(declared ?? plan.sourcePeak, plan.targetPeak)
        let level = source.signal.color.transfer == .pq ? source.metadata.contentLightLevel : nil
        func clamped(_ value: UInt16) -> Double? { value == 0 ? nil : min(Double(value), peak) * scale }
        return PictureDescription(
            width: turned ? source.signal.height : source.signal.width,
            height: turned ? source.signal.width : source.signal.height, format: choice.format,
            encoding: choice.encoding, contentPeak: peak * scale, maxCLL: level.flatMap { clamped($0.maximum) },
            maxFALL: level.flatMap { clamped($0.frameAverage) })
    }
}

extension EDRSink.Settings {
    func headroom(of display: DisplayState) -> Double {
        let headroom = forcedHeadroom > 0 ? forcedHeadroom : display.headroom
        return headroom.isFinite ? min(max(headroom, 1), PQ.peak / BT2408.referenceWhite) : 1
    }

    /// The conversion to what a display gets. SDR white is BT.2408's 203 cd/m² in it, whatever luminance the display
    /// gives it.
    /// - Parameters:
    ///   - scene: peak and average of the scene in cd/m², which override those of the static metadata.
    ///   - curve: the tone curve of the scene's own metadata, which replaces the sink's.
    func conversion(
        _ source: EDRSink.Source, _ choice: (format: PictureFormat, encoding: PictureEncoding), headroom: Double,
        scene: (peak: Double, average: Double)? = nil, curve: SceneToneCurve? = nil
    ) -> ConversionPlan {
        var settings = ConversionSettings()
        let isSDR = choice.encoding.transfer == .sRGB
        settings.toneCurve = toneMapping == .rolloff && isSDR ? nil : toneMapping
        settings.contrastRecovery = settings.toneCurve == nil && detectsPeaks ? ContrastRecovery.usual : 0
        if let curve { settings.takeCurve(curve) }
        if source.signal.color.transfer == .pq, let peak = source.metadata.peak, peak >= 1 {
            settings.sourcePeak = peak
        }
        if let scene {
            settings.sourcePeak = scene.peak
            settings.sourceAverage = scene.average
        }
        if !isSDR { settings.targetPeak = settings.referenceWhite * headroom }
        let target = choice.encoding.signal(choice.format)
        let plan = ConversionPlan(source: source.signal.color, target: target, settings: settings)
        guard plan.keepsLight, plan.target.transfer == .pq, plan.targetPeak < PQ.peak else { return plan }
        // By its metadata the source fits into the target; what exceeds it nevertheless is clipped.
        settings.sourcePeak = PQ.peak
        settings.toneCurve = .clip
        return ConversionPlan(source: source.signal.color, target: target, settings: settings)
    }
}
