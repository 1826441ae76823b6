/// A picture's planes, borrowed for the length of a call.
package struct FrameView: @unchecked Sendable {
    package struct Plane {
        package var data: UnsafeMutableRawPointer
        /// The number of bytes from one row to the next.
        package var stride: Int
        package init(data: UnsafeMutableRawPointer, stride: Int) {
            self.data = data
            self.stride = stride
        }
    }

    package let width: Int
    package let height: Int
    /// The number of chroma rows that may be written where chroma is halved vertically. Where it is 0, the first row of
    /// the chroma planes may still be read.
    package let chromaRows: Int
    /// Where chroma that is not cosited vertically lies between the two rows of a pair, from 0 at the upper to 1 at the
    /// lower one.
    ///
    /// It is midway in a whole picture. Fields have their chroma where an interlaced picture of the same scene has it:
    /// half a row of the picture below the first field's rows, and above the second one's (ISO/IEC 13818-2, 6.1.1.8;
    /// Rec. ITU-T H.264, 6.2).
    private(set) var chromaPlace: Float = 0.5
    private let plane0: Plane, plane1: Plane, plane2: Plane, plane3: Plane
    /// The reshaper that maps the samples before they are converted; it is borrowed too.
    private(set) var reshaper: Unmanaged<Reshaper>?

    /// - Parameter chromaRows: the number of chroma rows; by default half the height, rounded up.
    package init?(
        width: Int, height: Int, _ plane0: Plane, _ plane1: Plane, _ plane2: Plane, _ plane3: Plane,
        chromaRows: Int? = nil
    ) {
        guard width > 0, height > 0 else { return nil }
        self.init(
            width: width, height: height, chromaRows: chromaRows ?? (height + 1) / 2, plane0: plane0, plane1: plane1,
            plane2: plane2, plane3: plane3)
    }

    /// - Parameter planes: one to four planes; a missing one is replaced by the first.
    package init?(width: Int, height: Int, planes: [Plane]) {
        guard let first = planes.first else { return nil }
        let all = planes + Array(repeating: first, count: max(0, 4 - planes.count))
        self.init(width: width, height: height, all[0], all[1], all[2], all[3])
    }

    @inline(__always) func row(_ plane: Int, _ y: Int) -> UnsafeMutableRawPointer {
        let p = plane == 0 ? plane0 : plane == 1 ? plane1 : plane == 2 ? plane2 : plane3
        return p.data + y &* p.stride
    }

    func plane(_ index: Int) -> Plane { Plane(data: row(index, 0), stride: row(index, 1) - row(index, 0)) }

    /// A picture of the same size in other memory.
    func with(_ plane0: Plane, _ plane1: Plane, _ plane2: Plane, _ plane3: Plane) -> FrameView {
        FrameView(
            width: width, height: height, chromaRows: chromaRows, plane0: plane0, plane1: plane1, plane2: plane2,
            plane3: plane3
        ).like(self)
    }

    /// This view with another one's reshaper, and its chroma where the other one's is.
    private func like(_ other: FrameView) -> FrameView {
        var view = self
        view.reshaper = other.reshaper
        view.chromaPlace = other.chromaPlace
        return view
    }

    /// This picture as a source whose samples are a Dolby Vision base layer. The reshaper has to live as long as the
    /// view is used.
    package func reshaped(by reshaper: Reshaper?) -> FrameView {
        reshaped(by: reshaper.map { Unmanaged.passUnretained($0) })
    }

    func reshaped(by reshaper: Unmanaged<Reshaper>?) -> FrameView {
        var view = self
        view.reshaper = reshaper
        return view
    }

    private init(
        width: Int, height: Int, chromaRows: Int, plane0: Plane, plane1: Plane, plane2: Plane, plane3: Plane
    ) {
        self.width = width
        self.height = height
        self.chromaRows = chromaRows
        self.plane0 = plane0
        self.plane1 = plane1
        self.plane2 = plane2
        self.plane3 = plane3
    }

    /// One field of an interlaced picture: every second row, of chroma too, from the first (`parity` 0) or the second.
    /// `nil` where the picture has no such row.
    package func field(_ parity: Int) -> FrameView? {
        let height = (height + 1 - parity) / 2
        // With an odd number of chroma rows the second field has one row less than the first.
        let chromaRows = min((chromaRows + 1 - parity) / 2, (height + 1) / 2)
        func own(_ plane: Plane, _ skip: Int) -> Plane {
            Plane(data: plane.data + skip * plane.stride, stride: plane.stride * 2)
        }
        let chroma = chromaRows > 0 ? parity : 0
        var view = FrameView(
            width: width, height: height, own(plane0, parity), own(plane1, chroma), own(plane2, chroma),
            own(plane3, chroma), chromaRows: chromaRows)?.reshaped(by: reshaper)
        view?.chromaPlace = parity == 0 ? 0.25 : 0.75
        return view
    }
}
