import Glibc
import HDRKernels

/// Memory for the code values of some rows of a picture.
final class CodeRows {
    let planes: [FrameView.Plane]
    let count: Int
    private let layout: PixelLayout
    private let width: Int
    private let memory: UnsafeMutableRawPointer

    /// - Parameter count: the number of rows, which is even: two of them may share one of chroma.
    /// - Returns: `nil` when out of memory.
    init?(_ layout: PixelLayout, width: Int, count: Int) {
        let contents = (0..<4).map { layout.content(ofPlane: $0, width: width, height: count) }
        let strides = contents.map { ($0.bytes + 127) / 64 * 64 }
        let sizes = zip(contents, strides).map { $0.rows * $1 }
        guard let memory = aligned_alloc(64, max(sizes.reduce(0, +), 64)) else { return nil }
        var planes: [FrameView.Plane] = []
        var used = 0
        for (index, size) in sizes.enumerated() where contents[index].bytes > 0 {
            planes.append(FrameView.Plane(data: memory + used, stride: strides[index]))
            used += size
        }
        (self.layout, self.width, self.count, self.memory, self.planes) = (layout, width, count, memory, planes)
    }

    deinit { free(memory) }

    /// A picture of which these are some rows; the others have no memory.
    /// - Parameters:
    ///   - first: the row that comes first, which is even.
    ///   - height: the picture's height.
    func view(from first: Int, height: Int) -> FrameView? {
        let shifted = planes.enumerated().map { index, plane in
            let isHalved = layout.content(ofPlane: index, width: width, height: height).rows < height
            return FrameView.Plane(
                data: plane.data - (isHalved ? first / 2 : first) * plane.stride, stride: plane.stride)
        }
        return FrameView(width: width, height: height, planes: shifted)
    }
}
