import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

/// Plans the conversion from the caps of both pads and the settings.
extension HDRConvert {
    /// The signals and metadata that the caps of both pads describe.
    struct Negotiated {
        let source: VideoSignal
        let target: VideoSignal
        let sourceLayout: DefaultLayout
        let targetLayout: DefaultLayout
        /// The source's buffers, for mapping them.
        let sourceInfo: GstVideoInfo
        /// The source's static metadata, as received.
        let metadata: StaticMetadata
        /// Static metadata that downstream's caps request.
        let requested: StaticMetadata
        /// Whether both caps describe the same code values.
        let isSame: Bool
    }

    /// A conversion that is ready to run, and what it was made from. Never changed: a new one takes its place.
    struct Plan {
        let conversion: ConversionPlan
        let format: FormatPlan
        let quality: Quality
        let threads: Int
        let converter: PictureConverter
    }

    /// Makes the plan for the negotiated caps and the settings, or keeps the present one if nothing differs.
    func makePlan(_ settings: Settings) {
        guard let negotiated else { return }
        plannedSettings = settings
        let source = effectiveSource(negotiated, settings)
        let target = negotiated.target
        let reshapes = source.color != negotiated.source.color
        let requestedPeak = Self.requestedPeak(negotiated.requested)
        var conversion = settings.plan(
            from: source, to: target, metadata: negotiated.metadata, requestedPeak: requestedPeak)
        let passthrough = negotiated.isSame && conversion.keepsLight && !reshapes
        gst_base_transform_set_passthrough(transform, passthrough ? 1 : 0)
        let changes = !conversion.keepsLight || reshapes
        changesLight.withLock { $0 = changes }
        if passthrough {
            plan = nil
            scene = nil
            reshaper = nil
            followsScenes = false
            log.debug("passing through \(source.formatName)")
            return
        }

        var format = settings.format(from: source, to: target)
        format.reshapes = reshapes
        format.hasFields = negotiated.sourceInfo.interlace_mode != GST_VIDEO_INTERLACE_MODE_PROGRESSIVE
        prepareReshaper(reshapes)
        // The converter chooses the number of slices: none has fewer than 32 rows where there are more slices than
        // threads.
        let threads = RowPool.threads(height: source.height, requested: Int(settings.threads))
        if pool?.threads != threads { pool = RowPool(threads: threads) }
        let light = dynamicLight(conversion, settings)
        let declared = SceneDetection.declaredPeak(
            source.color.transfer, negotiated.metadata.peak, hlgPeak: conversion.hlgPeak)
        prepareDetection(
            settings, conversion, negotiated, declared: declared, threads: threads, isNeeded: light == nil && !reshapes)
        if let light {
            conversion = settings.plan(
                from: source, to: target, metadata: negotiated.metadata, requestedPeak: requestedPeak,
                scene: light.scene, curve: light.curve)
        }
        if scene == nil && !followsScenes {
            sceneLight = nil
            sceneHighlights = nil
            if light == nil { recentPlans = [] }
        } else {
            staticPeaks = (conversion.targetPeak, declared)
            conversion = settings.plan(
                from: source, to: target, metadata: negotiated.metadata, requestedPeak: requestedPeak,
                scene: sceneLight, highlightShare: sceneHighlights)
        }
        func isPlanned(_ plan: Plan) -> Bool {
            plan.conversion == conversion && plan.format == format && plan.quality == settings.kernelQuality
                && plan.threads == threads && plan.converter.takes(width: source.width, height: source.height)
        }
        if let plan, isPlanned(plan) { return }
        if conversion.contrastRecovery > 0 {
            recoveryMap = .fitting(recoveryMap, width: source.width, height: source.height)
            if recoveryMap == nil {
                plan = nil
                error(
                    "Out of memory for contrast-recovery of \(source.width)x\(source.height): set it to 0",
                    .resource(GST_RESOURCE_ERROR_NO_SPACE_LEFT))
                return
            }
        }
        let recent = recentPlans.firstIndex(where: isPlanned).map { recentPlans.remove(at: $0) }
        let isForScene = plan != nil && (sceneLight != nil || sceneHighlights != nil || light != nil)
        let next =
            recent
            ?? Plan(
                conversion: conversion, format: format, quality: settings.kernelQuality, threads: threads,
                converter: PictureConverter(
                    plan: conversion, format: format, quality: settings.kernelQuality, width: source.width,
                    threads: threads,
                    instructionSet: CPUChoice.current.instructionSet, replacing: plan?.converter,
                    map: recoveryMap))
        if scene != nil || followsScenes || light != nil, let plan { recentPlans = [plan] + recentPlans.prefix(3) }
        plan = next
        if isForScene {
            log.debug("scene: peak \(conversion.sourcePeak) cd/m2")
            return
        }
        if !hasComplained {
            hasComplained = true
            warnOfCPU()
        }
        log.info(Self.describe(conversion, from: source, to: target))
        log.info(
            "chroma \(format.chromaMode), dither \(format.dither), quality \(settings.kernelQuality), \(threads) "
                + "threads, instruction set \(CPUChoice.current.instructionSet.names[0])")
    }

