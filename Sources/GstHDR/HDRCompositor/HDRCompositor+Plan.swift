import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRKernels
import HDRMetadata

/// What follows from caps: the canvas, and the way of each pad's pictures to its light.
extension HDRCompositor {
    /// What pictures are composed on.
    final class Canvas {
        let signal: VideoSignal
        let info: GstVideoInfo
        let layout: DefaultLayout
        let pool: RowPool
        let composer: CanvasComposer
        /// Whether pictures are dithered.
        let dithers: Bool

        init(_ info: GstVideoInfo, threads wanted: guint, dithers: Bool) throws(Unavailable) {
            do throws(VideoSignal.Unsupported) {
                signal = try VideoSignal(info)
            } catch {
                throw Unavailable(description: "There is no canvas of this format: \(error.description)")
            }
            self.info = info
            self.dithers = dithers
            layout = DefaultLayout(info)
            let threads = wanted == 0 ? Int(g_get_num_processors()) : Int(wanted)
            pool = RowPool(threads: max(1, min(threads, signal.height / 16)))
            let light = HDRCompositor.light(
                signal, in: signal.color.primaries, dither: dithers ? .ordered : .none, threads: pool.threads,
                isExact: signal.layout.bits > 12)
            guard let light,
                let composer = CanvasComposer(
                    target: light, height: signal.height, threads: pool.threads,
                    instructionSet: CPUChoice.current.instructionSet)
            else { throw Unavailable(description: "There is no memory for a canvas of \(signal.formatName)") }
            self.composer = composer
        }

        /// Whether its codes show more than half a code of 12 bits.
        var isDeep: Bool { signal.layout.bits > 12 }

        /// Its signal as what is mixed.
        private(set) lazy var signalSpace = BlendSpace.signal(
            SignalCurve(signal.color.transfer, white: BT2408.referenceWhite, hlgPeak: HDRCompositor.hlgPeak))

        /// The maximum of its light, in cd/m².
        var peak: Double {
            switch signal.color.transfer {
            case .pq: PQ.peak
            case .hlg: HDRCompositor.hlgPeak
            default: BT2408.referenceWhite
            }
        }
    }

    /// Why pictures cannot be composed, as text for an error message.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    /// The nominal peak of displays that HLG is for, in cd/m² (BT.2100).
    static let hlgPeak = 1000.0

    /// Light, 1.0 being reference white.
    static func light(
        _ source: VideoSignal, element: LightElement = .single, in primaries: Primaries, dither: Dither = .none,
        threads: Int, isExact: Bool
    ) -> LinearLightConverter? {
        var options = LinearLightConverter.Options()
        options.element = element
        options.primaries = primaries
        options.isExact = isExact
        options.hlgPeak = hlgPeak
        options.dither = dither
        let stream = StreamSignal(layout: source.layout, color: source.color, siting: source.siting)
        return LinearLightConverter(
            source: stream, width: source.width, options: options, threads: threads,
            instructionSet: CPUChoice.current.instructionSet)
    }

    func setCaps(_ caps: Caps.Pointer) -> Bool {
        var info = GstVideoInfo()
        if let unknown = UnknownColorName(caps) {
            error(unknown.description)
            return false
        }
        guard gst_video_info_from_caps(&info, caps) != 0 else {
            error("There is no canvas of \(Caps.description(caps))")
            return false
        }
        sources = [:]
        do throws(Unavailable) {
            canvas = try Canvas(info, threads: settings.current.threads, dithers: info.finfo.pointee.depth.0 <= 8)
            canvasCaps = OwnedCaps(caps)
            ownFrames = nil
        } catch {
            canvas = nil
            self.error(error.description)
            return false
        }
        return true
    }

    /// What brings a pad's pictures to the canvas's light; made anew where the pad's or the canvas's signal is another.
    func source(of layer: GstHdrCompositorLayer, _ canvas: Canvas) throws(Unavailable) -> LayerSource {
        let signal: VideoSignal
        if let unknown = layer.caps.flatMap(UnknownColorName.init) {
            throw Unavailable(description: "A picture cannot be composed: \(unknown.description)")
        }
        do throws(VideoSignal.Unsupported) {
            signal = try VideoSignal(layer.info)
        } catch {
            throw Unavailable(description: "A picture cannot be composed: \(error.description)")
        }
        let peak = layer.caps.flatMap { StaticMetadata(caps: $0).peak }
        let expansion = ToneCurve.inverse(UInt32(bitPattern: layer.settings.inverse_tone_mapping))
        if let pad = layer.pad, let known = sources[pad], known.signal == signal, known.declaredPeak == peak,
            known.expansion == expansion
        {
            return known
        }
        let made = try LayerSource(signal, DefaultLayout(layer.info), peak, expansion, canvas)
        if let pad = layer.pad { sources[pad] = made }
        return made
    }
}

