import CKernels
import Glibc

/// Curves of method A as pieces.
extension CurveMaker {
    /// The largest error of companded light. It is a little more than that of light, which lowers the degree of the
    /// pieces by one.
    func compandedTolerance(_ precision: Precision) -> Double {
        let isHidden = isCoarse && !isRGB && quality != .reference && precision == .fine
        return tolerance(precision) * (isHidden ? 1.5 : 1)
    }

    /// The companded light of a signal on [0, 1].
    /// - Parameter steps: the number of values for each unit, where the curve becomes a table.
    func companded(steps: Int, _ wanted: CurveError, _ function: (Double) -> Double) -> KernelCurve {
        let count = cells == 16 ? 32 : cells
        let ofPieces = wanted.relaxed(roomOfPieces)
        var suspect = 0.0
        for degree in (quality == .fast ? lowestDegree : 3)...4 where cells > 0 && wanted.tolerance >= 5e-7 {
            for squares in [false, true] {
                for bits in 1...4 {
                    for grid in PieceGrid.spread(low: 0, high: 1, count: count, bits: bits) {
                        let fit = PieceFit(
                            grid, high: 1, count: count, degree: degree, squares: squares, joins: joins, ofPieces,
                            suspect: &suspect, function)
                        if let fit { return curve(fit, count) }
                    }
                }
            }
        }
        return signal(high: 1, steps: steps, wanted, room: roomOfPieces, function)
    }

    /// A function of companded light on [0, high] that is not smooth at two corners.
    /// - Parameter exact: the argument whose value matters most: white's.
    /// - Returns: `nil` where pieces are too few.
    func pieces(
        high: Double, corners: (Double, Double), exact: Double, _ precision: Precision,
        _ function: (Double) -> Double
    ) -> KernelCurve? {
        guard cells > 0 else { return nil }
        let wanted = CurveError(smallest: 1e-6, tolerance: tolerance(precision))
        let count = cells == 16 ? 32 : cells
        let grids = (0...2).reversed().flatMap { PieceGrid.candidates(corners.0, corners.1, bits: $0) }
        var suspect = 0.0
        for degree in lowestDegree...5 {
            for grid in grids {
                guard
                    var fit = PieceFit(
                        grid, high: high, count: count, degree: degree, joins: joins, wanted, suspect: &suspect,
                        function)
                else { continue }
                fit.calibrate(at: exact, function)
                return curve(fit, count)
            }
        }
        return nil
    }

    /// `factor` * x^`exponent` with an exponent above 1 on [0, high], where pieces take fewer instructions than a
    /// power.
    /// - Parameters:
    ///   - exact: the argument whose value matters most: white's.
    ///   - whole: errors of light are relative to this value and to larger ones.
    /// - Returns: `nil` where pieces are too few.
    func shortPower(
        _ exponent: Double, factor: Double, high: Double, exact: Double, whole: Double
    ) -> KernelCurve? {
        guard cells > 0, isCoarse, !isRGB, quality != .reference else { return nil }
        // Errors become visible in the signal near black, and where components cancel out in the light.
        let signals = quality == .fast ? 4.5e-3 : shadowTolerance
        let lights = quality == .fast ? 5e-3 : tolerance(.fine)
        let wanted = CurveError(
            smallest: pow(whole, 1 / exponent), power: 1 / exponent, absolute: lights * whole, whole: whole,
            tolerance: signals)
        let count = cells == 16 ? 32 : cells
        var suspect = 0.0
        func function(_ x: Double) -> Double { factor * pow(max(x, 0), exponent) }
        for degree in lowestDegree...(cells == 16 ? 2 : 4) {
            for bits in (0...4).reversed() {
                for grid in PieceGrid.spread(low: 0, high: high, count: count, bits: bits) {
                    guard
                        var fit = PieceFit(
                            grid, high: high, count: count, degree: degree, joins: joins, wanted, suspect: &suspect,
                            function)
                    else { continue }
                    fit.calibrate(at: exact, function)
                    let curve = curve(fit, count)
                    if hasMargins(curve) { return curve }
                }
            }
        }
        return nil
    }

    /// Whether a curve of pieces allows for arguments that rounding has moved a little beyond its limits.
    func hasMargins(_ curve: KernelCurve) -> Bool {
        func code(_ t: Float) -> UInt32 { t.bitPattern >> UInt32(curve.shift) }
        return Int(curve.kind) == KernelCurvePieces && code(curve.low * 0.99999) == code(curve.low)
            && code(curve.high * 1.00001) == code(curve.high)
    }

    /// Lines are exact enough where there are many of them and codes are coarse.
    var lowestDegree: Int { quality == .fast && cells == 16 ? 1 : 2 }
    /// Whether neighbouring pieces have to meet.
    var joins: Bool { quality != .fast }
}
