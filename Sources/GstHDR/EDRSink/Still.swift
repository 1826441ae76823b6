import CGStreamer
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata
import HDRStills

/// A frame to be written as a file.
struct Still {
    private(set) var source: VideoSignal
    let info: GstVideoInfo
    let metadata: StaticMetadata
    let buffer: UnsafeMutablePointer<GstBuffer>
    let orientation: Orientation
    /// Whether the peak for SDR files is measured from the scene rather than taken from the static metadata, and the
    /// scene's light where it was measured for the display already.
    var detectsPeaks = false
    var light: SceneTracker.Light?
    /// The light and reshaping of the picture's dynamic metadata; `nil` where these are not applied.
    private let dynamics: PictureDynamics?
    private var reshaper: Reshaper?

    /// - Parameter usesMetadata: whether dynamic metadata are applied.
    init(_ sample: OpaquePointer, _ orientation: Orientation, usesMetadata: Bool) throws {
        var info = GstVideoInfo()
        guard let caps = gst_sample_get_caps(sample), let buffer = gst_sample_get_buffer(sample),
            gst_video_info_from_caps(&info, caps) != 0
        else { throw StillError("it is no picture") }
        self.info = info
        self.buffer = buffer
        self.orientation = orientation
        source = try VideoSignal(shown: info)
        metadata = StaticMetadata(caps: caps)
        var reader = PictureDynamicsReader()
        let said = reader.read(buffer)
        dynamics = usesMetadata ? said : nil
        if let problem = BaseLayerAlone(said, of: source.layout, usesMetadata: usesMetadata) { throw problem }
    }

    /// Reshapes the picture if it is a profile 5 base layer (IPTPQc2), which cannot be shown without its RPU, or a base
    /// layer that is to be converted.
    private mutating func reshape(isConverted: Bool) {
        guard let dynamics, let reshaping = dynamics.reshaping, isConverted || dynamics.needsReshaping,
            Reshaper.takes(source.layout)
        else { return }
        reshaper = Reshaper(reshaping, layout: source.layout, instructionSet: CPUChoice.current.instructionSet)
        source = source.with(Reshaping.signal())
    }

    mutating func write(_ location: String) throws {
        let name = location.lowercased()
        reshape(isConverted: name.hasSuffix(".exr") || name.hasSuffix(".sdr.png"))
        if name.hasSuffix(".exr") {
            // OpenEXR holds the whole range of light, in the source's primaries.
            var settings = ConversionSettings()
            settings.targetPeak = PQ.peak
            settings.toneCurve = ToneCurve.none
            let target = ColorSignal(
                transfer: .extendedLinear(white: 1), primaries: source.color.primaries, quantization: .binary16)
            try write(location, .rgba16f, target, settings, .rgbaHalf, transfer: 8)
        } else if name.hasSuffix(".sdr.png") {
            var settings = ConversionSettings()
            settings.sourcePeak = source.color.transfer == .pq ? metadata.peak : nil
            settings.contrastRecovery = detectsPeaks ? ContrastRecovery.usual : 0
            let target = ColorSignal(
                transfer: .sRGB, primaries: .bt709, quantization: Quantization(bits: 8, fullRange: true, matrix: nil))
            if let scene = scene(for: target, settings) {
                settings.sourcePeak = scene.peak
                settings.sourceAverage = scene.average
                if let curve = scene.curve { settings.takeCurve(curve) }
            }
            guard let layout = PixelLayout.byName["RGBx"] else { return }
            try write(location, layout, target, settings, .rgba8, transfer: 13)
        } else {
            _ = try StillFormat(fileName: location)
            let target = ColorSignal(
                transfer: source.color.transfer, primaries: source.color.primaries,
                quantization: Quantization(bits: 16, fullRange: true, matrix: nil))
            guard let layout = PixelLayout.byName["RGBA64_LE"] else { return }
            let transfer = reshaper == nil ? ColorDescription(info.colorimetry).transfer : 16
            try write(location, layout.opaque, target, ConversionSettings(), .rgba16, transfer: transfer)
        }
    }

