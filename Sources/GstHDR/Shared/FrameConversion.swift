import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

/// Frames of a stream in the form that a video output's settings ask for.
///
/// Made for one format of the stream: another takes its place when that changes. One thread at a time uses it.
final class FrameConversion {
    /// Why frames cannot be had so, as text for a warning.
    struct Impossible: Error, CustomStringConvertible {
        let description: String
    }

    private enum Way {
        /// The stream's own frames are what is asked for.
        case reference
        case picture(PictureStep)
        /// Light, of the stream's pictures or of those that the first step makes of them.
        case light(PictureStep?, LightStep)
    }

    /// The stream's caps; owned.
    private let caps: Caps.Pointer
    private let info: GstVideoInfo
    private let way: Way

    init(_ sample: OpaquePointer, _ settings: OutputSettings) throws(Impossible) {
        guard let caps = gst_sample_get_caps(sample) else { throw Impossible(description: "A frame has no caps") }
        let stream = try Stream(caps)
        info = stream.info
        way = try Self.plan(stream, settings)
        self.caps = gst_caps_ref(caps)
    }

    deinit { gst_caps_unref(caps) }

    /// Whether a frame is of the format that this was made for.
    func fits(_ sample: OpaquePointer) -> Bool {
        gst_sample_get_caps(sample).map { gst_caps_is_equal($0, caps) != 0 } ?? false
    }

    /// The frame in the form that is asked for; the caller owns the sample.
    func convert(_ sample: OpaquePointer) throws(Impossible) -> OpaquePointer {
        let target: (buffer: UnsafeMutablePointer<GstBuffer>?, caps: Caps.Pointer)
        guard let source = gst_sample_get_buffer(sample) else { throw Self.broken }
        switch way {
        case .reference: return gst_sample_ref(sample)
        case .picture(let step): target = (step.convert(source, info), step.caps)
        case .light(nil, let light): target = (light.convert(source, info), light.caps)
        case .light(let step?, let light):
            let picture = step.convert(source, info)
            target = (picture.flatMap { light.convert($0, step.info) }, light.caps)
            if let picture { gst_buffer_unref(picture) }
        }
        guard let buffer = target.buffer else { throw Self.broken }
        defer { gst_buffer_unref(buffer) }
        let facts = gst_sample_get_info(sample).map { gst_structure_copy($0) }
        guard let made = gst_sample_new(buffer, target.caps, gst_sample_get_segment(sample), facts ?? nil) else {
            throw Self.broken
        }
        return made
    }

    private static var broken: Impossible {
        Impossible(
            description:
                "A frame cannot be converted: it differs from its caps, or there is no memory. In the first case the "
                + "element before is at fault")
    }

    // MARK: The plan

    /// What caps say.
    struct Stream {
        let caps: Caps.Pointer
        let info: GstVideoInfo
        let signal: VideoSignal
        let metadata: StaticMetadata

        init(_ caps: Caps.Pointer) throws(Impossible) {
            var info = GstVideoInfo()
            if let unknown = UnknownColorName(caps) { throw Impossible(description: unknown.description) }
            guard let features = gst_caps_get_features(caps, 0),
                gst_caps_features_contains(features, "memory:SystemMemory") != 0,
                gst_video_info_from_caps(&info, caps) != 0
            else {
                throw Impossible(
                    description:
                        "Frames of \(Caps.description(caps)) are not converted for a video output: download them to "
                        + "the system's memory before this element, or ask for frames as they are")
            }
            do throws(VideoSignal.Unsupported) {
                signal = try VideoSignal(info)
            } catch {
                throw Impossible(description: "A frame is not converted: \(error.description)")
            }
            (self.caps, self.info) = (caps, info)
            metadata = StaticMetadata(caps: caps)
        }

        /// Whether its colours are those of SDR in BT.709 or smaller primaries.
        var isNarrow: Bool {
            !signal.color.transfer.isHDR && signal.color.transfer != .linear
                && [.bt709, .bt601, .bt601x625].contains(signal.color.primaries)
        }
    }

