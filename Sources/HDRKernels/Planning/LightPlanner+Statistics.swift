import CKernels
import HDRColor

/// Plans statistics: pixels are counted by their PQ signals, and those outside of gamuts are counted.
extension LightPlanner {
    /// A pixel with a component below this share of the largest one lies outside a gamut. Smaller negative components
    /// result from rounding at the gamut's edge.
    static let outsideRatio = -0.01
    /// The absolute limit in cd/m², for pixels near black.
    static let outsideFloor = -0.01

    /// Whether signals are counted as they are, and only the light of a pixel's largest one is computed: PQ grows with
    /// light, so that no curve is needed from light back to the signal. Base layers have no signal before they are
    /// reshaped.
    var countsSignals: Bool { signal.transfer == .pq && !options.reshapes }

    /// - Parameter gamut: the primaries of the gamut outside of which pixels are counted.
    func findStatistics(_ plan: inout KernelLightPlan, _ gamut: Primaries, _ store: TableStore) {
        plan.picture.nearest = options.grid == .sparse ? 1 : 0
        let matrices = ([gamut] + (options.widerGamut.map { [$0] } ?? [])).map { signal.primaries.matrix(to: $0) }
        Self.setGamuts(&plan, matrices)
        if countsSignals { findSignals(&plan, matrices, store) } else { findLight(&plan, matrices, store) }
    }

    private static func setGamuts(_ plan: inout KernelLightPlan, _ matrices: [Matrix3<Double>]) {
        plan.gamut = KernelMatrix(matrices[0])
        if matrices.count > 1 {
            plan.has_wider = 1
            plan.wider_gamut = KernelMatrix(matrices[1])
        }
        plan.outside_ratio = Float(Self.outsideRatio)
        plan.outside_floor = Float(Self.outsideFloor)
    }

    // MARK: By light

    /// The plan for statistics of linear light in rows.
    /// - Parameters:
    ///   - light: the primaries of that light.
    ///   - stream: the primaries of the components that count.
    ///   - white: the luminance of 1.0, in cd/m².
    ///   - gamuts: one or two gamuts outside of which pixels are counted.
    static func plan(
        _ light: Primaries, _ stream: Primaries, white: Double, gamuts: [Primaries], cells: Int, _ store: TableStore
    ) -> KernelLightPlan {
        var plan = KernelLightPlan()
        plan.top_bin = Float(LightStatistics.bins - 1)
        (plan.bins, plan.histograms) = (Int32(LightStatistics.bins), 4)
        let matrix = light.matrix(to: stream)
        plan.from_rows = KernelMatrix(Matrix3(matrix.row0 * white, matrix.row1 * white, matrix.row2 * white))
        plan.top_light = Float(PQ.peak)
        let matrices = gamuts.map { stream.matrix(to: $0) }
        setGamuts(&plan, matrices)
        countLight(&plan, matrices, CurveMaker(cells: cells, .balanced, target: .planar(10, 0, 0), store: store))
        return plan
    }

    /// Sets how light is counted in bins, and a quick test for pixels inside the gamuts.
    private static func countLight(_ plan: inout KernelLightPlan, _ matrices: [Matrix3<Double>], _ maker: CurveMaker) {
        plan.finds_statistics = Int32(KernelStatisticsOfLight)
        plan.signal = maker.light(low: 0x1p-20, high: PQ.peak, smallest: 0.5, bits: 6, exact: PQ.peak) {
            PQ.inverseEOTF($0)
        }
        plan.bin_scale = Float(LightStatistics.bins)
        plan.bin_offset = 0
        plan.inside_share = Float(matrices.map(insideShare).max() ?? 1)
    }

    private func findLight(_ plan: inout KernelLightPlan, _ matrices: [Matrix3<Double>], _ store: TableStore) {
        let maker = CurveMaker(cells: cells, .balanced, target: .planar(10, 0, 0), store: store)
        Self.countLight(&plan, matrices, maker)
        let transfer = signal.transfer
        plan.picture.color = color(maker, .coarse) {
            transfer == .hlg ? HLG<Double>.inverseOETF($0) : transfer.eotf($0, white: options.white)
        }
        if transfer == .pq && signal.quantization.matrix != nil {
            // The colour's measure is the signal of a component, as a position in its curve.
            let eotf = plan.picture.color.eotf
            let takesPositions = [KernelCurveCells, KernelCurveTable, KernelCurvePieces].contains(Int(eotf.kind))
            plan.has_own_signal = 1
            plan.own_scale = takesPositions ? 1 / eotf.scale : 1
            plan.own_offset = takesPositions ? -eotf.offset / eotf.scale : 0
            plan.picture.color.measure = Int32(KernelMeasureSignal)
        }
    }

