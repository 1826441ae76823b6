import CKernels
import Glibc

/// Curves as a polynomial for each power of two.
extension CurveMaker {
    /// A function of light in [0, high] as polynomials of degree 4, 6 or 7 on 32 powers of two, of which the last one
    /// contains `high`.
    ///
    /// `offset`, about 10^-10 of `high`, is added to the light, so that the lowest power of two begins at black.
    /// - Parameter isExact: whether the value at `high` is exact.
    /// - Returns: `nil` where registers are too short.
    func mantissas(
        high: Double, degree: Int, isExact: Bool = false, _ function: (Double) -> Double
    ) -> KernelCurve? {
        guard cells == 16 else { return nil }
        let count = 2 * cells
        let last = Int(high.exponent)
        let lowest = last - count + 1
        let offset = exp2(Double(lowest))
        var numbers = [Double](repeating: 0, count: (degree + 1) * count)
        for exponent in lowest...last {
            let start = exp2(Double(exponent))
            func value(_ u: Double) -> Double { function(max(start * (1.5 + u) - offset, 0)) }
            let end = min((high + offset) / start - 1.5, 0.5)
            // Black is exact; elsewhere errors are smallest where the pieces need not meet.
            let polynomial =
                exponent == lowest || isExact && exponent == last
                ? Polynomial.interpolate(degree: degree, from: -0.5, to: end, value)
                : Polynomial.approximate(degree: degree, from: -0.5, to: end, value)
            // The biased exponent is 127 more, and its lowest five bits select the polynomial.
            for (k, c) in polynomial.enumerated() { numbers[k * count + (exponent + 127) % count] = c }
        }
        var curve = KernelCurve()
        curve.kind = Int32(KernelCurveMantissas)
        curve.degree = Int32(degree)
        curve.low = Float(offset)
        curve.high = Float(high + offset)
        curve.offset = Float(offset)
        curve.table = store.make(numbers.map { Float($0) })
        return curve
    }
}