    private static func plan(_ stream: Stream, _ settings: OutputSettings) throws(Impossible) -> Way {
        var settings = settings
        let asksForColor = settings.primaries != nil || settings.transfer != nil || settings.matrix != nil
        let isNarrowed = !settings.allowsWideColor && !asksForColor && !stream.isNarrow
        guard case .light(let element) = settings.format else {
            if isNarrowed {
                settings.primaries = OutputSettings.primaries.first
                settings.transfer = OutputSettings.transfers.first
                settings.matrix = OutputSettings.matrices.first
            }
            guard let step = try PictureStep(stream, settings) else { return .reference }
            return .picture(step)
        }
        if let transfer = settings.transfer, transfer.value != GST_VIDEO_TRANSFER_GAMMA10 {
            throw Impossible(
                description:
                    "A video output's frames of floats are linear light: set transfer to linear, or to nothing, in "
                    + "place of \(transfer.name)")
        }
        // What Y'CbCr has beyond the range of R'G'B' is cut like wide colour.
        let isWithin = stream.signal.layout.isRGB && stream.signal.color.quantization.fullRange
        guard isNarrowed || !settings.allowsWideColor && !asksForColor && !isWithin else {
            return .light(nil, try LightStep(stream, element, settings.primaries?.value))
        }
        // Tones are mapped to SDR, of which sixteen bits are then light.
        settings.format = .raw("RGBA64_LE")
        settings.primaries = OutputSettings.primaries.first
        settings.transfer = OutputSettings.transfers.first { $0.name == "srgb" }
        guard let step = try PictureStep(stream, settings) else {
            return .light(nil, try LightStep(stream, element, nil))
        }
        return .light(step, try LightStep(Stream(step.caps), element, nil))
    }
}

extension RowPool {
    /// Threads for pictures of a height: one that has fewer than 16 rows takes longer to start than to work.
    fileprivate convenience init(height: Int) {
        self.init(threads: max(1, min(Int(g_get_num_processors()), height / 16)))
    }
}

/// Pictures of one raw format from those of another.
private final class PictureStep {
    /// Of what it makes.
    var caps: Caps.Pointer { ownCaps.pointer }
    let info: GstVideoInfo
    private let ownCaps: OwnedCaps
    private let source: VideoSignal
    private let target: VideoSignal
    private let layouts: (source: DefaultLayout, target: DefaultLayout)
    private let converter: PictureConverter
    private let pool: RowPool
    private let memory: FrameMemory

    /// `nil` where nothing has to be done.
    init?(_ stream: FrameConversion.Stream, _ settings: OutputSettings) throws(FrameConversion.Impossible) {
        source = stream.signal
        guard let caps = gst_caps_copy(stream.caps) else { return nil }
        ownCaps = OwnedCaps(owning: caps)
        Self.set(caps, stream, settings)
        let made = try FrameConversion.Stream(caps)
        (target, info) = (made.signal, made.info)
        if source == target { return nil }
        layouts = (DefaultLayout(stream.info), DefaultLayout(made.info))
        var choices = ConversionSettings()
        if source.color.transfer == .pq, let peak = stream.metadata.peak, peak >= 1 { choices.sourcePeak = peak }
        let plan = ConversionPlan(source: source.color, target: target.color, settings: choices)
        let metadata =
            !source.color.transfer.isHDR || !target.color.transfer.isHDR
            ? StaticMetadata.none
            : plan.keepsLight ? stream.metadata : stream.metadata.limited(to: plan.targetPeak)
        metadata.write(to: caps)
        let losesBits =
            target.layout.bits < source.layout.bits || (!plan.keepsLight && target.layout.bits == source.layout.bits)
        let format = FormatPlan(
            source: source.layout, target: target.layout, sourceSiting: source.siting, targetSiting: target.siting,
            chromaMode: .linear, dither: losesBits ? .ordered : .none)
        pool = RowPool(height: source.height)
        converter = PictureConverter(
            plan: plan, format: format, quality: .balanced, width: source.width, threads: pool.threads,
            instructionSet: CPUChoice.current.instructionSet)
        guard let memory = FrameMemory(caps, bytes: Int(info.size)) else {
            throw FrameConversion.Impossible(description: "There is no memory for frames of \(Caps.description(caps))")
        }
        self.memory = memory
    }

