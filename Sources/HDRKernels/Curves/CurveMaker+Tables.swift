import CKernels

/// Curves as tables in memory.
extension CurveMaker {
    /// A function of a signal on [low, high] as a table, which can take any shape.
    func table(_ low: Double, _ high: Double, _ steps: Int, _ function: (Double) -> Double) -> KernelCurve {
        let count = Int(((high - low) * Double(steps)).rounded(.up)) + 1
        func argument(_ position: Int) -> Double { min(low + Double(position) / Double(steps), high) }
        var curve = KernelCurve()
        curve.kind = Int32(KernelCurveTable)
        curve.low = 0
        curve.high = Float((high - low) * Double(steps))
        curve.scale = Float(steps)
        curve.offset = Float(-low * Double(steps))
        let values = (0...count).map { function(argument($0)) }
        curve.table = store.make(2 * count) { index in
            let cell = index / 2
            if index % 2 == 0 { return values[cell] }
            // The last step may be cut short.
            let width = argument(cell + 1) - argument(cell)
            return width > 0 ? (values[cell + 1] - values[cell]) / width / Double(steps) : 0
        }
        return curve
    }

    /// A function of light on [low, high] as a table.
    /// - Parameters:
    ///   - bits: log2 of the number of cells in each power of two.
    ///   - corner: the argument at which a cell starts.
    func octaves(
        _ low: Double, _ high: Double, _ bits: Int, _ corner: Double?, _ function: (Double) -> Double
    ) -> KernelCurve {
        // Cells start at multiples of fractions of powers of two, so the argument is scaled to make the corner one of
        // these.
        let scale = Float(1 / (corner ?? 1))
        func code(_ x: Double) -> Int32 { Int32(bitPattern: (Float(x) * scale).bitPattern) }
        func scaled(_ code: Int32) -> Double { Double(Float(bitPattern: UInt32(bitPattern: code))) }
        func value(_ scaled: Double) -> Double { function(scaled / Double(scale)) }
        let shift = Int32(23 - bits)
        let size = Int32(1) << shift
        let first = code(low) / size
        let last = code(high)
        let count = max(Int(last / size - first), 0) + 1
        var curve = KernelCurve()
        curve.kind = Int32(corner == nil ? KernelCurveOctaves : KernelCurveScaledOctaves)
        var numbers: [Double] = []
        numbers.reserveCapacity(2 * count)
        for cell in 0..<count {
            let code = (first + Int32(cell)) * size
            let start = scaled(code)
            // The range ends just below the next cell; the last cell passes through the value at `high` exactly.
            let end = scaled(cell == count - 1 && last > code ? last : code + size - 1)
            // The corner may be a step, and the rounding of the scale may have moved it a little into the cell.
            let inside = corner == nil ? start : start + (end - start) * 1e-3
            let insideValue = value(inside)
            let slope = (value(end) - insideValue) / (end - inside)
            numbers += [insideValue - slope * inside, slope]
        }
        let lines = store.make(2 * count) { numbers[$0] }
        curve.table = lines - 2 * Int(first)
        curve.shift = shift
        curve.scale = scale
        curve.low = Float(scaled(first * size))
        curve.high = Float(scaled(last))
        return curve
    }
}
