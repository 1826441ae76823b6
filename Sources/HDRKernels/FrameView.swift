/// A picture's planes, borrowed for the length of a call.
public struct FrameView: @unchecked Sendable {
    public struct Plane {
        public var data: UnsafeMutableRawPointer
        /// Bytes from one row to the next.
        public var stride: Int
        public init(data: UnsafeMutableRawPointer, stride: Int) {
            self.data = data
            self.stride = stride
        }
    }

    public let width: Int
    public let height: Int
    private let plane0: Plane, plane1: Plane, plane2: Plane, plane3: Plane

    /// - Parameter planes: one to four; a missing one stands for the first.
    public init?(width: Int, height: Int, planes: [Plane]) {
        guard width > 0, height > 0, let first = planes.first else { return nil }
        self.width = width
        self.height = height
        plane0 = first
        plane1 = planes.count > 1 ? planes[1] : first
        plane2 = planes.count > 2 ? planes[2] : first
        plane3 = planes.count > 3 ? planes[3] : first
    }

    @inline(__always) func row(_ plane: Int, _ y: Int) -> UnsafeMutableRawPointer {
        let p = plane == 0 ? plane0 : plane == 1 ? plane1 : plane == 2 ? plane2 : plane3
        return p.data + y &* p.stride
    }

    /// One field of an interlaced picture: every second row, from the first (`parity` 0) or the second.
    /// `nil` where the picture has no such row.
    public func field(_ parity: Int) -> FrameView? {
        let planes = [plane0, plane1, plane2, plane3].map {
            Plane(data: $0.data + parity * $0.stride, stride: $0.stride * 2)
        }
        return FrameView(width: width, height: (height + 1 - parity) / 2, planes: planes)
    }
}