    /// Light of the scene, by the same rules as for the display; `nil` where the static peak holds.
    private func scene(for target: ColorSignal, _ settings: ConversionSettings) -> PictureDynamics.Light? {
        let fixed = ConversionPlan(source: source.color, target: target, settings: settings)
        if let said = dynamics?.light?.planned(fixed, takesCurve: true) { return said }
        let declared = SceneDetection.declaredPeak(source.color.transfer, metadata.peak)
        guard detectsPeaks, reshaper == nil, SceneDetection.serves(fixed, declared: declared),
            let detection = SceneDetection(
                SceneDetection.Source(source, for: fixed), threads: 1, interval: SceneDetection.interval(info))
        else { return nil }
        var light = light
        if light == nil, let picture = detection.measure(buffer, info, DefaultLayout(info), RowPool(threads: 1)) {
            light = detection.lightAlone(picture.sample)
        }
        return detection.scene(light, above: fixed.targetPeak, declared: declared).map {
            PictureDynamics.Light(peak: $0.peak, average: $0.average)
        }
    }

    private func write(
        _ location: String, _ layout: PixelLayout, _ target: ColorSignal, _ settings: ConversionSettings,
        _ still: StillImage.Layout, transfer: UInt8
    ) throws {
        let plan = ConversionPlan(source: source.color, target: target, settings: settings)
        var format = FormatPlan(
            source: source.layout.opaque, target: layout, sourceSiting: source.siting, targetSiting: .left,
            chromaMode: .linear, dither: layout.bits == 8 ? .ordered : .none)
        format.reshapes = reshaper != nil
        let converter = PictureConverter(
            plan: plan, format: format, quality: .balanced, width: source.width, threads: 1,
            instructionSet: CPUChoice.current.instructionSet,
            map: plan.contrastRecovery > 0 ? RecoveryMap(width: source.width, height: source.height) : nil)
        let stride = source.width * still.bytesPerPixel
        let bytes = stride * source.height
        var memory = UnsafeMutableRawPointer.allocate(byteCount: max(bytes, 1), alignment: 64)
        defer { memory.deallocate() }
        let plane = FrameView.Plane(data: memory, stride: stride)
        guard let to = FrameView(width: source.width, height: source.height, planes: [plane]) else {
            throw StillError("it has no size")
        }
        let size = (width: source.width, height: source.height)
        let isConverted = info.withMappedFrame(buffer) { frame in
            let view = FrameView(frame, size, format.source, DefaultLayout(info))
            guard let from = view?.reshaped(by: reshaper) else { return false }
            RowPool(threads: 1).convertFrame(from, to, converter)
            return true
        }
        guard let isConverted else { throw StillError("it cannot be read") }
        guard isConverted else { throw StillError("it differs from its caps") }
        let (width, height) =
            orientation.isTransposed ? (source.height, source.width) : (source.width, source.height)
        if orientation != Orientation() {
            let upright = UnsafeMutableRawPointer.allocate(byteCount: max(bytes, 1), alignment: 64)
            orientation.turn(
                memory, stride: stride, width: source.width, height: source.height, to: upright,
                stride: width * still.bytesPerPixel, bytesPerPixel: still.bytesPerPixel)
            memory.deallocate()
            memory = upright
        }
        var color = ColorDescription(info.colorimetry)
        if reshaper != nil { color.primaries = 9 }
        if target.primaries == .bt709 && transfer == 13 { color.primaries = 1 }
        color.transfer = transfer
        color.matrix = 0
        color.isFullRange = true
        var image = try StillImage(
            pixels: UnsafeRawBufferPointer(start: memory, count: bytes), layout: still, width: width, height: height,
            stride: width * still.bytesPerPixel, color: color)
        image.ignoresAlpha = true
        if target.transfer.isHDR, !target.quantization.isFloat {
            image.masteringDisplay = metadata.masteringDisplay
            image.contentLightLevel = metadata.contentLightLevel
        }
        if target.quantization.isFloat { image.referenceWhite = BT2408.referenceWhite }
        let (across, down) = orientation.isTransposed ? (info.par_d, info.par_n) : (info.par_n, info.par_d)
        if let aspect = StillImage.PixelAspectRatio(width: Int(across), height: Int(down)) {
            image.pixelAspectRatio = aspect
        }
        try StillFile.write(image, to: location)
    }
}
