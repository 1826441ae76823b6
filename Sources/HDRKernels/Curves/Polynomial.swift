import Glibc

/// Polynomials that interpolate a function.
enum Polynomial {
    /// The coefficients, in ascending order of powers, of the polynomial in `u` that meets `function` at the
    /// Chebyshev-Lobatto nodes of [from, to]. The ends are among these, so that neighbouring pieces join.
    static func interpolate(
        degree: Int, from: Double, to: Double, _ function: (Double) -> Double
    ) -> [Double] {
        interpolate(
            at: (0...degree).map { k in (from + to) / 2 - (to - from) / 2 * cos(Double(k) / Double(degree) * .pi) },
            function)
    }

    /// Approximates at the Chebyshev nodes, which lie inside the interval: the largest error is about half as large,
    /// but neighbouring pieces do not quite meet.
    static func approximate(
        degree: Int, from: Double, to: Double, _ function: (Double) -> Double
    ) -> [Double] {
        interpolate(
            at: (0...degree).map { k in
                (from + to) / 2 - (to - from) / 2 * cos((Double(k) + 0.5) / Double(degree + 1) * .pi)
            }, function)
    }

    private static func interpolate(at nodes: [Double], _ function: (Double) -> Double) -> [Double] {
        let degree = nodes.count - 1
        // Newton's divided differences, from which the coefficients follow.
        var differences = nodes.map(function)
        for order in 1...degree {
            for k in stride(from: degree, through: order, by: -1) {
                differences[k] = (differences[k] - differences[k - 1]) / (nodes[k] - nodes[k - order])
            }
        }
        var result = [Double](repeating: 0, count: degree + 1)
        for k in stride(from: degree, through: 0, by: -1) {
            for i in stride(from: degree, to: 0, by: -1) { result[i] = result[i - 1] - nodes[k] * result[i] }
            result[0] = differences[k] - nodes[k] * result[0]
        }
        return result
    }

    /// The value in single precision, as the kernels compute it, except that these round once for a product and a sum.
    static func evaluate(_ coefficients: ArraySlice<Float>, _ u: Float) -> Float {
        coefficients.reversed().reduce(0) { $0 * u + $1 }
    }
}
