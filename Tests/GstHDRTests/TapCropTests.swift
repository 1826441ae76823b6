import CGStreamer
import CGstFormat
import CGstCheck
import GstBridge
import TestSupport
import Testing

/// Frames that a GstVideoCropMeta crops, as decoders give them: taps see the part that is shown.
@Suite(.quiet, .serialized) struct TapCropTests {
    private static let caps = "video/x-raw,format=NV12,width=48,height=40,framerate=25/1,colorimetry=bt709"

    /// A frame whose luma and chroma grow by place, as a part of 48x40 pixels at 16, 8 of a larger one, or alone.
    private func frame(isCropped: Bool) throws -> UnsafeMutablePointer<GstBuffer> {
        let (width, height) = isCropped ? (64, 52) : (48, 40)
        let (left, top) = isCropped ? (0, 0) : (16, 8)
        let buffer = try #require(gst_buffer_new_allocate(nil, gsize(width * height * 3 / 2), nil))
        var bytes = [UInt8](repeating: 0, count: width * height * 3 / 2)
        for y in 0..<height {
            for x in 0..<width { bytes[y * width + x] = UInt8(40 + 2 * (x + left) + y + top) }
        }
        for y in 0..<height / 2 {
            for x in 0..<width { bytes[(height + y) * width + x] = UInt8(90 + (x + left) / 2 + 2 * (y + top / 2)) }
        }
        gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
        var offsets: [gsize] = [0, gsize(width * height), 0, 0]
        var strides: [gint] = [gint(width), gint(width), 0, 0]
        gst_buffer_add_video_meta_full(
            buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_NV12, guint(width), guint(height), 2, &offsets, &strides
        )
        if isCropped {
            let meta = try #require(gst_buffer_add_meta(buffer, gst_video_crop_meta_get_info(), nil))
            let crop = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self)
            (crop.pointee.x, crop.pointee.y, crop.pointee.width, crop.pointee.height) = (16, 8, 48, 40)
        }
        buffer.pointee.pts = 0
        buffer.pointee.duration = 40_000_000
        return buffer
    }

    private func hasCrop(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        gst_buffer_get_meta(buffer, gst_video_crop_meta_api_get_type()) != nil
    }

    /// Effects on pixels, on whole pictures, and on the picture's place.
    @Test(arguments: ["exposure", "gaussian-blur", "vignette", "chroma-key"])
    func effectsSeeWhatIsShown(_ effect: String) throws {
        var pictures: [[UInt8]] = []
        for isCropped in [false, true] {
            let harness = try VideoTapHarness()
            harness.set("effect", effect)
            if effect == "exposure" { harness.setChild("effect::stops", -1) }
            try harness.start(Self.caps)
            #expect(gst_harness_push(harness.harness, try frame(isCropped: isCropped)) == GST_FLOW_OK)
            let made = try #require(gst_harness_try_pull(harness.harness))
            defer { gst_buffer_unref(made) }
            #expect(!hasCrop(made), "the new frame is as large as the caps say")
            pictures.append(bytes(of: made))
            #expect(harness.messages() == [])
        }
        #expect(pictures[0] == pictures[1])
    }

    /// A frame that nothing changes keeps its crop, and one that begins within a sample of chroma is refused in words.
    @Test func framesThatPassKeepTheirCrop() throws {
        let harness = try VideoTapHarness()
        try harness.start(Self.caps)
        let buffer = try frame(isCropped: true)
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        let passed = try #require(gst_harness_try_pull(harness.harness))
        #expect(passed == buffer && hasCrop(passed))
        gst_buffer_unref(passed)

        let other = try VideoTapHarness()
        other.set("effect", "sepia")
        try other.start(Self.caps)
        let odd = try frame(isCropped: true)
        let meta = try #require(gst_buffer_get_meta(odd, gst_video_crop_meta_api_get_type()))
        UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self).pointee.x = 15
        #expect(gst_harness_push(other.harness, odd) == GST_FLOW_ERROR)
        #expect(other.messages().contains { $0.contains("crop begins within samples of chroma") })
    }

    /// Where lines of two fields alternate, the part that is shown begins with a pair of them, also in chroma.
    @Test(arguments: [("I420", 8, true), ("I420", 10, false), ("Y42B", 10, true), ("Y42B", 9, false)])
    func fieldsStayInOrder(_ format: String, _ y: Int, _ isShown: Bool) throws {
        gst_init(nil, nil)
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, hdr_video_format_from_string(format), 64, 48)
        let buffer = try #require(gst_buffer_new_allocate(nil, info.size, nil))
        defer { gst_buffer_unref(buffer) }
        let meta = try #require(gst_buffer_add_meta(buffer, gst_video_crop_meta_get_info(), nil))
        let crop = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self)
        (crop.pointee.x, crop.pointee.y, crop.pointee.width, crop.pointee.height) = (0, guint(y), 32, 24)
        for isInterlaced in [false, true] {
            info.interlace_mode =
                isInterlaced ? GST_VIDEO_INTERLACE_MODE_INTERLEAVED : GST_VIDEO_INTERLACE_MODE_PROGRESSIVE
            var frame = GstVideoFrame()
            try #require(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0)
            defer { gst_video_frame_unmap(&frame) }
            var moved = frame
            #expect(moved.showCrop(of: buffer, (32, 24)) == (isShown || !isInterlaced && (format == "Y42B" || y == 10)))
        }
    }

    /// The planes of formats of each arrangement begin at the part that is shown.
    @Test(arguments: [
        ("I420", 16, 8, true), ("P010_10LE", 16, 8, true), ("UYVY", 2, 3, true), ("RGB", 5, 3, true),
        ("Y444_16LE", 5, 3, true), ("v210", 0, 3, true), ("v210", 6, 0, false), ("I420", 16, 9, false),
        ("NV12_4L4", 4, 4, false), ("GRAY8", 40, 30, false),
    ])
    func planesBeginAtTheCrop(_ format: String, _ x: Int, _ y: Int, _ isShown: Bool) throws {
        gst_init(nil, nil)
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, hdr_video_format_from_string(format), 64, 48)
        let buffer = try #require(gst_buffer_new_allocate(nil, info.size, nil))
        defer { gst_buffer_unref(buffer) }
        let meta = try #require(gst_buffer_add_meta(buffer, gst_video_crop_meta_get_info(), nil))
        let crop = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self)
        (crop.pointee.x, crop.pointee.y, crop.pointee.width, crop.pointee.height) = (guint(x), guint(y), 32, 24)
        var frame = GstVideoFrame()
        try #require(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0)
        defer { gst_video_frame_unmap(&frame) }
        var moved = frame
        #expect(moved.showCrop(of: buffer, (32, 24)) == isShown)
        guard isShown, let start = frame.data.0, let now = moved.data.0 else { return }
        let step = ["UYVY": 2, "RGB": 3, "Y444_16LE": 2, "P010_10LE": 2][format] ?? (format == "v210" ? 0 : 1)
        #expect(now - start == y * Int(info.stride.0) + x * step)
        if format == "I420", let start = frame.data.1, let now = moved.data.1 {
            #expect(now - start == y / 2 * Int(info.stride.1) + x / 2)
        }
        // A crop of another size than the caps' is none.
        var other = frame
        #expect(other.showCrop(of: buffer, (30, 24)) && other.data.0 == frame.data.0)
    }
}
