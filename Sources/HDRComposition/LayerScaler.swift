import CKernels
import Glibc
import HDRKernels

/// Scales and rotates a layer in linear light, row by row, so that few rows are in memory at a time.
///
/// Each thread decodes rows of the source as they are needed, into a ring buffer of its own. The vertical filter runs
/// first, since weighted sums of rows take fewer instructions than filtering along a row. Where the width shrinks to
/// less than a quarter, the horizontal filter runs first and the ring holds rows that are already narrow, since each
/// row of such a result needs many of them.
final class LayerScaler {
    let layer: CanvasLayer
    /// The part of the canvas that the layer reaches.
    let reach: PixelRect
    private let across: ResamplingFilter
    private let down: ResamplingFilter
    /// The light of the whole shown part as it is stored, where columns become rows.
    private let whole: LightPicture?
    /// The part of the stored picture that is shown.
    private let stored: PixelRect
    /// Whether the horizontal filter runs before the vertical one.
    private let narrowsFirst: Bool
    private let kernels: KernelEffects

    /// - Parameters:
    ///   - across, down: the filters of columns and rows, for the part of the canvas that the layer reaches.
    ///   - whole: the memory for the stored part, as wide as the picture; needed where columns become rows.
    init(
        _ layer: CanvasLayer, reach: PixelRect, across: ResamplingFilter, down: ResamplingFilter, whole: LightPicture?,
        _ kernels: KernelEffects
    ) {
        self.layer = layer
        self.reach = reach
        self.across = across
        self.down = down
        self.whole = whole
        stored = layer.orientation.source(layer.part, layer.frame.width, layer.frame.height)
        narrowsFirst = layer.part.width > 4 * layer.place.width
        self.kernels = kernels
    }

    /// The memory that each thread needs.
    var size: ScalerMemory.Size {
        ScalerMemory.Size(
            ring: ringWidth * ringRows, decoded: narrowsFirst ? decodedWidth * Self.decodedRows : 0,
            row: ringWidth, shown: reach.width, taps: down.taps)
    }

    /// The pixels of a decoded row and of one in the ring, with padding for whole vectors.
    private var decodedWidth: Int {
        ((layer.orientation.isTransposed ? layer.part.width : layer.frame.width) + 7) / 4 * 4
    }
    private var ringWidth: Int { narrowsFirst ? (reach.width + 7) / 4 * 4 : decodedWidth }
    /// The first shown pixel of a decoded row.
    private var origin: Int { layer.orientation.isTransposed ? 0 : layer.part.x }

    /// The rows of the ring: those of one result, and those that are decoded at a time.
    private var ringRows: Int { down.taps + Self.decodedRows }
    private static let decodedRows = 16

    /// Decodes the whole part, where columns become rows.
    func prepare(_ slices: Int, _ forEachSlice: CanvasComposer.Slices) {
        guard let whole else { return }
        let count = stored.height
        forEachSlice(slices) { slice, thread in
            let rows = (stored.y + count * slice / slices)..<(stored.y + count * (slice + 1) / slices)
            layer.converter.decode(layer.frame, rows: rows, into: whole.rows(stored.rows), thread: thread)
        }
    }

    /// Calls a body with each row of the layer in some rows of the canvas, and with its pixels from the first column
    /// of ``reach`` on.
    /// - Parameter target: gives the memory for the pixels of a row.
    func forEachRow(
        _ rows: Range<Int>, _ memory: ScalerMemory, thread: Int,
        into target: (Int) -> UnsafeMutablePointer<LightPixel>, body: (Int, UnsafePointer<LightPixel>) -> Void
    ) {
        let rows = rows.clamped(to: reach.rows)
        guard let last = rows.last else { return }
        let end = Int(down.first[last - reach.y]) + down.taps
        var decoded = 0
        for y in rows {
            let first = Int(down.first[y - reach.y])
            while decoded < first + down.taps {
                let start = max(decoded, first)
                decoded = min(start + Self.decodedRows, end)
                decode(start..<decoded, memory, thread: thread)
            }
            let pixels = target(y)
            filter(y - reach.y, first, memory, into: pixels)
            body(y, pixels)
        }
    }

    /// Filters row `y` of the result, whose first source row is `first`.
    private func filter(
        _ y: Int, _ first: Int, _ memory: ScalerMemory, into target: UnsafeMutablePointer<LightPixel>
    ) {
        let origin = narrowsFirst ? 0 : origin
        func source(_ row: Int) -> UnsafeMutablePointer<LightPixel> {
            memory.ring + row % ringRows &* ringWidth + origin
        }
        var row = source(first)
        if down.taps > 1 {
            for tap in 0..<down.taps {
                memory.pointers[tap] = UnsafeRawPointer(source(first + tap)).assumingMemoryBound(to: Float.self)
            }
            row = memory.row
            let width = narrowsFirst ? reach.width : layer.part.width
            down.weights.withUnsafeBufferPointer { weights in
                kernels.sum_rows(
                    memory.pointers, weights.baseAddress! + y &* down.taps, down.taps,
                    UnsafeMutableRawPointer(row).assumingMemoryBound(to: Float.self), 4 &* width)
            }
        }
        if narrowsFirst {
            target.update(from: row, count: reach.width)
        } else {
            across.apply(to: row, into: target, count: reach.width, kernels)
        }
        // Alpha overshoots like light.
        guard layer.converter.source.layout.hasAlpha else { return }
        for x in 0..<reach.width { target[x].w = Float.minimum(Float.maximum(target[x].w, 0), 1) }
    }

    // MARK: Source rows

