import CKernels
import Glibc
import HDRColor
import HDRConcurrency

/// Curves and constants of perceptual gamut mapping.
extension CurveMaker {
    /// - Parameter highest: the largest light of a component that comes from the tone curve, in cd/m².
    func perceptual(_ plan: ConversionPlan, highest: Double) -> KernelPerceptual {
        let key = PerceptualFit.Key(
            source: plan.source.primaries, target: plan.target.primaries, peak: plan.targetPeak,
            highest: min(highest, PQ.peak))
        let made = cache.perceptualFit(key)
        let gamut = made.gamut
        var perceptual = KernelPerceptual()
        perceptual.to_target = KernelMatrix(gamut.toTarget)
        // The cone responses of white are 1 except for the rounding of published numbers. When they are scaled to
        // exactly 1, colours move as before, and the signals change by less than the polynomials' errors.
        let white = gamut.toCone * SIMD3(1, 1, 1)
        let toCone = Matrix3.diagonal(SIMD3(1, 1, 1) / white) * gamut.toCone
        perceptual.to_cone = KernelMatrix(toCone)
        perceptual.difference = KernelMatrix(
            Matrix3.diagonal(SIMD3(1, 1, 1) / white) * gamut.difference * toCone.inverse)
        perceptual.from_cone = KernelMatrix(gamut.fromCone * .diagonal(white))
        perceptual.strength = Float(Perceptual.strength)
        perceptual.bend = Float(Perceptual.bend)
        perceptual.middle = Float(Perceptual.middle)
        perceptual.knee = Float(Perceptual.knee)
        guard let test = made.nearGrey else { return perceptual }
        let s = test.sides.flatMap { [Float($0.red), Float($0.blue)] }
        perceptual.sides = (s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7])
        perceptual.dark = (Float(test.dark.0), Float(test.dark.1))
        perceptual.lowest = Float(made.lowestCone)
        perceptual.highest = Float(key.highest)
        let numbers = [key.highest, made.lowestCone]
        if cells == 8 {
            polynomials(&perceptual, lowest: made.lowestCone, highest: key.highest)
        } else {
            perceptual.signal = kept(.coneSignal, plan, numbers) { maker in
                cells == 0
                    ? maker.octaves(made.lowestCone, key.highest, isCoarse ? 5 : 6, nil) { PQ.inverseEOTF($0) }
                    : maker.signalOctaves(made.lowestCone, key.highest)
            }
        }
        directions(gamut, &perceptual)
        perceptual.deadzone = Float(Perceptual.deadzone / (1 - Perceptual.deadzone))
        return perceptual
    }

    /// Whether the target's codes hide signal errors of a ten-thousandth, which become about 20 times as large in the
    /// share of the chroma.
    private var takesShortSignals: Bool { isCoarse || quality == .fast }

    /// PQ's signal as a polynomial of the mantissa, [1, 2), for each power of two.
    private func signalOctaves(_ lowest: Double, _ highest: Double) -> KernelCurve {
        let count = 2 * cells
        let degree = takesShortSignals ? 4 : 5
        var numbers = [Double](repeating: 0, count: (degree + 1) * count)
        for exponent in Int(lowest.exponent)...max(Int(highest.exponent), Int(lowest.exponent)) {
            let start = exp2(Double(exponent))
            // The ends are exact, so that neighbours meet.
            let polynomial = Polynomial.interpolate(degree: degree, from: 1, to: 2) { PQ.inverseEOTF(start * $0) }
            for (k, c) in polynomial.enumerated() { numbers[k * count + (exponent + 127) % count] = c }
        }
        var curve = KernelCurve()
        curve.kind = Int32(KernelCurveMantissas)
        curve.degree = Int32(degree)
        curve.low = Float(lowest)
        curve.high = Float(highest)
        curve.table = store.make(numbers.map { Float($0) })
        return curve
    }

    /// PQ's signal as a polynomial of the logarithm, and the logarithm as a polynomial.
    private func polynomials(_ perceptual: inout KernelPerceptual, lowest: Double, highest: Double) {
        let degree = takesShortSignals ? 5 : 7
        let logDegree = takesShortSignals ? 4 : 5
        let (low, high) = (log2(lowest), log2(highest))
        let middle = (low + high) / 2
        perceptual.degree = Int32(degree)
        let p = Polynomial.approximate(degree: degree, from: low - middle, to: high - middle) {
            PQ.inverseEOTF(exp2($0 + middle))
        }
        let c = p.map { Float($0) } + Array(repeating: 0, count: 8 - p.count)
        perceptual.polynomial = (c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7])
        let q = Polynomial.interpolate(degree: logDegree, from: 1, to: 2) { log2($0) - ($0 - 1) }
        let l = q.map { Float($0) } + Array(repeating: 0, count: 6 - q.count)
        perceptual.logarithm = (l[0] - Float(middle), l[1], l[2], l[3], l[4], l[5])
    }

    /// The table of directions, and the weights of signals in the unit of its values.
    private func directions(_ gamut: PerceptualGamut<Double>, _ perceptual: inout KernelPerceptual) {
        let shares = gamut.reach.map { $0 / (1 - Perceptual.deadzone) }
        let unit = (shares.max() ?? 1) / 65535
        let cells = shares.map { ($0 / unit).rounded() }
        perceptual.reach = store.makeCells(cells.count) { index in
            let more = index + 1 < cells.count ? cells[index + 1] - cells[index] : 0
            return UInt32(cells[index]) << 16 | UInt32(UInt16(bitPattern: Int16(min(max(more, -32768), 32767))))
        }
        perceptual.directions = Float(cells.count - 1)
        perceptual.p = (unit * Perceptual.p).floats
        perceptual.t = (unit * Perceptual.t).floats
    }
}

