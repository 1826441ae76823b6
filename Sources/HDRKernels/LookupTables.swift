import CVector
import HDRColor

/// Eight samples.
typealias Vector = SIMD8<Float>

/// Owns the tables of one kernel. The tables themselves only point into it, so that the row loops copy and pass them
/// without counting references.
final class TableStore: @unchecked Sendable {
    private var blocks: [UnsafeMutableRawPointer] = []

    /// A table of `count` values, aligned to a cache line. Call while the kernel is being made, never later.
    func make(_ count: Int, _ value: (Int) -> Double) -> UnsafePointer<Float> {
        let raw = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
        blocks.append(raw)
        let values = raw.bindMemory(to: Float.self, capacity: count)
        for i in 0..<count {
            let v = Float(value(i))
            (values + i).initialize(to: v.isFinite ? v : 0)
        }
        return UnsafePointer(values)
    }

    deinit {
        for block in blocks { block.deallocate() }
    }
}

/// Where tables are made, and whether they are to be interpolated.
struct TableMaker {
    let store = TableStore()
    let interpolates: Bool
}

/// A function of a signal on [low, high], from equally spaced values: linear between them, or the nearest one. Outside,
/// the ends' values hold.
struct UniformTable: @unchecked Sendable {
    private let values: UnsafePointer<Float>
    private let scale: Float
    private let low: Vector
    private let high: Vector

    /// - Parameter cellsPerUnit: values in each interval of length 1.
    init(
        _ maker: TableMaker, low: Double = 0, high: Double, cellsPerUnit: Int = 8192, _ function: (Double) -> Double
    ) {
        let cells = Int(((high - low) * Double(cellsPerUnit)).rounded(.up))
        values = maker.store.make(cells + 2) { function(min(low + Double($0) / Double(cellsPerUnit), high)) }
        scale = Float(cellsPerUnit)
        self.low = Vector(repeating: Float(low))
        self.high = Vector(repeating: Float(high))
    }

    /// - Parameter linear: what the table was made for. A constant where this is inlined: no branch is left in the loop.
    @inline(__always) subscript(x: Vector, linear linear: Bool) -> Vector {
        let position = cv_limit(x, low, high) - low
        return linear ? cv_uniform_linear(values, scale, position) : cv_uniform_nearest(values, scale, position)
    }
}

/// A function of light on [low, high], from values spaced equally within each power of two, which suits functions that
/// are smooth in the light's logarithm. Outside, the ends' values hold.
struct OctaveTable: @unchecked Sendable {
    private let values: UnsafePointer<Float>
    private let base: Int32
    private let shift: Int32
    private let fractionScale: Float
    private let scale: Float
    private let low: Vector
    private let high: Vector

    /// - Parameters:
    ///   - low: above 0; the table starts there or a little lower.
    ///   - cellBits: log2 of the cells in each power of two.
    ///   - step: where the function has a step or a corner, which a cell then starts with.
    init(
        _ maker: TableMaker, low: Double, high: Double, cellBits: Int = 6, step: Double? = nil,
        _ function: (Double) -> Double
    ) {
        // Cells start at multiples of fractions of powers of two, so the argument is scaled to make the step one of these.
        let scale = Float(1 / (step ?? 1))
        func bits(_ x: Double) -> Int32 { Int32(bitPattern: (Float(x) * scale).bitPattern) }
        func argument(_ bits: Int32) -> Double { Double(Float(bitPattern: UInt32(bitPattern: bits))) / Double(scale) }
        let shift = Int32(23 - (maker.interpolates ? cellBits : cellBits + 2))
        let size = Int32(1) << shift
        let first = bits(low) / size * size
        let last = bits(high)
        let cells = max(Int((last - first) >> shift), 0) + 1
        if maker.interpolates {
            values = maker.store.make(2 * cells) { index in
                let start = first + Int32(index / 2) * size
                let value = function(argument(start))
                if index % 2 == 0 { return value }
                // Up to just below the next cell; the last one passes through the value at `high` exactly.
                let end = index / 2 == cells - 1 && last > start ? last : start + size - 1
                return (function(argument(end)) - value) / Double(end - start) * Double(size)
            }
        } else {
            values = maker.store.make(cells) { index in
                function(min(argument(first + Int32(index) * size + size / 2), high))
            }
        }
        base = first
        self.shift = shift
        fractionScale = 1 / Float(size)
        self.scale = scale
        self.low = Vector(repeating: Float(bitPattern: UInt32(bitPattern: first)))
        self.high = Vector(repeating: Float(bitPattern: UInt32(bitPattern: last)))
    }

    /// - Parameter linear: what the table was made for. A constant where this is inlined: no branch is left in the loop.
    @inline(__always) subscript(x: Vector, linear linear: Bool) -> Vector {
        let inside = cv_limit(x * scale, low, high)
        return linear
            ? cv_octaves_linear(values, base, shift, fractionScale, inside)
            : cv_octaves_nearest(values, base, shift, inside)
    }
}
