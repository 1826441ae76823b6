import CGStreamer
import Testing

/// A picture's code values, in the depth of its format: R, G, B or Y', Cb, Cr, and alpha last.
struct PictureCodes: Hashable, Sendable {
    let width: Int
    let height: Int
    var pixels: [SIMD4<UInt16>]

    init(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> SIMD4<UInt16>) {
        self.width = width
        self.height = height
        pixels = (0..<width * height).map { pixel($0 % width, $0 / width) }
    }

    /// One colour everywhere.
    init(_ width: Int, _ height: Int, _ a: UInt16, _ b: UInt16, _ c: UInt16, alpha: UInt16 = .max) {
        self.init(width, height) { _, _ in SIMD4(a, b, c, alpha) }
    }

    /// Smooth in both directions and of many colours, so that it is the same after chroma has been halved and doubled.
    static func ramp(_ width: Int, _ height: Int, bits: Int) -> PictureCodes {
        let top = Double(1 << bits)
        return PictureCodes(width, height) { x, y in
            let u = Double(x) / Double(width)
            let v = Double(y) / Double(height)
            return SIMD4(
                UInt16(top * (0.1 + 0.8 * u)), UInt16(top * (0.4 + 0.2 * v)), UInt16(top * (0.6 - 0.2 * u)),
                UInt16(top * (0.2 + 0.5 * v)))
        }
    }

    subscript(_ x: Int, _ y: Int) -> SIMD4<UInt16> {
        get { pixels[y * width + x] }
        set { pixels[y * width + x] = newValue }
    }
}

/// A GstBuffer that is given back with its last reference.
final class Buffer {
    let pointer: UnsafeMutablePointer<GstBuffer>

    /// - Parameter pointer: taken over.
    init(_ pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = pointer }

    deinit { gst_buffer_unref(pointer) }

    /// Room for a picture, full of a pattern.
    /// - Parameter padding: bytes more in each row, and rows more in each plane, than GStreamer's default; a
    ///   GstVideoMeta says so.
    /// - Parameter slack: bytes of memory behind the buffer's end, full of the pattern, too.
    convenience init(_ info: GstVideoInfo, padding: Int = 0, slack: Int = 0) throws {
        let format = try #require(info.finfo)
        let planes = Int(format.pointee.n_planes)
        let sources = [info.offset.0, info.offset.1, info.offset.2, info.offset.3].map { Int($0) }
        var strides = [info.stride.0, info.stride.1, info.stride.2, info.stride.3]
        var offsets = sources.map { gsize($0) }
        var size = 0
        for plane in 0..<planes {
            let end = plane + 1 < planes ? sources[plane + 1] : Int(info.size)
            let rows = (end - sources[plane]) / Int(strides[plane])
            strides[plane] += Int32(padding)
            offsets[plane] = gsize(size)
            size += (rows + (padding > 0 ? 3 : 0)) * Int(strides[plane])
        }
        size = padding > 0 ? size : Int(info.size)
        self.init(try #require(gst_buffer_new_allocate(nil, gsize(size + slack), nil)))
        gst_buffer_memset(pointer, 0, 0xa5, .max)
        gst_buffer_resize(pointer, 0, gssize(size))
        if padding > 0 {
            _ = gst_buffer_add_video_meta_full(
                pointer, GST_VIDEO_FRAME_FLAG_NONE, format.pointee.format, UInt32(info.width), UInt32(info.height),
                UInt32(planes), &offsets, &strides)
        }
    }

    convenience init(_ picture: PictureCodes, _ info: GstVideoInfo, padding: Int = 0) throws {
        try self.init(info, padding: padding)
        try write(picture, info)
    }

    /// The whole memory, with what lies between the rows.
    var bytes: [UInt8] {
        var result = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(pointer)))
        _ = gst_buffer_extract(pointer, 0, &result, gsize(result.count))
        return result
    }

    var references: Int { Int(pointer.pointee.mini_object.refcount) }
    var flags: UInt32 {
        get { pointer.pointee.mini_object.flags }
        set { pointer.pointee.mini_object.flags = newValue }
    }

    // MARK: Pixels, by GStreamer's own packers

    func write(_ picture: PictureCodes, _ info: GstVideoInfo) throws {
        try mapped(info, GST_MAP_WRITE) { frame, lines in
            try #require(picture.width == info.width && picture.height == info.height)
            let pack = try #require(lines.format.pack_func)
            for y in 0..<picture.height {
                lines.fill(picture.pixels[y * picture.width..<(y + 1) * picture.width])
                pack(
                    info.finfo, lines.flags, lines.row, 0, &frame.planes, &frame.strides, info.chroma_site, Int32(y),
                    Int32(picture.width))
            }
        }
    }

    func picture(_ info: GstVideoInfo) throws -> PictureCodes {
        var result = PictureCodes(Int(info.width), Int(info.height), 0, 0, 0)
        try mapped(info, GST_MAP_READ) { frame, lines in
            let unpack = try #require(lines.format.unpack_func)
            for y in 0..<result.height {
                unpack(
                    info.finfo, lines.flags, lines.row, &frame.planes, &frame.strides, 0, Int32(y), Int32(result.width))
                for x in 0..<result.width { result[x, y] = lines.pixel(x) }
            }
        }
        return result
    }

    private struct Planes {
        var planes: [UnsafeMutableRawPointer?]
        var strides: [Int32]
    }

    private func mapped(
        _ info: GstVideoInfo, _ flags: GstMapFlags, _ body: (inout Planes, LineBuffer) throws -> Void
    ) throws {
        var info = info
        var frame = GstVideoFrame()
        try #require(gst_video_frame_map(&frame, &info, pointer, flags) != 0)
        defer { gst_video_frame_unmap(&frame) }
        let strides = frame.info.stride
        var planes = Planes(
            planes: [frame.data.0, frame.data.1, frame.data.2, frame.data.3],
            strides: [strides.0, strides.1, strides.2, strides.3])
        try body(&planes, try LineBuffer(info))
    }
}