    /// Writes rows of the rotated part, as many as are decoded at a time or fewer, to the ring.
    private func decode(_ rows: Range<Int>, _ memory: ScalerMemory, thread: Int) {
        if narrowsFirst {
            decode(rows, into: memory.decoded, thread)
            for y in rows {
                let row = memory.decoded + (y - rows.lowerBound) &* decodedWidth + origin
                across.apply(to: row, into: memory.ring + y % ringRows &* ringWidth, count: reach.width, kernels)
            }
            return
        }
        var rest = rows
        while !rest.isEmpty {
            let slot = rest.lowerBound % ringRows
            let run = rest.lowerBound..<min(rest.upperBound, rest.lowerBound + ringRows - slot)
            decode(run, into: memory.ring + slot * ringWidth, thread)
            rest = run.upperBound..<rest.upperBound
        }
    }

    /// Writes rows of the rotated part one after the other.
    private func decode(_ rows: Range<Int>, into target: UnsafeMutablePointer<LightPixel>, _ thread: Int) {
        if layer.orientation.isTransposed {
            transpose(rows, into: target)
        } else if layer.orientation.mirrorsRows {
            for y in rows {
                let own = stored.y + stored.height - 1 - y
                decodeStored(own..<(own + 1), into: target + (y - rows.lowerBound) * decodedWidth, thread)
            }
        } else {
            decodeStored((stored.y + rows.lowerBound)..<(stored.y + rows.upperBound), into: target, thread)
        }
    }

    /// Decodes whole rows of the stored picture.
    private func decodeStored(_ rows: Range<Int>, into target: UnsafeMutablePointer<LightPixel>, _ thread: Int) {
        let stride = decodedWidth * MemoryLayout<LightPixel>.stride
        layer.converter.decode(
            layer.frame, rows: rows, into: LightRows(data: target, stride: stride, rows: rows), thread: thread)
        guard layer.orientation.mirrorsColumns else { return }
        let width = layer.frame.width
        for y in 0..<rows.count {
            var row = UnsafeMutableBufferPointer(start: target + y * decodedWidth, count: width)
            row.reverse()
        }
    }

    /// Writes columns of the stored part as rows.
    private func transpose(_ rows: Range<Int>, into target: UnsafeMutablePointer<LightPixel>) {
        guard let whole else { return }
        let orientation = layer.orientation
        // The stored column of the first row, and the step from a row to the next.
        let step = orientation.mirrorsColumns ? -1 : 1
        let column =
            orientation.mirrorsColumns
            ? stored.x + stored.width - 1 - rows.lowerBound : stored.x + rows.lowerBound
        for x in 0..<layer.part.width {
            let source = whole.row(orientation.mirrorsRows ? stored.height - 1 - x : x) + column
            for y in 0..<rows.count { target[y &* decodedWidth &+ x] = source[y &* step] }
        }
    }
}

/// The memory of a thread that scales layers.
final class ScalerMemory {
    /// Numbers of pixels, and the number of rows in a weighted sum.
    struct Size {
        var ring = 0
        var decoded = 0
        var row = 0
        var shown = 0
        var taps = 0
    }

    let ring: UnsafeMutablePointer<LightPixel>
    /// Rows that are filtered on their way to the ring.
    let decoded: UnsafeMutablePointer<LightPixel>
    /// The weighted sum of rows.
    let row: UnsafeMutablePointer<LightPixel>
    /// A row of the result.
    let shown: UnsafeMutablePointer<LightPixel>
    /// The rows of a weighted sum.
    let pointers: UnsafeMutablePointer<UnsafePointer<Float>>
    private let size: Size

    /// - Returns: `nil` when out of memory.
    init?(_ size: Size) {
        func pixels(_ count: Int) -> Int { (count + 7) / 4 * 4 }
        let rest = pixels(size.decoded) + pixels(size.row) + pixels(size.shown)
        let (count, isTooLarge) = pixels(size.ring).addingReportingOverflow(rest)
        let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<LightPixel>.stride)
        guard !isTooLarge, !overflow, let memory = aligned_alloc(64, bytes) else { return nil }
        ring = memory.bindMemory(to: LightPixel.self, capacity: count)
        decoded = ring + pixels(size.ring)
        row = decoded + pixels(size.decoded)
        shown = row + pixels(size.row)
        pointers = .allocate(capacity: max(size.taps, 1))
        self.size = size
    }

    deinit {
        free(ring)
        pointers.deallocate()
    }

    /// Whether it is large enough, and not much larger than needed.
    func suits(_ size: Size) -> Bool {
        self.size.ring >= size.ring && self.size.decoded >= size.decoded && self.size.row >= size.row
            && self.size.shown >= size.shown && self.size.taps >= size.taps
            && self.size.ring <= 4 * max(size.ring, 1 << 20)
    }
}

extension ResamplingFilter {
    /// Filters along a row.
    fileprivate func apply(
        to source: UnsafePointer<LightPixel>, into target: UnsafeMutablePointer<LightPixel>, count: Int,
        _ kernels: KernelEffects
    ) {
        first.withUnsafeBufferPointer { first in
            weights.withUnsafeBufferPointer { weights in
                guard taps > 1 else {
                    for index in 0..<count { target[index] = source[Int(first[index])] }
                    return
                }
                if taps % kernels.pixels_per_vector == 0 {
                    return kernels.filter_pixels(
                        UnsafeRawPointer(source).assumingMemoryBound(to: Float.self), first.baseAddress!,
                        weights.baseAddress!, taps,
                        UnsafeMutableRawPointer(target).assumingMemoryBound(to: Float.self), count)
                }
                // A source with fewer pixels than a vector.
                for index in 0..<count {
                    var sum = LightPixel.zero
                    for tap in 0..<taps { sum += source[Int(first[index]) + tap] * weights[index * taps + tap] }
                    target[index] = sum
                }
            }
        }
    }
}