/// The constants for a pair of gamuts and a peak, which are computed once for all instruction sets.
struct PerceptualFit {
    struct Key: Equatable {
        let source: Primaries
        let target: Primaries
        let peak: Double
        /// The largest light of a component, in cd/m².
        let highest: Double
    }

    /// The fits that elements have used last. Several elements mostly need the same ones.
    private static let recent = Locked<[(key: Key, fit: PerceptualFit)]>([])
    private static let mostRecent = 16

    /// The fit of a key, made once for several elements.
    static func shared(_ key: Key) -> PerceptualFit {
        if let found = recent.withLock({ $0.first { $0.key == key }?.fit }) { return found }
        let fit = PerceptualFit(key)
        recent.withLock { recent in
            if recent.count >= mostRecent { recent.removeFirst() }
            recent.append((key, fit))
        }
        return fit
    }

    let gamut: PerceptualGamut<Double>
    /// The test for colours that do not move; `nil` where no colour moves.
    let nearGrey: NearGreyTest?
    /// The lowest cone response of a colour that moves, in cd/m².
    let lowestCone: Double

    init(_ key: Key) {
        gamut = PerceptualGamut(from: key.source, to: key.target, peak: key.peak)
        nearGrey = gamut.reach.isEmpty ? nil : NearGreyTest(gamut, highest: key.highest)
        lowestCone = gamut.reach.isEmpty ? 0 : Self.lowestCone(gamut)
    }

    /// The lowest cone response is found among the most saturated colours, at the darkest level that moves.
    private static func lowestCone(_ gamut: PerceptualGamut<Double>) -> Double {
        let steps = 8
        var lowest = gamut.peak
        for (index, corner) in Perceptual.corners.enumerated() {
            let next = Perceptual.corners[(index + 1) % Perceptual.corners.count]
            for step in 0..<steps {
                let color = corner + (next - corner) * (Double(step) / Double(steps))
                var (low, high) = (gamut.peak * 1e-5, gamut.peak)
                for _ in 0..<16 {
                    let middle = (low * high).squareRoot()
                    if gamut.strength(color * middle) > 0 { high = middle } else { low = middle }
                }
                lowest = min(lowest, (gamut.toCone * (color * high)).minComponent)
            }
        }
        return 0.9 * lowest
    }
}