/// A row in the form that GStreamer's packers take: alpha and three components, 8 or 16 bits each.
private final class LineBuffer {
    let format: GstVideoFormatInfo
    let row: UnsafeMutableRawPointer
    let flags: GstVideoPackFlags
    private let isWide: Bool
    private let bits: Int
    private let alphaBits: Int

    init(_ info: GstVideoInfo) throws {
        format = try #require(info.finfo).pointee
        bits = Int(format.depth.0)
        alphaBits = format.n_components > 3 ? Int(format.depth.3) : bits
        isWide = format.unpack_format == GST_VIDEO_FORMAT_AYUV64 || format.unpack_format == GST_VIDEO_FORMAT_ARGB64
        let interlaced =
            info.interlace_mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED ? GST_VIDEO_PACK_FLAG_INTERLACED.rawValue : 0
        flags = GstVideoPackFlags(GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE.rawValue | interlaced)
        row = .allocate(byteCount: (Int(info.width) + 16) * 8, alignment: 16)
        row.initializeMemory(as: UInt8.self, repeating: 0, count: (Int(info.width) + 16) * 8)
    }

    deinit { row.deallocate() }

    func fill(_ pixels: ArraySlice<SIMD4<UInt16>>) {
        let shift = UInt16(16 - bits)
        let alphaTop = UInt16((1 << alphaBits) - 1)
        for (x, pixel) in pixels.enumerated() {
            let alpha = min(pixel.w, alphaTop)
            if isWide {
                let shifted = SIMD4(
                    alpha << UInt16(16 - alphaBits), pixel.x << shift, pixel.y << shift, pixel.z << shift)
                row.storeBytes(of: shifted, toByteOffset: 8 * x, as: SIMD4<UInt16>.self)
            } else {
                let narrow = SIMD4<UInt8>(truncatingIfNeeded: SIMD4(alpha, pixel.x, pixel.y, pixel.z))
                row.storeBytes(of: narrow, toByteOffset: 4 * x, as: SIMD4<UInt8>.self)
            }
        }
    }

    func pixel(_ x: Int) -> SIMD4<UInt16> {
        guard isWide else {
            let p = row.load(fromByteOffset: 4 * x, as: SIMD4<UInt8>.self)
            return SIMD4(UInt16(p.y), UInt16(p.z), UInt16(p.w), UInt16(p.x))
        }
        let p = row.load(fromByteOffset: 8 * x, as: SIMD4<UInt16>.self)
        let shift = UInt16(16 - bits)
        return SIMD4(p.y >> shift, p.z >> shift, p.w >> shift, p.x >> UInt16(16 - alphaBits))
    }
}