    /// Creates, updates or drops the reshaper.
    private func prepareReshaper(_ isNeeded: Bool) {
        guard isNeeded, let reshaping = dynamics?.reshaping, let negotiated else {
            reshaper = nil
            return
        }
        let target = negotiated.target
        let isCoarse = target.layout.bits <= 8 && !target.color.transfer.isHDR
        if let reshaper, reshaper.isCoarse == isCoarse {
            reshaper.set(reshaping)
        } else {
            reshaper = Reshaper(
                reshaping, layout: negotiated.source.layout, isCoarse: isCoarse,
                instructionSet: CPUChoice.current.instructionSet)
        }
    }

    /// The conversion in one line, for the log.
    private static func describe(_ plan: ConversionPlan, from source: VideoSignal, to target: VideoSignal) -> String {
        func signal(_ s: VideoSignal) -> String { "\(s.formatName) \(s.color.transfer) \(s.color.primaries)" }
        var text = "\(signal(source)) -> \(signal(target)), \(source.width)x\(source.height): "
        if plan.keepsLight { return text + "format only" }
        text += "tone mapping \(plan.toneCurve) in \(plan.domain), inverse \(plan.inverseToneCurve), "
        let peak = plan.inverseToneCurve == .none ? plan.targetPeak : plan.inversePeak
        text += "gamut \(plan.gamutMapping), peaks \(plan.sourcePeak) -> \(peak) cd/m2, "
        return text + "white \(plan.referenceWhite) cd/m2"
    }

    /// The peak of the mastering display that downstream requests, in cd/m²; `nil` where that is not plausible.
    static func requestedPeak(_ requested: StaticMetadata) -> Double? {
        guard let display = requested.masteringDisplay, display.defect == nil,
            display.peak >= StaticMetadata.lowestPeak
        else { return nil }
        return display.peak
    }

    /// The static metadata after a conversion: none for SDR, clamped to a lower peak, never invented.
    static func outputMetadata(_ plan: ConversionPlan, _ metadata: StaticMetadata) -> StaticMetadata {
        guard plan.target.transfer.isHDR, plan.source.transfer.isHDR else { return .none }
        return plan.keepsLight ? metadata : metadata.limited(to: plan.targetPeak)
    }

    /// The static metadata that is true of the output with these settings.
    func trueMetadata(_ settings: Settings) -> StaticMetadata? {
        guard let n = negotiated else { return nil }
        let plan = settings.plan(
            from: n.source, to: n.target, metadata: n.metadata, requestedPeak: Self.requestedPeak(n.requested))
        return Self.outputMetadata(plan, n.metadata).replaced(by: n.requested)
    }

    /// Takes the negotiated caps and makes the plan.
    func setInfo(
        _ inCaps: Caps.Pointer, _ inInfo: GstVideoInfo, _ outCaps: Caps.Pointer, _ outInfo: GstVideoInfo
    ) -> Bool {
        plan = nil
        reshaper = nil
        if let unknown = UnknownColorName(inCaps) ?? UnknownColorName(outCaps) {
            negotiated = nil
            reportUnsupported(unknown.description)
            return false
        }
        do {
            let source = try VideoSignal(inInfo)
            let target = try VideoSignal(outInfo)
            // Dynamic metadata of one stream must not be applied to another.
            if let negotiated, negotiated.source != source { dynamics = nil }
            let metadata = StaticMetadata(caps: inCaps)
            let found = StaticMetadata(caps: outCaps)
            let settings = self.settings.current
            // Metadata fields that this element wrote itself are not a request of downstream's.
            let fixatedRequest = fixated?.metadata == found ? fixated?.requested : nil
            let requested = fixatedRequest ?? found.differing(from: metadata)
            negotiated = Negotiated(
                source: source, target: target, sourceLayout: DefaultLayout(inInfo),
                targetLayout: DefaultLayout(outInfo), sourceInfo: inInfo, metadata: metadata,
                requested: requested, isSame: source == target)
            report(metadata.defects + requested.defects)
            reportedReason = nil
            makePlan(settings)
            metadataIsDue = trueMetadata(settings) != found
            return true
        } catch {
            negotiated = nil
            let same = gst_caps_is_equal(inCaps, outCaps) != 0
            gst_base_transform_set_passthrough(transform, same ? 1 : 0)
            if same { return true }
            reportUnsupported(error.description)
            return false
        }
    }

    /// Posts an error once: negotiation is tried again until the stream ends.
    private func reportUnsupported(_ reason: String) {
        guard reportedReason != reason else { return }
        reportedReason = reason
        error("Cannot convert: \(reason)")
    }

    private func report(_ defects: [String]) {
        for defect in defects where !reportedDefects.contains(defect) {
            reportedDefects.append(defect)
            log.warning("ignoring HDR metadata: \(defect)")
            warning("Ignoring HDR metadata: \(defect). Set source-peak to the peak of the source in cd/m2.")
        }
    }
}
