import CGStreamer
import GstBridge
import HDRColor
import HDRKernels

/// Maps a picture's tones to what the canvas holds, expands SDR, or makes a picture of Dolby Vision's base layer, in
/// sixteen bits.
final class ToneStep {
    /// What is known of a picture's light; nothing where the stream's static peak holds.
    struct Tones {
        /// Peak and average in cd/m².
        var scene: (peak: Double, average: Double)?
        /// The scene's own curve.
        var curve: SceneToneCurve?
        /// Of SDR that is expanded.
        var highlightShare: Double?
    }

    /// Of the pictures that come out.
    let signal: VideoSignal
    /// Of those that come in, after reshaping.
    let source: VideoSignal
    /// The conversion with the stream's static peak.
    let fixed: ConversionPlan
    let reshapes: Bool
    /// The peak that bounds what is measured, in cd/m²; `nil` where nothing does.
    let declaredPeak: Double?
    private let settings: ConversionSettings
    private let format: FormatPlan
    private let threads: Int
    /// The present one first: a flash, or a dialogue, comes back to the scenes of late.
    private var plans: [(conversion: ConversionPlan, converter: PictureConverter)] = []
    /// Of the layout of pictures that come in.
    private var reshaper: Reshaper?
    private let memory: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - peak: of the source's metadata, in cd/m².
    ///   - expansion: one of ``ToneCurve/inverses``.
    ///   - reshapes: whether the source is a base layer, of which pictures in PQ are made.
    /// - Returns: `nil` where the source's light is to stay as it is, or there is no memory.
    init?(
        _ pad: VideoSignal, _ peak: Double?, _ expansion: ToneCurve, reshapes: Bool, _ canvas: HDRCompositor.Canvas
    ) {
        guard let layout = PixelLayout.byName["RGBA64_LE"] else { return nil }
        let source = reshapes ? pad.with(Reshaping.signal()) : pad
        let transfer = source.color.transfer
        let isSDR = !canvas.signal.color.transfer.isHDR
        let expands = !isSDR && !transfer.isHDR && expansion != .none
        declaredPeak = SceneDetection.declaredPeak(transfer, peak)
        let own = declaredPeak ?? ConversionPlan.nominalHDRPeak
        let compresses = transfer.isHDR && own > canvas.peak
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
            settings.sourcePeak = own
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

    /// The picture in memory of this object, until the next call.
    /// - Parameter reshaping: the picture's, where it is one of a base layer.
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
            let converter = PictureConverter(
                plan: conversion, format: format, quality: .balanced, width: source.width, threads: threads,
                instructionSet: CPUChoice.current.instructionSet, replacing: plans.first?.converter)
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
        if let curve = tones.curve { settings.takeCurve(curve) }
        return ConversionPlan(source: source.color, target: signal.color, settings: settings)
    }
}
