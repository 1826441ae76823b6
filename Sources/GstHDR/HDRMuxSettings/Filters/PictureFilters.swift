import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRExport

/// A filter that makes a new picture from each one, for formats that GStreamer's own elements pass unchanged or refuse.
class PictureFilter: BinFilter, @unchecked Sendable {
    fileprivate var input = GstVideoInfo()
    fileprivate var output = GstVideoInfo()
    private var isReady = false

    /// Changes writable caps to those of the new picture.
    fileprivate func change(_ caps: UnsafeMutablePointer<GstCaps>) {}
    /// Whether a buffer passes unchanged.
    fileprivate func passes(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool { false }
    fileprivate func draw(_ from: inout GstVideoFrame, into to: inout GstVideoFrame) {}

    final override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let given, let copy = gst_caps_copy(given) else { return push(event) }
        defer { gst_caps_unref(copy) }
        isReady = gst_video_info_from_caps(&input, given) != 0
        change(copy)
        isReady = isReady && gst_video_info_from_caps(&output, copy) != 0
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
        return gst_event_new_caps(copy).map { push($0) } ?? false
    }

    final override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if passes(buffer) { return push(buffer) }
        defer { gst_buffer_unref(buffer) }
        guard isReady, let made = gst_buffer_new_allocate(nil, output.size, nil) else {
            error("out of memory, or the picture's caps cannot be read")
            return GST_FLOW_ERROR
        }
        var from = GstVideoFrame()
        var to = GstVideoFrame()
        guard gst_video_frame_map(&from, &input, buffer, GST_MAP_READ) != 0 else {
            gst_buffer_unref(made)
            error("a picture cannot be read")
            return GST_FLOW_ERROR
        }
        guard gst_video_frame_map(&to, &output, made, GST_MAP_WRITE) != 0 else {
            gst_video_frame_unmap(&from)
            gst_buffer_unref(made)
            error("a picture cannot be written")
            return GST_FLOW_ERROR
        }
        draw(&from, into: &to)
        gst_video_frame_unmap(&to)
        gst_video_frame_unmap(&from)
        let parts = GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
        gst_buffer_copy_into(made, buffer, GstBufferCopyFlags(parts), 0, gsize.max)
        for format in DynamicMetadataPayload.Format.allCases {
            if let metadata = buffer.metadata(format) { made.setMetadata(metadata) }
        }
        return push(made)
    }

    /// The first byte of a plane, and its stride in bytes.
    fileprivate static func plane(
        _ frame: inout GstVideoFrame, _ index: Int
    ) -> (start: UnsafeMutableRawPointer, stride: Int)? {
        withUnsafeBytes(of: &frame.data) { $0.bindMemory(to: gpointer?.self)[index] }
            .map { ($0, Int(withUnsafeBytes(of: &frame.info.stride) { $0.bindMemory(to: gint.self)[index] })) }
    }
}

/// Keeps the rows of the top field and interpolates the others, as `deinterlace fields=top` does with 8 bits; for
/// AYUV64 and planar 4:4:4 of 16 bits.
final class DeinterlacingFilter: PictureFilter, @unchecked Sendable {
    private var isMixed = false

    override fileprivate func change(_ caps: UnsafeMutablePointer<GstCaps>) {
        for structure in Caps.structures(caps) {
            isMixed = Caps.string(structure, "interlace-mode") == "mixed"
            Caps.set(structure, "interlace-mode", to: "progressive")
            gst_structure_remove_field(structure, "field-order")
        }
    }

    override fileprivate func passes(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        let flags = UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self).pointee.flags
        return isMixed && flags & guint(GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue) == 0
    }

    override fileprivate func draw(_ from: inout GstVideoFrame, into to: inout GstVideoFrame) {
        let (width, height) = (Int(output.width), Int(output.height))
        let planes = Int(output.finfo?.pointee.n_planes ?? 0)
        let words = planes == 1 ? 4 * width : width
        for index in 0..<planes {
            guard let source = Self.plane(&from, index), let target = Self.plane(&to, index) else { return }
            func row(_ y: Int) -> UnsafePointer<UInt16> {
                UnsafePointer((source.start + y * source.stride).assumingMemoryBound(to: UInt16.self))
            }
            for y in 0..<height {
                let result = (target.start + y * target.stride).assumingMemoryBound(to: UInt16.self)
                let above = row(y & ~1)
                let below = row(y & 1 == 0 || y + 1 >= height ? y & ~1 : y + 1)
                for x in 0..<words { result[x] = UInt16((UInt32(above[x]) + UInt32(below[x]) + 1) >> 1) }
            }
        }
    }
}

/// Mirrors pictures left to right, then rotates them clockwise by quarters; for AYUV64, which `videoflip` does not
/// accept.
final class TurningFilter: PictureFilter, @unchecked Sendable {
    private let isMirrored: Bool
    private let turn: Int

    init(_ geometry: FrameGeometry) {
        isMirrored = geometry.isMirrored
        turn = geometry.turn
    }

    override fileprivate func change(_ caps: UnsafeMutablePointer<GstCaps>) {
        guard turn == 90 || turn == 270 else { return }
        for structure in Caps.structures(caps) {
            Structure.set(structure, "width", .int(Int(input.height)))
            Structure.set(structure, "height", .int(Int(input.width)))
            Structure.set(
                structure, "pixel-aspect-ratio", .fraction(Int(max(1, input.par_d)), Int(max(1, input.par_n))))
        }
    }

    override fileprivate func draw(_ from: inout GstVideoFrame, into to: inout GstVideoFrame) {
        guard let source = Self.plane(&from, 0), let target = Self.plane(&to, 0) else { return }
        let (width, height) = (Int(input.width), Int(input.height))
        let (pixel, row) = (MemoryLayout<UInt64>.size, source.stride)
        let (last, bottom) = (pixel * (width - 1), row * (height - 1))
        // The source offset of the first pixel, and the source strides of a step to the right and of a step down.
        var (start, right, down) =
            switch turn {
            case 90: (bottom, -row, pixel)
            case 180: (last + bottom, -pixel, -row)
            case 270: (last, row, -pixel)
            default: (0, pixel, row)
            }
        if isMirrored {
            // The first pixel comes from the last column where the picture is mirrored.
            switch turn {
            case 90: (start, down) = (start + last, -down)
            case 180: (start, right) = (start - last, -right)
            case 270: (start, down) = (start - last, -down)
            default: (start, right) = (last, -right)
            }
        }
        for y in 0..<Int(output.height) {
            let result = (target.start + y * target.stride).assumingMemoryBound(to: UInt64.self)
            let origin = source.start + (start + y * down)
            for x in 0..<Int(output.width) {
                result[x] = origin.loadUnaligned(fromByteOffset: x * right, as: UInt64.self)
            }
        }
    }
}
