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