    /// The share of the largest component above which no other component leads to one below 0, for any colour. A row
    /// whose sum is 1 and whose negative weights have the sum -n results in at least (1 + n) times the smallest
    /// component minus n times the largest.
    private static func insideShare(_ matrix: Matrix3<Double>) -> Double {
        [matrix.row0, matrix.row1, matrix.row2].map { row in
            let negative = -(min(row.x, 0) + min(row.y, 0) + min(row.z, 0))
            return negative / (1 + negative)
        }.max() ?? 1
    }

    // MARK: By signals

    /// The square root of PQ's light in cd/m², as a polynomial of twice the signal minus 1, in ascending order of
    /// powers. Its square minus the square at black is exact to 1.4e-4 cd/m² below 1 cd/m² and to 5e-5 of the light
    /// from 10 cd/m² on; `Tests/Oracle/pq_root.py` computes it.
    private static let rootOfLight: [Float] = [
        9.6045732, 24.0566064, 25.8972744, 18.6076618, 11.0869539, 5.76769178,
        2.53186751, 1.18815695, 0.88312593, 0.37746697,
    ]

    private func findSignals(_ plan: inout KernelLightPlan, _ matrices: [Matrix3<Double>], _ store: TableStore) {
        plan.finds_statistics = Int32(KernelStatisticsOfSignal)
        findPositions(&plan)
        // The signal of one position, counted from 0.
        let unit = step / signal.quantization.scale.x
        plan.part_scale = Float(unit * Double(LightStatistics.bins * KernelPartsOfBin))
        let c = Self.rootOfLight
        plan.root = store.make(16 * c.count) { Double(c[$0 / 16]) }
        plan.root_scale = Float(2 * unit)
        plan.root_offset = -1
        let black = c.reversed().reduce(0 as Float) { $1 - $0 }
        // The margin makes sure that rounding leaves nothing of black.
        plan.root_black = black * black * (1 + 1e-6)

        let shares = (0..<3).map { component in matrices.map { Self.insideShare($0, component) }.max() ?? 1 }
        let test = InsideSignals(shares)
        plan.inside_weights = (Float(test.weights.x), Float(test.weights.y), Float(test.weights.z))
        func line(_ line: InsideSignals.Line) -> (Float, Float) {
            (Float(line.rise), Float(line.base / unit))
        }
        let (dark, bright) = (line(test.dark), line(test.bright))
        plan.inside_lines = (dark.0, dark.1, bright.0, bright.1)
    }

    /// The share of the largest component above which a component leads to none below 0 in its row, whatever the others
    /// are.
    private static func insideShare(_ matrix: Matrix3<Double>, _ component: Int) -> Double {
        let row = [matrix.row0, matrix.row1, matrix.row2][component]
        let own = row[component]
        let negative = -(min(row.x, 0) + min(row.y, 0) + min(row.z, 0)) + min(own, 0)
        return own > 0 ? negative / own : 1
    }
}

/// Shares of the largest component, expressed in PQ: how far a signal may lie below the largest one. This distance
/// grows with the largest signal; two lines approximate it from below.
private struct InsideSignals {
    struct Line {
        var rise: Double
        /// The value at 0.
        var base: Double
    }
    /// The weights of the components' distances.
    private(set) var weights = SIMD3(1.0, 1, 1)
    /// The smaller one of both limits applies. As they are initialised, no pixel certainly lies inside.
    private(set) var dark = Line(rise: 0, base: -1)
    private(set) var bright = Line(rise: 0, base: -1)

    /// The light in cd/m² up to which pixels are inside the gamut whatever their colours: no matrix to BT.709 or
    /// Display P3 leads from it to a component below the absolute limit.
    private static let least = 0.01
    /// The light at which the lines meet, in cd/m².
    private static let knee = 10.0

    init(_ shares: [Double]) {
        guard shares.count == 3, shares.allSatisfy({ $0 < 0.9 }) else { return }
        func distance(_ component: Int, _ signal: Double) -> Double {
            signal - PQ.inverseEOTF(max(shares[component], 0) * PQ.eotf(signal))
        }
        let knee = PQ.inverseEOTF(Self.knee)
        for component in 0..<3 { weights[component] = 1 / distance(component, knee) }
        /// The maximum weighted distance of each component for a signal.
        func limit(_ signal: Double) -> Double {
            (0..<3).map { weights[$0] * distance($0, signal) }.min() ?? 0
        }
        let first = PQ.inverseEOTF(Self.least)
        func chord(_ from: Double, _ to: Double) -> Line {
            let rise = (limit(to) - limit(from)) / (to - from)
            return Line(rise: rise, base: limit(from) - rise * from)
        }
        var lines = (chord(first, knee), chord(knee, 1))
        // The curve lies above its chords; where it does not, the lines are lowered.
        var excess = 0.0
        for index in 0...4000 {
            let signal = first + (1 - first) * Double(index) / 4000
            let low = min(lines.0.base + lines.0.rise * signal, lines.1.base + lines.1.rise * signal)
            excess = max(excess, low - limit(signal))
        }
        lines.0.base -= excess
        lines.1.base -= excess
        (dark, bright) = lines
    }
}
