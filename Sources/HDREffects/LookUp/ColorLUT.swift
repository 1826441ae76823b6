/// A look-up table of colours: one for each component, a cube, or both, in this order.
///
/// Values outside a table's domain are those at its edge. Between the steps of a table for a component lie straight
/// lines. A cell of the cube is divided into six tetrahedra along its diagonal from the lowest to the highest node, in
/// each of which colour is a linear function, so that greys depend on the diagonal's nodes alone.
package struct ColorLUT: Sendable {
    /// The start and the end of a table's domain.
    package struct Domain: Equatable, Sendable {
        package var low: SIMD3<Double>
        package var high: SIMD3<Double>

        /// - Parameter high: the upper ends, each above that of `low`.
        package init(_ low: SIMD3<Double> = SIMD3(0, 0, 0), _ high: SIMD3<Double> = SIMD3(1, 1, 1)) {
            self.low = low
            self.high = high
        }
    }

    /// A table: `size` values for each component, or `size` nodes along each axis, red first.
    package struct Table: Sendable {
        package var size: Int
        package var domain: Domain
        /// The values; each has red, green, blue and 0.
        package var values: [SIMD4<Float>]

        package init(size: Int, domain: Domain = Domain(), values: [SIMD4<Float>]) {
            self.size = size
            self.domain = domain
            self.values = values
        }

        /// The position of a colour among the values, from 0 to size - 1; 0 for a NaN.
        func position(_ color: SIMD3<Double>) -> SIMD3<Double> {
            let last = Double(size - 1)
            let raw = (color - domain.low) / (domain.high - domain.low) * last
            return SIMD3(limit(raw.x, last), limit(raw.y, last), limit(raw.z, last))
        }

        private func limit(_ x: Double, _ last: Double) -> Double { x > 0 ? (x < last ? x : last) : 0 }
    }

    /// The allowed sizes of tables.
    package static let lineSizes = 2...65536
    package static let cubeSizes = 2...256

    package var title: String
    /// The table of each component; `nil` where there is only a cube.
    package var lines: Table?
    package var cube: Table?

    package init(title: String = "", lines: Table? = nil, cube: Table? = nil) {
        self.title = title
        self.lines = lines
        self.cube = cube
    }

    /// The result of the tables for a colour.
    package func callAsFunction(_ color: SIMD3<Double>) -> SIMD3<Double> {
        // NaN components count as 0.
        var color = SIMD3(color.x.isNaN ? 0 : color.x, color.y.isNaN ? 0 : color.y, color.z.isNaN ? 0 : color.z)
        if let lines {
            let position = lines.position(color)
            for k in 0..<3 {
                let below = min(Int(position[k]), lines.size - 2)
                let (a, b) = (Double(lines.values[below][k]), Double(lines.values[below + 1][k]))
                color[k] = a + (b - a) * (position[k] - Double(below))
            }
        }
        if let cube { color = cube.node(cube.position(color)) }
        return color
    }
}

extension ColorLUT.Table {
    /// A cube's colour at a position.
    fileprivate func node(_ position: SIMD3<Double>) -> SIMD3<Double> {
        let below = (0..<3).map { min(Int(position[$0]), size - 2) }
        let fractions = (0..<3).map { position[$0] - Double(below[$0]) }
        let steps = [1, size, size * size]
        var index = below[0] + size * (below[1] + size * below[2])
        func value() -> SIMD3<Double> {
            let v = values[index]
            return SIMD3(Double(v.x), Double(v.y), Double(v.z))
        }
        // The interpolation steps from node to node along the axis of the largest fraction first.
        var color = value()
        for axis in [0, 1, 2].sorted(by: { fractions[$0] > fractions[$1] }) {
            let before = value()
            index += steps[axis]
            color += (value() - before) * fractions[axis]
        }
        return color
    }
}
