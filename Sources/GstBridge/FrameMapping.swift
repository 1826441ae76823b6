import CGStreamer
import HDRKernels

/// The memory layout that caps alone imply, which buffers without a GstVideoMeta have.
///
/// Every picture is compared with it, so it uses no heap memory.
package struct DefaultLayout {
    private let planes: Int
    private let offsets: InlineArray<4, Int>
    private let strides: InlineArray<4, Int>
    private let size: Int

    package init(_ info: GstVideoInfo) {
        planes = min(info.finfo.map { Int($0.pointee.n_planes) } ?? 0, 4)
        let (o, s) = (info.offset, info.stride)
        offsets = [Int(o.0), Int(o.1), Int(o.2), Int(o.3)]
        strides = [Int(s.0), Int(s.1), Int(s.2), Int(s.3)]
        size = Int(info.size)
    }

    /// Bytes from the start of a plane to the start of the next plane in memory, or to the end of the buffer.
    private func extent(_ plane: Int) -> Int {
        var end = size
        for other in 0..<planes where offsets[other] > offsets[plane] { end = min(end, offsets[other]) }
        return end - offsets[plane]
    }

    /// Whether a frame has this layout.
    private func matches(_ frame: GstVideoFrame) -> Bool {
        let actual = DefaultLayout(frame.info)
        return (0..<planes).allSatisfy { actual.offsets[$0] == offsets[$0] && actual.strides[$0] == strides[$0] }
    }

    /// The number of rows of the second plane that may be written; `nil` where a frame has another layout.
    ///
    /// Interlaced planar formats have room for more than half of the picture's rows, and GStreamer's own converters
    /// read the last chroma row of the second field there.
    func chromaRows(_ frame: GstVideoFrame) -> Int? {
        guard planes > 1, strides[1] > 0, matches(frame) else { return nil }
        return max((Int(frame.info.height) + 1) / 2, extent(1) / strides[1])
    }

    /// Writes zeros into the gaps between rows and planes, so that equal pictures are equal bytes and no memory of the
    /// process leaks into files.
    package func clearPadding(_ frame: UnsafeMutablePointer<GstVideoFrame>, _ layout: PixelLayout) {
        guard matches(frame.pointee) else { return }
        let (width, height) = (Int(frame.pointee.info.width), Int(frame.pointee.info.height))
        for plane in 0..<planes {
            guard let data = frame.pointee.plane(plane) else { continue }
            let (bytes, rows) = layout.content(ofPlane: plane, width: width, height: height)
            let gap = strides[plane] - bytes
            if gap > 0 {
                for row in 0..<rows { memset(data + row * strides[plane] + bytes, 0, gap) }
            }
            // The last chroma row of a second field, which lies here, is written later.
            let rest = extent(plane) - rows * strides[plane]
            if rest > 0 { memset(data + rows * strides[plane], 0, rest) }
        }
    }
}

extension GstVideoFrame {
    /// The address of a plane's first row.
    fileprivate func plane(_ index: Int) -> UnsafeMutableRawPointer? {
        switch index {
        case 0: data.0
        case 1: data.1
        case 2: data.2
        default: data.3
        }
    }
}

extension FrameView {
    /// The planes of a mapped frame, valid while it stays mapped; `nil` where the frame is smaller than the size in the
    /// caps. It may be larger.
    ///
    /// Only rows that every layout has are read, so that a picture converts to the same result whatever the strides of
    /// its buffer. A written frame (`isWritten`) also gets the extra chroma rows of its default layout.
    package init?(
        _ frame: UnsafeMutablePointer<GstVideoFrame>, _ size: (width: Int, height: Int), _ pixels: PixelLayout,
        _ layout: DefaultLayout, isWritten: Bool = false
    ) {
        let f = frame.pointee
        guard let first = f.data.0, Int(f.info.width) >= size.width, Int(f.info.height) >= size.height else {
            return nil
        }
        let s = f.info.stride
        // The last group of two pixels may reach beyond the end of a row that holds an odd number of pixels exactly.
        if pixels.isPacked422 {
            let bytes = pixels.content(ofPlane: 0, width: size.width, height: size.height).bytes
            guard size.height == 1 || Int(s.0).magnitude >= bytes.magnitude else { return nil }
        }
        // Planes that the format does not have are never read.
        self.init(
            width: size.width, height: size.height, Plane(data: first, stride: Int(s.0)),
            Plane(data: f.data.1 ?? first, stride: Int(s.1)), Plane(data: f.data.2 ?? first, stride: Int(s.2)),
            Plane(data: f.data.3 ?? first, stride: Int(s.3)),
            chromaRows: pixels.verticalShift == 0 ? size.height + 1 : isWritten ? layout.chromaRows(f) : nil)
    }
}

extension GstVideoInfo {
    /// Maps a buffer's picture for reading while `body` runs; `nil` where the buffer does not hold a picture of these
    /// caps.
    package func withMappedFrame<Result>(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ body: (UnsafeMutablePointer<GstVideoFrame>) -> Result
    ) -> Result? {
        var info = self
        var frame = GstVideoFrame()
        let flags = GstMapFlags(GST_MAP_READ.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_video_frame_map(&frame, &info, buffer, flags) != 0 else { return nil }
        defer { gst_video_frame_unmap(&frame) }
        return frame.showCrop(of: buffer, (width, height)) ? body(&frame) : nil
    }
}

extension UnsafeMutablePointer<GstVideoFrame> {
    /// Whether the two fields of an interlaced picture are interleaved in the frame.
    package var isInterlaced: Bool { pointee.flags.rawValue & GST_VIDEO_FRAME_FLAG_INTERLACED.rawValue != 0 }
}
