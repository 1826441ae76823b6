import HDRColor

/// Finds the bars of letterboxed and pillarboxed pictures: rows and columns at the edges that have been black in every
/// picture so far.
///
/// What is black by chance must not be taken for a bar, because a smaller area has a higher mean: bars count only where the
/// opposite one is as thick, and where neither is thicker than a quarter of the picture. A picture that is all black says
/// nothing. The area never shrinks again.
public struct ActiveAreaFinder: Sendable {
    /// Columns and rows with anything but black, so far.
    private var columns: Range<Int>?
    private var rows = 0..<0
    private let reader: SampleReader
    private let width: Int
    private let height: Int
    /// The highest code that is black.
    private let black: Float
    private var line: [Float]

    /// Codes of eight bits above black that are still black: what noise and rounding leave.
    private static let tolerance = 2.0
    /// Pixels by which opposite bars may differ.
    private static let slack = 4

    /// - Parameters:
    ///   - width, height: of the pictures, in pixels.
    /// - Returns: `nil` for a picture without pixels, and a signal of another depth than the layout's.
    public init?(layout: PixelLayout, signal: ColorSignal, width: Int, height: Int) {
        guard width > 0, height > 0, layout.bits == signal.quantization.bits,
            layout.isRGB == (signal.quantization.matrix == nil)
        else { return nil }
        reader = SampleReader(layout: layout)
        self.width = width
        self.height = height
        let step = Double(signal.quantization.maxCode + 1) / 256
        black = Float(signal.quantization.offset.x + Self.tolerance * step)
        line = [Float](repeating: 0, count: width)
    }

    /// Looks at a picture; at nothing but what has been black so far. Pictures of another size are left alone.
    public mutating func add(_ frame: FrameView) {
        guard frame.width == width, frame.height == height else { return }
        if rows.isEmpty {
            guard let first = (0..<height).first(where: { content(frame, $0) != nil }),
                let last = (first..<height).last(where: { content(frame, $0) != nil })
            else { return }
            rows = first..<last + 1
        } else {
            let first = (0..<rows.lowerBound).first { content(frame, $0) != nil } ?? rows.lowerBound
            let last = (rows.upperBound..<height).last { content(frame, $0) != nil } ?? rows.upperBound - 1
            rows = first..<last + 1
        }
        for y in rows {
            if columns == 0..<width { break }
            guard let own = content(frame, y) else { continue }
            columns = columns.map { min($0.lowerBound, own.lowerBound)..<max($0.upperBound, own.upperBound) } ?? own
        }
    }

    /// What is no bar: it begins with an even column and an even row. `nil` where there are no bars.
    public var area: PictureArea? {
        guard let columns, !rows.isEmpty else { return nil }
        let area = PictureArea(columns: inside(columns, width), rows: inside(rows, height))
        return area == PictureArea(columns: 0..<width, rows: 0..<height) ? nil : area
    }

    private func inside(_ range: Range<Int>, _ length: Int) -> Range<Int> {
        let (before, after) = (range.lowerBound, length - range.upperBound)
        let isBar = before > 0 && after > 0 && abs(before - after) <= Self.slack && max(before, after) <= length / 4
        return isBar ? before & ~1..<range.upperBound : 0..<length
    }

    /// From the first to the last pixel of a row that is not black; `nil` where there is none.
    private mutating func content(_ frame: FrameView, _ y: Int) -> Range<Int>? {
        let isRGB = reader.layout.isRGB
        let (black, width) = (black, width)
        var found: Range<Int>?
        for component in 0..<(isRGB ? 3 : 1) {
            line.withUnsafeMutableBufferPointer { line in
                guard let samples = line.baseAddress else { return }
                reader.read(component, frame, y, count: width, into: samples)
                guard let first = (0..<width).first(where: { samples[$0] > black }) else { return }
                let last = (first..<width).last { samples[$0] > black } ?? first
                found = found.map { min($0.lowerBound, first)..<max($0.upperBound, last + 1) } ?? first..<last + 1
            }
        }
        return found
    }
}