    /// Writes what is asked for into the caps of the stream.
    private static func set(_ caps: Caps.Pointer, _ stream: FrameConversion.Stream, _ settings: OutputSettings) {
        guard let structure = gst_caps_get_structure(caps, 0) else { return }
        let name = settings.format?.name ?? stream.signal.formatName
        let layout = PixelLayout.byName[name] ?? stream.signal.layout
        Caps.set(structure, "format", to: name)
        let isSameKind = layout.isRGB == stream.signal.layout.isRGB && layout.isGray == stream.signal.layout.isGray
        var color = stream.info.colorimetry
        if let primaries = settings.primaries { color.primaries = primaries.value }
        if let transfer = settings.transfer { color.transfer = transfer.value }
        if color.transfer == GST_VIDEO_TRANSFER_UNKNOWN { color.transfer = GST_VIDEO_TRANSFER_BT709 }
        if color.primaries == GST_VIDEO_COLOR_PRIMARIES_UNKNOWN { color.primaries = GST_VIDEO_COLOR_PRIMARIES_BT709 }
        if !isSameKind || color.range == GST_VIDEO_COLOR_RANGE_UNKNOWN {
            color.range = layout.isUsuallyFull ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235
        }
        if layout.isRGB {
            color.matrix = GST_VIDEO_COLOR_MATRIX_RGB
        } else if let matrix = settings.matrix {
            color.matrix = matrix.value
        } else if !isSameKind || settings.primaries != nil || YCbCrMatrix(color.matrix) == nil {
            color.matrix =
                color.primaries == GST_VIDEO_COLOR_PRIMARIES_BT2020
                ? GST_VIDEO_COLOR_MATRIX_BT2020 : GST_VIDEO_COLOR_MATRIX_BT709
        }
        if let text = color.text { Caps.set(structure, "colorimetry", to: text) }
        // Where chroma has not been halved before, it gets its usual place.
        let wasHalved = stream.signal.layout.horizontalShift > 0 || stream.signal.layout.verticalShift > 0
        if !wasHalved || (layout.horizontalShift == 0 && layout.verticalShift == 0) {
            gst_structure_remove_field(structure, "chroma-site")
        }
    }

    /// The caller owns the buffer; `nil` where the frame differs from its caps, or there is no memory.
    func convert(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ from: GstVideoInfo
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard let made = memory.make(like: buffer) else { return nil }
        let size = (width: source.width, height: source.height)
        let isMade = from.withMappedFrame(buffer) { frame -> Bool in
            var written = GstVideoFrame()
            var info = info
            let flags = GstMapFlags(GST_MAP_WRITE.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
            guard let input = FrameView(frame, size, source.layout, layouts.source),
                gst_video_frame_map(&written, &info, made, flags) != 0
            else { return false }
            defer { gst_video_frame_unmap(&written) }
            guard let output = FrameView(&written, size, target.layout, layouts.target, isWritten: true) else {
                return false
            }
            layouts.target.clearPadding(&written, target.layout)
            let isHalved = source.layout.verticalShift > 0 || target.layout.verticalShift > 0
            pool.convertFrame(input, output, converter, isInterlaced: isHalved && frame.isInterlaced)
            return true
        }
        if isMade == true { return made }
        gst_buffer_unref(made)
        return nil
    }
}

/// Linear light of pictures.
private final class LightStep {
    /// Of what it makes.
    var caps: Caps.Pointer { ownCaps.pointer }
    private let ownCaps: OwnedCaps
    private let source: VideoSignal
    private let layout: DefaultLayout
    private let stride: Int
    private let converter: LinearLightConverter
    private let pool: RowPool
    private let memory: FrameMemory

