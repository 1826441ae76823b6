import CGStreamer
import HDRKernels

/// The memory layout that caps alone imply: what buffers have that come without a GstVideoMeta of their own.
///
/// Every picture is held against it, so it lives without allocations.
public struct DefaultLayout {
    private let planes: Int
    private let offsets: InlineArray<4, Int>
    private let strides: InlineArray<4, Int>
    private let size: Int

    public init(_ info: GstVideoInfo) {
        planes = min(info.finfo.map { Int($0.pointee.n_planes) } ?? 0, 4)
        let (o, s) = (info.offset, info.stride)
        offsets = [Int(o.0), Int(o.1), Int(o.2), Int(o.3)]
        strides = [Int(s.0), Int(s.1), Int(s.2), Int(s.3)]
        size = Int(info.size)
    }

    /// Bytes from the start of a plane to the start of the next one in memory, or to the end.
    private func extent(_ plane: Int) -> Int {
        var end = size
        for other in 0..<planes where offsets[other] > offsets[plane] { end = min(end, offsets[other]) }
        return end - offsets[plane]
    }

    private func holds(_ frame: GstVideoFrame) -> Bool {
        let actual = DefaultLayout(frame.info)
        return (0..<planes).allSatisfy { actual.offsets[$0] == offsets[$0] && actual.strides[$0] == strides[$0] }
    }

    /// Rows of the second plane that may be written: interlaced planar formats have room for more than half the picture's,
    /// and GStreamer's own converters read the second field's last line there.
    func chromaRows(_ frame: GstVideoFrame) -> Int? {
        guard planes > 1, strides[1] > 0, holds(frame) else { return nil }
        return max((Int(frame.info.height) + 1) / 2, extent(1) / strides[1])
    }

    /// Writes zeros where the rows of a frame end and the next ones do not yet start, so that equal pictures are equal
    /// bytes and no memory of the program's leaks into files.
    public func clearPadding(_ frame: UnsafeMutablePointer<GstVideoFrame>, _ layout: PixelLayout) {
        guard holds(frame.pointee) else { return }
        let (width, height) = (Int(frame.pointee.info.width), Int(frame.pointee.info.height))
        for plane in 0..<planes {
            guard let data = frame.pointee.plane(plane) else { continue }
            let (bytes, rows) = layout.content(ofPlane: plane, width: width, height: height)
            let gap = strides[plane] - bytes
            if gap > 0 {
                for row in 0..<rows { memset(data + row * strides[plane] + bytes, 0, gap) }
            }
            // Where a second field has a row here, it is written afterwards.
            let rest = extent(plane) - rows * strides[plane]
            if rest > 0 { memset(data + rows * strides[plane], 0, rest) }
        }
    }
}

extension GstVideoFrame {
    /// Where a plane's first row starts.
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
    /// The planes of a frame that the base class has mapped, for the length of the call; `nil` where it holds less than the
    /// size that caps tell. It may hold more.
    ///
    /// What is read of a picture are the rows that every layout has, so that buffers with strides of their own give the
    /// same. What is written fills the rows that the default layout has beyond them.
    public init?(
        _ frame: UnsafeMutablePointer<GstVideoFrame>, _ size: (width: Int, height: Int), _ pixels: PixelLayout,
        _ layout: DefaultLayout, isWritten: Bool = false
    ) {
        let f = frame.pointee
        guard let first = f.data.0, Int(f.info.width) >= size.width, Int(f.info.height) >= size.height else {
            return nil
        }
        let s = f.info.stride
        // Groups of two pixels may reach beyond a row that is only just as long as its pixels.
        if pixels.isPacked422 {
            let bytes = pixels.content(ofPlane: 0, width: size.width, height: size.height).bytes
            guard size.height == 1 || Int(s.0).magnitude >= bytes.magnitude else { return nil }
        }
        // Planes that a format does not have are never asked for.
        self.init(
            width: size.width, height: size.height, Plane(data: first, stride: Int(s.0)),
            Plane(data: f.data.1 ?? first, stride: Int(s.1)), Plane(data: f.data.2 ?? first, stride: Int(s.2)),
            Plane(data: f.data.3 ?? first, stride: Int(s.3)),
            chromaRows: pixels.verticalShift == 0 ? size.height + 1 : isWritten ? layout.chromaRows(f) : nil)
    }
}
