import CGStreamer
import CHDRTap
import GstBridge
import HDRBitstream

/// Frames of one format, drawn once and then only read.
final class SourceFrames {
    let caps: String
    /// Bytes of a frame.
    let size: Int
    private(set) var buffers: [UnsafeMutablePointer<GstBuffer>] = []

    /// - Parameter profile: of the Dolby Vision metadata that each frame gets.
    init(
        _ signal: Signal, width: Int, height: Int, content: Content, count: Int,
        profile: DolbyVisionRPU.AuthoredProfile? = nil
    ) throws(Failure) {
        caps = signal.caps(width: width, height: height)
        var info = try Self.info(caps)
        size = Int(info.size)
        let levels = Levels(colorimetry: signal.colorimetry)
        let metadata = profile.map { DolbyVisionFrames($0) }
        for number in 0..<count {
            guard let buffer = gst_buffer_new_allocate(nil, info.size, nil) else {
                throw Failure("out of memory for \(count) frames of \(size) bytes")
            }
            buffer.pointee.pts = GstClockTime(number * 16_666_667)
            buffers.append(buffer)
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0 else {
                throw Failure("a frame cannot be written")
            }
            defer { gst_buffer_unmap(buffer, &map) }
            let painter = FramePainter(info, levels, content, number: number, baseLayer: metadata?.baseLayer)
            painter.paint(&info, map.data)
            if let metadata { try Self.describe(buffer, metadata.payload(beginsScene: number == 0)) }
        }
    }

    private static func describe(_ buffer: UnsafeMutablePointer<GstBuffer>, _ payload: [UInt8]) {
        let data = g_bytes_new(payload, gsize(payload.count))
        defer { g_bytes_unref(data) }
        gst_hdr_buffer_set_dynamic_metadata(buffer, GST_HDR_DOLBY_VISION, data, 0)
    }

    deinit {
        for buffer in buffers {
            gst_buffer_unref(buffer)
        }
    }

    /// The video info of caps.
    static func info(_ text: String) throws(Failure) -> GstVideoInfo {
        var info = GstVideoInfo()
        guard let caps = gst_caps_from_string(text) else { throw Failure("\(text) are no caps") }
        defer { gst_caps_unref(caps) }
        guard gst_video_info_from_caps(&info, caps) != 0 else { throw Failure("\(text) is no video") }
        return info
    }
}

/// Draws into a frame of any format, by way of the 8- or 16-bit pixels that GStreamer packs formats from.
private struct FramePainter {
    private let content: Content
    private let number: Int
    private let width: Int
    private let height: Int
    private let picture: NaturalPicture
    private let unpacked: UnsafePointer<GstVideoFormatInfo>
    /// The offsets of the three components, in the codes of the unpacked pixels; a component is in [0, 1], or in [-0.5,
    /// 0.5] for chroma.
    private let offset: SIMD3<Float>
    private let scale: SIMD3<Float>
    /// Rows of the matrix from R'G'B' to what the format holds.
    private let rows: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
    /// What R'G'B' becomes in place of that; its components are fractions of the highest code.
    private let baseLayer: IPTBaseLayer?

    init(_ info: GstVideoInfo, _ levels: Levels, _ content: Content, number: Int, baseLayer: IPTBaseLayer?) {
        self.content = content
        self.baseLayer = baseLayer
        self.number = number
        width = Int(info.width)
        height = Int(info.height)
        picture = NaturalPicture(levels: levels, width: width, height: height, number: number)
        unpacked = gst_video_format_get_info(info.finfo.pointee.unpack_format)
        var offsets: [gint] = [0, 0, 0, 0]
        var scales: [gint] = [0, 0, 0, 0]
        gst_video_color_range_offsets(info.colorimetry.range, unpacked, &offsets, &scales)
        offset = SIMD3(Float(offsets[0]), Float(offsets[1]), Float(offsets[2]))
        scale = SIMD3(Float(scales[0]), Float(scales[1]), Float(scales[2]))
        var kr = 0.0
        var kb = 0.0
        if gst_video_color_matrix_get_Kr_Kb(info.colorimetry.matrix, &kr, &kb) != 0 {
            let luma = SIMD3(Float(kr), Float(1 - kr - kb), Float(kb))
            rows = (
                luma, (SIMD3(0, 0, 1) - luma) / (2 * Float(1 - kb)), (SIMD3(1, 0, 0) - luma) / (2 * Float(1 - kr))
            )
        } else {
            rows = (SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))
        }
    }

    func paint(_ info: inout GstVideoInfo, _ memory: UnsafeMutablePointer<UInt8>) {
        var noise = Noise(seed: number + 1)
        let planes = [info.offset.0, info.offset.1, info.offset.2, info.offset.3]
        var data: [gpointer?] = planes.map { UnsafeMutableRawPointer(memory + Int($0)) }
        var strides = [info.stride.0, info.stride.1, info.stride.2, info.stride.3]
        let pixels = UnsafeMutableBufferPointer<SIMD3<Float>>.allocate(capacity: width)
        let codes = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: 4 * width)
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4 * width)
        defer {
            pixels.deallocate()
            codes.deallocate()
            bytes.deallocate()
        }
        let isNarrow = unpacked.pointee.depth.0 == 8
        for row in 0..<height {
            draw(row, &noise, pixels)
            for x in 0..<width {
                let code = offset + pixels[x] * scale
                let limited = code.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 65535))
                for component in 0..<3 { codes[4 * x + 1 + component] = UInt16(limited[component] + 0.5) }
                codes[4 * x] = .max
            }
            if isNarrow {
                for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: min(codes[index], 255)) }
            }
            let wide = UnsafeMutableRawPointer(codes.baseAddress)
            let pixelRow = isNarrow ? UnsafeMutableRawPointer(bytes.baseAddress) : wide
            info.finfo.pointee.pack_func(
                info.finfo, GST_VIDEO_PACK_FLAG_NONE, pixelRow, 0, &data, &strides, info.chroma_site, gint(row),
                gint(width))
        }
    }

    /// A row of components, not yet codes.
    private func draw(_ row: Int, _ noise: inout Noise, _ pixels: UnsafeMutableBufferPointer<SIMD3<Float>>) {
        if content == .random {
            // Chroma is centred, R, G and B are not.
            let low = rows.1.sum() == 0 ? SIMD3<Float>(0, -0.5, -0.5) : SIMD3<Float>(repeating: 0)
            for x in 0..<width { pixels[x] = low + SIMD3(noise.fraction, noise.fraction, noise.fraction) }
            return
        }
        if content == .flat {
            for x in 0..<width { pixels[x] = SIMD3(0.45, 0.4, 0.35) }
        } else {
            picture.draw(row: row, noise: &noise, into: pixels)
        }
        for x in 0..<width {
            let color = pixels[x].clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1))
            if let baseLayer {
                // The unpacked pixels of formats of 10 bits have these in their upper bits.
                pixels[x] = (baseLayer(color) * Float(1023 << 6) - offset) / scale
                continue
            }
            pixels[x] = SIMD3((color * rows.0).sum(), (color * rows.1).sum(), (color * rows.2).sum())
        }
    }
}
