import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRConcurrency
import HDRKernels
import HDRMetadata
import HDRPresenter
import HDRStills

/// Frames for applications: what is shown, by time, as files, and as the display got it.
extension EDRSink {
    // MARK: By time

    /// The running time of what is to be seen at a time of CLOCK_MONOTONIC; GST_CLOCK_TIME_NONE where nothing plays.
    func itemTime(_ hostTime: UInt64) -> UInt64 {
        guard let clock = gst_element_get_clock(gstElement) else { return UInt64(GstClockTime.max) }
        defer { gst_object_unref(clock) }
        let clockNow = Int64(bitPattern: UInt64(gst_clock_get_time(clock)))
        let base = Int64(bitPattern: UInt64(gst_element_get_base_time(gstElement)))
        // The pipeline's clock may be another one than the host's: what counts is how far off the time is.
        let ahead = Int64(clamping: Int64(clamping: hostTime) &- Int64(clamping: MonotonicClock.now()))
        let running = clockNow &- base &+ ahead
        return running < 0 ? 0 : UInt64(running)
    }

    /// A prepared frame, which applications can have from now on.
    func offer(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let pad = baseSink.pointee.sinkpad, let caps = gst_pad_get_current_caps(pad) else { return }
        defer { gst_caps_unref(caps) }
        guard let sample = gst_sample_new(buffer, caps, &baseSink.pointee.segment, nil) else { return }
        frames.add(sample, running: runningTime(buffer))
    }

    /// When a buffer is to be seen; nil where it has no time. A picture that began before its segment is seen from there on,
    /// and one that is played backwards with its end.
    private func runningTime(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UInt64? {
        let none = UInt64(GstClockTime.max)
        var segment = baseSink.pointee.segment
        var time = UInt64(buffer.pointee.pts)
        guard segment.format == GST_FORMAT_TIME, time != none else { return nil }
        let duration = UInt64(buffer.pointee.duration)
        if segment.rate < 0, duration != none { time &+= duration }
        time = max(time, UInt64(segment.start))
        if UInt64(segment.stop) != none { time = min(time, UInt64(segment.stop)) }
        let running = UInt64(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, guint64(time)))
        return running == none ? nil : running
    }

    // MARK: As the display got it

    /// The offscreen display's picture: caps say size, pixel format and colour space. The caller owns the sample.
    func readFrame() -> OpaquePointer? {
        guard let presenter = screen.current.presenter as? OffscreenPresenter else {
            warning("read-frame needs presenter=offscreen; copy-frame hands out frames as they came in")
            return nil
        }
        return presenter.withPicture { picture, views, serial -> OpaquePointer? in
            let description = picture.description
            let painter = ViewPainter(views, of: description)
            let (width, height) = (painter?.width ?? description.width, painter?.height ?? description.height)
            let row = width * description.format.bytesPerPixel
            guard let buffer = gst_buffer_new_allocate(nil, gsize(row * height), nil) else { return nil }
            defer { gst_buffer_unref(buffer) }
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0, let data = map.data else { return nil }
            if let painter {
                memset(data, 0, row * height)
                painter.paint(picture, into: data)
            } else {
                for y in 0..<height {
                    UnsafeMutableRawPointer(data + y * row).copyMemory(
                        from: picture.memory + y * picture.stride, byteCount: row)
                }
            }
            gst_buffer_unmap(buffer, &map)
            buffer.pointee.pts = guint64(record.pts(serial))
            let text =
                "video/x-raw, format=(string)\(description.format.capsName), width=(int)\(width), "
                + "height=(int)\(height), colorimetry=(string)\(description.encoding.colorimetry), "
                + "color-space=(string)\(description.encoding.name), "
                + "white-value=(double)\(description.encoding.whiteValue)"
            guard let caps = gst_caps_from_string(text) else { return nil }
            defer { gst_caps_unref(caps) }
            return gst_sample_new(buffer, caps, nil, nil)
        } ?? nil
    }

    // MARK: Files

    /// Writes the frame that is shown: `.png` with 16 bits in its own signal, `.sdr.png` tone-mapped to 8-bit sRGB, `.exr`
    /// with half floats of linear light. It stands upright, as on the display.
    /// - Returns: whether it was written; otherwise a warning says why not.
    func saveFrame(_ location: String) -> Bool {
        guard let sample = frames.shown() else {
            warning("No frame has been shown that could be saved; wait for the pipeline to be paused or to play")
            return false
        }
        defer { gst_sample_unref(sample) }
        do {
            let still = try Still(sample, painter.withLock { $0.orientation })
            try still.write(location)
            return true
        } catch {
            warning("The frame is not saved: \(error)")
            return false
        }
    }
}

/// A frame to be written as a file.
private struct Still {
    let source: VideoSignal
    let info: GstVideoInfo
    let metadata: StaticMetadata
    let buffer: UnsafeMutablePointer<GstBuffer>
    let orientation: Orientation