/// The way of a pad's pictures to the canvas's light.
final class LayerSource {
    let signal: VideoSignal
    /// Of the metadata, in cd/m².
    let declaredPeak: Double?
    /// Of SDR on a canvas in HDR.
    let expansion: ToneCurve
    private let layout: DefaultLayout
    /// Maps tones where the canvas cannot hold the source's light, and where SDR is expanded.
    private let mapping: ToneStep?
    private let converter: LinearLightConverter

    init(
        _ signal: VideoSignal, _ layout: DefaultLayout, _ peak: Double?, _ expansion: ToneCurve,
        _ canvas: HDRCompositor.Canvas
    ) throws(HDRCompositor.Unavailable) {
        self.signal = signal
        self.layout = layout
        declaredPeak = peak
        self.expansion = expansion
        mapping = ToneStep(signal, peak, expansion, canvas)
        // Mixed as signals too, pictures need to be of the canvas's primaries.
        let converter = HDRCompositor.light(
            mapping?.signal ?? signal, in: canvas.signal.color.primaries, threads: canvas.pool.threads,
            isExact: canvas.isDeep)
        guard let converter else {
            throw HDRCompositor.Unavailable(
                description: "There is no linear light of pictures of \(signal.formatName)")
        }
        self.converter = converter
    }

    /// A layer of a mapped frame; `nil` where it differs from its caps. It lives until the next call.
    func layer(
        _ frame: UnsafeMutablePointer<GstVideoFrame>, _ pool: RowPool, orientation: LayerOrientation, part: PixelRect,
        place: PixelRect, blend: BlendOperator, opacity: Double, wipe: LayerWipe?
    ) -> CanvasLayer? {
        guard var view = FrameView(frame, (signal.width, signal.height), signal.layout, layout) else { return nil }
        if let mapping {
            guard let mapped = mapping.convert(view, pool) else { return nil }
            view = mapped
        }
        return CanvasLayer(
            frame: view, converter: converter, orientation: orientation, part: part, place: place, blend: blend,
            opacity: opacity, wipe: wipe)
    }
}

/// Maps a picture's tones to what the canvas holds, or expands SDR, in sixteen bits.
final class ToneStep {
    let signal: VideoSignal
    private let converter: PictureConverter
    private let memory: UnsafeMutableRawPointer
    private let height: Int

    /// - Parameters:
    ///   - peak: of the source's metadata, in cd/m².
    ///   - expansion: one of ``ToneCurve/inverses``.
    /// - Returns: `nil` where the source's light is to stay as it is, or there is no memory.
    init?(_ source: VideoSignal, _ peak: Double?, _ expansion: ToneCurve, _ canvas: HDRCompositor.Canvas) {
        guard let layout = PixelLayout.byName["RGBA64_LE"] else { return nil }
        let isSDR = !canvas.signal.color.transfer.isHDR
        let expands = !isSDR && !source.color.transfer.isHDR && expansion != .none
        let own = source.color.transfer == .hlg ? HDRCompositor.hlgPeak : peak ?? ConversionPlan.nominalHDRPeak
        guard expands || source.color.transfer.isHDR && own > canvas.peak else { return nil }
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
        } else {
            settings.sourcePeak = own
            if !isSDR { settings.targetPeak = canvas.peak }
        }
        let plan = ConversionPlan(source: source.color, target: color, settings: settings)
        let format = FormatPlan(
            source: source.layout, target: layout, sourceSiting: source.siting, targetSiting: signal.siting,
            chromaMode: .linear, dither: .none)
        converter = PictureConverter(
            plan: plan, format: format, quality: .balanced, width: source.width, threads: canvas.pool.threads,
            instructionSet: CPUChoice.current.instructionSet)
        height = source.height
        guard let memory = g_try_malloc(gsize(8 * source.width * source.height)) else { return nil }
        self.memory = memory
    }

    deinit { g_free(memory) }

    /// The picture in memory of this object, until the next call.
    func convert(_ picture: FrameView, _ pool: RowPool) -> FrameView? {
        let plane = FrameView.Plane(data: memory, stride: 8 * signal.width)
        guard let made = FrameView(width: signal.width, height: height, planes: [plane]) else { return nil }
        pool.convertFrame(picture, made, converter)
        return made
    }
}
