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
    private let interpolates: Bool

    /// - Parameter cellsPerUnit: values in each interval of length 1.
    init(
        _ maker: TableMaker, low: Double = 0, high: Double, cellsPerUnit: Int = 8192, _ function: (Double) -> Double
    ) {
        let cells = Int(((high - low) * Double(cellsPerUnit)).rounded(.up))
        values = maker.store.make(cells + 2) { function(min(low + Double($0) / Double(cellsPerUnit), high)) }
        scale = Float(cellsPerUnit)
        self.low = Vector(repeating: Float(low))
        self.high = Vector(repeating: Float(high))
        interpolates = maker.interpolates
    }

    @inline(__always) subscript(x: Vector) -> Vector {
        let position = cv_limit(x, low, high) - low
        return interpolates ? cv_uniform_linear(values, scale, position) : cv_uniform_nearest(values, scale, position)
    }
}

/// A function of light on [low, high], from values spaced equally within each power of two, which suits functions that
/// are smooth in the light's logarithm. Outside, the ends' values hold.
struct OctaveTable: @unchecked Sendable {
    private let values: UnsafePointer<Float>
    private let base: Int32
    private let shift: Int32
    private let fractionScale: Float
    private let low: Vector
    private let high: Vector
    private let interpolates: Bool

    /// - Parameters:
    ///   - low: above 0; rounded down to a power of two.
    ///   - cellBits: log2 of the cells in each power of two.
    init(_ maker: TableMaker, low: Double, high: Double, cellBits: Int = 6, _ function: (Double) -> Double) {
        let interpolates = maker.interpolates
        let start = Float(sign: .plus, exponent: Float(low).exponent, significand: 1)
        let bits = interpolates ? cellBits : cellBits + 2
        let shift = Int32(23 - bits)
        self.shift = shift
        base = Int32(bitPattern: start.bitPattern)
        fractionScale = 1 / Float(1 << shift)
        self.low = Vector(repeating: start)
        self.high = Vector(repeating: Float(high))
        self.interpolates = interpolates
        let cells = Int((Int32(bitPattern: Float(high).bitPattern) - base) >> shift) + 1
        let first = base
        values = maker.store.make(cells + 1) { index in
            // Where it takes the nearest value, that is the middle of each cell.
            let half = interpolates ? 0 : Int32(1) << (shift - 1)
            let x = Float(bitPattern: UInt32(bitPattern: first + (Int32(index) << shift) + half))
            // The last cell ends beyond `high`; its line must still pass through the value there.
            return function(interpolates ? Double(x) : min(Double(x), high))
        }
    }

    @inline(__always) subscript(x: Vector) -> Vector {
        let inside = cv_limit(x, low, high)
        return interpolates
            ? cv_octaves_linear(values, base, shift, fractionScale, inside)
            : cv_octaves_nearest(values, base, shift, inside)
    }
}