    init(_ sample: OpaquePointer, _ orientation: Orientation) throws {
        var info = GstVideoInfo()
        guard let caps = gst_sample_get_caps(sample), let buffer = gst_sample_get_buffer(sample),
            gst_video_info_from_caps(&info, caps) != 0
        else { throw StillError("it is no picture") }
        self.info = info
        self.buffer = buffer
        self.orientation = orientation
        source = try VideoSignal(info)
        metadata = StaticMetadata(caps: caps)
    }

    func write(_ location: String) throws {
        let name = location.lowercased()
        if name.hasSuffix(".exr") {
            // All light there is, in the source's primaries.
            var settings = ConversionSettings()
            settings.targetPeak = PQ.peak
            settings.toneCurve = ToneCurve.none
            let target = ColorSignal(
                transfer: .extendedLinear(white: 1), primaries: source.color.primaries, quantization: .binary16)
            try write(location, .rgba16f, target, settings, .rgbaHalf, transfer: 8)
        } else if name.hasSuffix(".sdr.png") {
            var settings = ConversionSettings()
            settings.sourcePeak = source.color.transfer == .pq ? metadata.peak : nil
            let target = ColorSignal(
                transfer: .sRGB, primaries: .bt709, quantization: Quantization(bits: 8, fullRange: true, matrix: nil))
            guard let layout = PixelLayout.byName["RGBx"] else { return }
            try write(location, layout, target, settings, .rgba8, transfer: 13)
        } else {
            _ = try StillFormat(fileName: location)
            let target = ColorSignal(
                transfer: source.color.transfer, primaries: source.color.primaries,
                quantization: Quantization(bits: 16, fullRange: true, matrix: nil))
            guard let layout = PixelLayout.byName["RGBA64_LE"] else { return }
            let color = ColorDescription(info.colorimetry)
            try write(location, layout.opaque, target, ConversionSettings(), .rgba16, transfer: color.transfer)
        }
    }

    private func write(
        _ location: String, _ layout: PixelLayout, _ target: ColorSignal, _ settings: ConversionSettings,
        _ still: StillImage.Layout, transfer: UInt8
    ) throws {
        let plan = ConversionPlan(source: source.color, target: target, settings: settings)
        let format = FormatPlan(
            source: source.layout.opaque, target: layout, sourceSiting: source.siting, targetSiting: .left,
            chromaMode: .linear, dither: layout.bits == 8 ? .ordered : .none)
        let converter = PictureConverter(
            plan: plan, format: format, quality: .balanced, width: source.width, threads: 1,
            instructionSet: CPUChoice.current.instructionSet)
        var info = info
        var frame = GstVideoFrame()
        let flags = GstMapFlags(GST_MAP_READ.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_video_frame_map(&frame, &info, buffer, flags) != 0 else { throw StillError("it cannot be read") }
        defer { gst_video_frame_unmap(&frame) }
        let size = (width: source.width, height: source.height)
        guard let from = FrameView(&frame, size, format.source, DefaultLayout(info)) else {
            throw StillError("it differs from its caps")
        }
        let stride = source.width * still.bytesPerPixel
        let bytes = stride * source.height
        var memory = UnsafeMutableRawPointer.allocate(byteCount: max(bytes, 1), alignment: 64)
        defer { memory.deallocate() }
        let plane = FrameView.Plane(data: memory, stride: stride)
        guard let to = FrameView(width: source.width, height: source.height, planes: [plane]) else {
            throw StillError("it has no size")
        }
        converter.convert(from, to, band: 0)
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
        if target.quantization.isFloat { image.referenceWhite = 203 }
        let (across, down) = orientation.isTransposed ? (info.par_d, info.par_n) : (info.par_n, info.par_d)
        if let aspect = StillImage.PixelAspectRatio(width: Int(across), height: Int(down)) {
            image.pixelAspectRatio = aspect
        }
        try StillFile.write(image, to: location)
    }
}

extension PictureFormat {
    /// As caps name it; GStreamer knows half floats from 1.30 on.
    var capsName: String {
        switch self {
        case .rgba16f: "RGBA_F16LE"
        case .rgb10a2: "RGB10A2_LE"
        case .bgr10a2: "BGR10A2_LE"
        case .rgba8: "RGBx"
        case .bgra8: "BGRx"
        }
    }
}

extension PictureEncoding {
    /// As caps write it: range, matrix, transfer and primaries.
    var colorimetry: String {
        let primaries =
            switch self.primaries {
            case .sRGB: GST_VIDEO_COLOR_PRIMARIES_BT709
            case .displayP3: GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432
            case .bt2020: GST_VIDEO_COLOR_PRIMARIES_BT2020
            }
        let transfer =
            switch self.transfer {
            case .extendedLinear: GST_VIDEO_TRANSFER_GAMMA10
            case .pq: GST_VIDEO_TRANSFER_SMPTE2084
            case .sRGB: GST_VIDEO_TRANSFER_SRGB
            }
        let colorimetry = GstVideoColorimetry(
            range: GST_VIDEO_COLOR_RANGE_0_255, matrix: GST_VIDEO_COLOR_MATRIX_RGB, transfer: transfer,
            primaries: primaries)
        return colorimetry.text ?? "sRGB"
    }
}
