import CGStreamer
import CX265

/// A picture that is mapped for reading, whose rows have been checked to lie within its memory.
struct MappedPicture {
    private let frame: UnsafeMutablePointer<GstVideoFrame>
    private let format: InputFormat
    private let width: Int
    private let height: Int

    /// - Returns: `nil` where the buffer is smaller than its caps require.
    init?(_ frame: UnsafeMutablePointer<GstVideoFrame>, _ format: InputFormat, width: Int, height: Int) {
        self.frame = frame
        self.format = format
        self.width = width
        self.height = height
        guard Int(frame.pointee.info.width) >= width, Int(frame.pointee.info.height) >= height else { return nil }
        let chroma = format.chromaSize(width: width, height: height)
        let isSeparate: Bool
        if case .separate = format.planes { isSeparate = true } else { isSeparate = false }
        for plane in 0..<(isSeparate ? 3 : 2) {
            let samples = plane == 0 ? width : isSeparate ? chroma.width : 2 * chroma.width
            guard holds(plane, bytes: samples * format.sampleBytes, rows: plane == 0 ? height : chroma.height) else {
                return nil
            }
        }
    }

    /// Whether all rows of a plane lie within the mapped memory. libx265 needs positive strides in whole samples.
    private func holds(_ plane: Int, bytes: Int, rows: Int) -> Bool {
        let f = frame.pointee
        let stride = stride(plane)
        guard let data = data(plane), stride >= bytes, stride % format.sampleBytes == 0 else { return false }
        // Without a GstVideoMeta one mapping contains all planes.
        let map = f.meta == nil || plane == 0 ? f.map.0 : plane == 1 ? f.map.1 : f.map.2
        guard let start = map.data else { return false }
        let first = data - UnsafeMutableRawPointer(start)
        let (last, overflows) = stride.multipliedReportingOverflow(by: rows - 1)
        guard !overflows, first >= 0 else { return false }
        let (end, isFar) = first.addingReportingOverflow(last)
        let (size, isTooFar) = end.addingReportingOverflow(bytes)
        return !isFar && !isTooFar && size <= Int(clamping: map.size)
    }

    private func data(_ plane: Int) -> UnsafeMutableRawPointer? {
        let d = frame.pointee.data
        return plane == 0 ? d.0 : plane == 1 ? d.1 : d.2
    }

    private func stride(_ plane: Int) -> Int {
        let s = frame.pointee.info.stride
        return Int(plane == 0 ? s.0 : plane == 1 ? s.1 : s.2)
    }

    /// Points a libx265 picture to the samples. Interleaved chroma is separated first.
    func describe(_ picture: UnsafeMutablePointer<x265_picture>, _ splitter: inout ChromaSplitter) {
        picture.pointee.bitDepth = format.storedDepth
        picture.pointee.colorSpace = format.chroma.rawValue
        cx265_picture_set_plane(picture, 0, data(0), Int32(clamping: stride(0)))
        switch format.planes {
        case .separate(let first, let second, let third):
            cx265_picture_set_plane(picture, 0, data(first), Int32(clamping: stride(first)))
            cx265_picture_set_plane(picture, 1, data(second), Int32(clamping: stride(second)))
            cx265_picture_set_plane(picture, 2, data(third), Int32(clamping: stride(third)))
        case .interleaved(let isSwapped):
            guard let pairs = data(1) else { return }
            let size = format.chromaSize(width: width, height: height)
            let planes =
                format.sampleBytes == 1
                ? splitter.split(pairs, stride: stride(1), width: size.width, height: size.height, as: UInt8.self)
                : splitter.split(pairs, stride: stride(1), width: size.width, height: size.height, as: UInt16.self)
            let bytes = Int32(clamping: size.width * format.sampleBytes)
            cx265_picture_set_plane(picture, 1, isSwapped ? planes.second : planes.first, bytes)
            cx265_picture_set_plane(picture, 2, isSwapped ? planes.first : planes.second, bytes)
        }
    }
}