    init(
        _ stream: FrameConversion.Stream, _ element: LightElement, _ asked: GstVideoColorPrimaries?
    ) throws(FrameConversion.Impossible) {
        source = stream.signal
        layout = DefaultLayout(stream.info)
        stride = source.width * element.bytesPerPixel
        pool = RowPool(height: source.height)
        let unknown = stream.info.colorimetry.primaries == GST_VIDEO_COLOR_PRIMARIES_UNKNOWN
        let primaries = asked ?? (unknown ? GST_VIDEO_COLOR_PRIMARIES_BT709 : stream.info.colorimetry.primaries)
        var options = LinearLightConverter.Options()
        options.element = element
        options.primaries = Primaries(primaries) ?? source.color.primaries
        let converter = LinearLightConverter(
            source: StreamSignal(layout: source.layout, color: source.color, siting: source.siting),
            width: source.width, options: options, threads: pool.threads,
            instructionSet: CPUChoice.current.instructionSet)
        guard let converter else {
            throw FrameConversion.Impossible(
                description: "There is no linear light of frames of \(source.formatName)")
        }
        self.converter = converter
        guard let caps = gst_caps_copy(stream.caps) else {
            throw FrameConversion.Impossible(description: "There is no memory for caps")
        }
        ownCaps = OwnedCaps(owning: caps)
        guard let structure = gst_caps_get_structure(caps, 0) else {
            throw FrameConversion.Impossible(description: "A frame has no caps")
        }
        Caps.set(structure, "format", to: OutputSettings.Format.light(element).name)
        let color = GstVideoColorimetry(
            range: GST_VIDEO_COLOR_RANGE_0_255, matrix: GST_VIDEO_COLOR_MATRIX_RGB,
            transfer: GST_VIDEO_TRANSFER_GAMMA10, primaries: primaries)
        if let text = color.text { Caps.set(structure, "colorimetry", to: text) }
        gst_structure_remove_field(structure, "chroma-site")
        Structure.set(structure, "stride", .int(stride))
        Structure.set(structure, "white-value", .double(1))
        let (bytes, overflow) = stride.multipliedReportingOverflow(by: source.height)
        guard !overflow, let memory = FrameMemory(caps, bytes: bytes) else {
            throw FrameConversion.Impossible(description: "There is no memory for frames of \(Caps.description(caps))")
        }
        self.memory = memory
    }

    /// The caller owns the buffer; `nil` where the frame differs from its caps, or there is no memory.
    func convert(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ from: GstVideoInfo
    ) -> UnsafeMutablePointer<GstBuffer>? {
        guard let made = memory.make(like: buffer) else { return nil }
        var map = GstMapInfo()
        guard gst_buffer_map(made, &map, GST_MAP_WRITE) != 0 else {
            gst_buffer_unref(made)
            return nil
        }
        let isMade = from.withMappedFrame(buffer) { frame -> Bool in
            guard let data = map.data, Int(map.size) >= stride * source.height,
                let view = FrameView(frame, (source.width, source.height), source.layout, layout)
            else { return false }
            decode(view, into: data, isInterlaced: source.layout.verticalShift > 0 && frame.isInterlaced)
            return true
        }
        gst_buffer_unmap(made, &map)
        if isMade == true { return made }
        gst_buffer_unref(made)
        return nil
    }

    /// Chroma of interlaced pictures is halved within each field.
    private func decode(_ picture: FrameView, into data: UnsafeMutableRawPointer, isInterlaced: Bool) {
        for field in 0...(isInterlaced ? 1 : 0) {
            guard let view = isInterlaced ? picture.field(field) : picture else { continue }
            let light = LightRows(
                data: data + field * stride, stride: isInterlaced ? 2 * stride : stride, rows: 0..<view.height)
            let slices = pool.threads == 1 ? 1 : 4 * pool.threads
            pool.forEachSlice(of: slices) { slice, thread in
                let rows = converter.rows(ofSlice: slice, of: slices, height: view.height)
                converter.decode(view, rows: rows, into: light, thread: thread)
            }
        }
    }
}
