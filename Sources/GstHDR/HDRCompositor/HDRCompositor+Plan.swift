import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRKernels
import HDRMetadata

/// Builds what caps determine: the canvas, and the conversion of each pad's pictures to its light.
extension HDRCompositor {
    /// The target on which pictures are composed.
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
            pool = RowPool(threads: RowPool.threads(height: signal.height, requested: Int(wanted)))
            let light = HDRCompositor.light(
                signal, in: signal.color.primaries, dither: dithers ? .ordered : .none, threads: pool.threads,
                isExact: signal.layout.bits > 12)
            guard let light,
                let composer = CanvasComposer(
                    target: light, height: signal.height, threads: pool.threads,
                    instructionSet: CPUChoice.current.instructionSet)
            else { throw Unavailable(description: "Out of memory for a canvas of \(signal.formatName)") }
            self.composer = composer
        }

        /// Whether its codes resolve more than 12 bits.
        var isDeep: Bool { signal.layout.bits > 12 }

        /// The blend space that mixes code values of the canvas's signal instead of light.
        private(set) lazy var signalSpace = BlendSpace.signal(
            SignalCurve(signal.color.transfer, white: BT2408.referenceWhite, hlgPeak: HLG<Double>.nominalPeak))

        /// The highest luminance that the canvas can represent, in cd/m².
        var peak: Double {
            switch signal.color.transfer {
            case .pq: PQ.peak
            case .hlg: HLG<Double>.nominalPeak
            default: BT2408.referenceWhite
            }
        }
    }

    /// Why pictures cannot be composed, as text for an error message.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    /// A converter between a signal and linear light, where 1.0 is reference white.
    static func light(
        _ source: VideoSignal, element: LightElement = .single, in primaries: Primaries, dither: Dither = .none,
        threads: Int, isExact: Bool
    ) -> LinearLightConverter? {
        var options = LinearLightConverter.Options()
        options.element = element
        options.primaries = primaries
        options.isExact = isExact
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
        if canvas == nil { warnOfCPU() }
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

    /// The conversion of a pad's pictures to the canvas's light; made anew where the signal of the pad or of the canvas
    /// has changed.
    func source(
        of layer: GstHdrCompositorLayer, _ scene: PadScene, _ canvas: Canvas
    ) throws(Unavailable) -> LayerSource {
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
        let reshapes = scene.reshapes(signal, onto: canvas.signal.color.transfer)
        if let pad = layer.pad, let known = sources[pad], known.signal == signal, known.declaredPeak == peak,
            known.expansion == expansion, known.reshapes == reshapes
        {
            return known
        }
        let made = try LayerSource(signal, DefaultLayout(layer.info), peak, expansion, reshapes: reshapes, canvas)
        if let pad = layer.pad { sources[pad] = made }
        return made
    }
}
