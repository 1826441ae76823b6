import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Maps a picture's tones to the canvas's range, expands SDR, or reshapes Dolby Vision's base layer, into 16 bits.
final class ToneStep {
    /// The light of a picture that the conversion adapts to; all `nil` where the static peak of the stream holds.
    struct Tones {
        /// Peak and average in cd/m².
        var scene: (peak: Double, average: Double)?
        /// The tone curve of the scene's own metadata.
        var curve: SceneToneCurve?
        /// The share of highlights in an SDR scene that is expanded, from 0 to 1.
        var highlightShare: Double?
        /// Whether local contrast is recovered, as in conversion by default.
        var recoversContrast = false
    }

    /// The signal of the converted pictures.
    let signal: VideoSignal
    /// The signal of the source pictures, after reshaping.
    let source: VideoSignal
    /// The conversion with the stream's static peak.
    let fixed: ConversionPlan
    let reshapes: Bool
    /// The peak that limits measured peaks, in cd/m²; `nil` where none is declared.
    let declaredPeak: Double?
    private let settings: ConversionSettings
    private let format: FormatPlan
    private let threads: Int
    /// Plans of the most recent scenes, the present one first, reused when the light returns to one of them (after a
    /// flash, or between two camera angles).
    private var plans: [(conversion: ConversionPlan, converter: PictureConverter)] = []
    /// Reshapes base layers in the layout of the source.
    private var reshaper: Reshaper?
    private let memory: UnsafeMutableRawPointer
    private var recoveryMap: RecoveryMap?

    /// - Parameters:
    ///   - peak: the peak of the source's metadata, in cd/m².
    ///   - expansion: one of ``ToneCurve/inverses``.
    ///   - reshapes: whether the source is a base layer, which is reshaped to PQ.
    /// - Returns: `nil` where the source's light stays unchanged, or when out of memory.
    init?(
        _ pad: VideoSignal, _ peak: Double?, _ expansion: ToneCurve, reshapes: Bool, _ canvas: HDRCompositor.Canvas
    ) {
        guard let layout = PixelLayout.byName["RGBA64_LE"] else { return nil }
        let source = reshapes ? pad.with(Reshaping.signal()) : pad
        let transfer = source.color.transfer
        let isSDR = !canvas.signal.color.transfer.isHDR
        let expands = !isSDR && !transfer.isHDR && expansion != .none
        declaredPeak = SceneDetection.declaredPeak(transfer, peak)
        // PQ without metadata may have any peak.
        let compresses = transfer.isHDR && declaredPeak ?? PQ.peak > canvas.peak
        guard expands || compresses || reshapes else { return nil }
        let color = ColorSignal(
            transfer: isSDR ? canvas.signal.color.transfer : .pq,
            primaries: isSDR ? canvas.signal.color.primaries : expands ? .bt2020 : source.color.primaries,
            quantization: Quantization(bits: 16, fullRange: true, matrix: nil))
        var info = GstVideoInfo()
        guard
            gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGBA64_LE, guint(source.width), guint(source.height))
                != 0, let made = try? VideoSignal(info)
        else { return nil }
        signal = made.with(color)
        var settings = ConversionSettings()
        if expands {
            settings.inverseToneCurve = expansion
        } else if compresses {
            settings.sourcePeak = declaredPeak
            if !isSDR { settings.targetPeak = canvas.peak }
        }
        var format = FormatPlan(
            source: source.layout, target: layout, sourceSiting: source.siting, targetSiting: signal.siting,
            chromaMode: .linear, dither: .none)
        format.reshapes = reshapes
        guard let memory = g_try_malloc(gsize(8 * source.width * source.height)) else { return nil }
        self.memory = memory
        (self.source, self.settings, self.format, self.reshapes) = (source, settings, format, reshapes)
        threads = canvas.pool.threads
        fixed = ConversionPlan(source: source.color, target: color, settings: settings)
    }

    deinit { g_free(memory) }

    /// Converts a picture into memory of this object, which stays valid until the next call.
    /// - Parameter reshaping: the mapping in the picture's RPU, where it is a base layer.
    func convert(_ picture: FrameView, _ tones: Tones, _ reshaping: Reshaping?, _ pool: RowPool) -> FrameView? {
        let plane = FrameView.Plane(data: memory, stride: 8 * signal.width)
        guard let made = FrameView(width: signal.width, height: signal.height, planes: [plane]) else { return nil }
        if reshapes, let reshaping { set(reshaping) }
        pool.convertFrame(reshapes ? picture.reshaped(by: reshaper) : picture, made, converter(tones))
        return made
    }

    private func set(_ reshaping: Reshaping) {
        if let reshaper {
            reshaper.set(reshaping)
        } else {
            reshaper = Reshaper(reshaping, layout: source.layout, instructionSet: CPUChoice.current.instructionSet)
        }
    }

    private func converter(_ tones: Tones) -> PictureConverter {
        let conversion = conversion(tones)
        if let known = plans.firstIndex(where: { $0.conversion == conversion }) {
            plans.insert(plans.remove(at: known), at: 0)
        } else {
            if conversion.contrastRecovery > 0 {
                recoveryMap = .fitting(recoveryMap, width: source.width, height: source.height)
            }
            let converter = PictureConverter(
                plan: conversion, format: format, quality: .balanced, width: source.width, threads: threads,
                instructionSet: CPUChoice.current.instructionSet, replacing: plans.first?.converter, map: recoveryMap)
            plans = [(conversion, converter)] + plans.prefix(3)
        }
        return plans[0].converter
    }

    private func conversion(_ tones: Tones) -> ConversionPlan {
        var settings = settings
        if let scene = tones.scene {
            settings.sourcePeak = scene.peak
            settings.sourceAverage = scene.average
        }
        settings.highlightShare = tones.highlightShare
        settings.contrastRecovery = tones.recoversContrast ? ContrastRecovery.usual : 0
        if let curve = tones.curve { settings.takeCurve(curve) }
        return ConversionPlan(source: source.color, target: signal.color, settings: settings)
    }
}
