import CKernels
import HDRColor

/// Plans how the kernels of one instruction set measure a signal's light.
struct LightPlanner {
    let signal: ColorSignal
    let options: LightMeter.Options
    /// The number of values that a register holds; 0 where lanes cannot pick from one.
    let cells: Int
    private let layout: PixelLayout
    /// The number of luma codes from one position in the curve to the next: a power of two, so that greys lie exactly
    /// at their positions.
    let step: Double
    /// The offset that is subtracted from a position: positions are rounded to cells, whose middle is an integer.
    let shift: Double

    /// The number of steps of the tables over all codes. Lines between the values of PQ are then exact to 3e-7.
    private static let tableSteps = 8192.0
    /// The number of bins over all codes, or over all light, without the highest one; for statistics, over PQ.
    static let fineBins = 4096
    /// The index of the highest bin.
    let topBin: Int

    init(_ layout: PixelLayout, _ signal: ColorSignal, _ options: LightMeter.Options, _ kernels: KernelTable) {
        self.layout = layout
        self.signal = signal
        self.options = options
        topBin = options.gamut == nil ? Self.fineBins : LightStatistics.bins - 1
        cells = kernels.register_table_size
        let codes = Double(signal.quantization.maxCode + 1)
        let hasCells = signal.transfer == .pq && cells > 0 && options.gamut == nil
        step = codes / (hasCells ? Double(cells) : Self.tableSteps)
        shift = hasCells ? 0.5 : 0
    }

    /// - Parameter store: the owner of the curves' tables.
    func plan(siting: ChromaSiting, _ store: TableStore) -> KernelLightPlan {
        let q = signal.quantization
        var plan = KernelLightPlan()
        plan.picture.source = KernelLayout(layout)
        plan.picture.source_cosited_x = siting.horizontallyCosited ? 1 : 0
        plan.picture.source_cosited_y = siting.verticallyCosited ? 1 : 0
        plan.picture.color.source_is_rgb = q.matrix == nil ? 1 : 0
        plan.top_bin = Float(topBin)
        plan.bins = Int32(topBin + 1)
        plan.histograms = options.gamut == nil ? 2 : 4
        if let gamut = options.gamut {
            findStatistics(&plan, gamut, store)
            return plan
        }
        if signal.transfer == .hlg {
            plan.mixes_colors = 1
            plan.picture.color = color(store)
            plan.bin_scale = Float(Double(Self.fineBins) / options.hlgPeak)
            plan.bin_offset = 0.5
            return plan
        }
        findPositions(&plan)
        plan.curve = shift == 0 ? table(store) : cells(store)
        let binStep = Double(q.maxCode + 1) / Double(Self.fineBins)
        plan.bin_scale = Float(step / binStep)
        plan.bin_offset = Float(shift * step / binStep + 0.5)
        return plan
    }

    /// Sets how code values become positions in the curve.
    func findPositions(_ plan: inout KernelLightPlan) {
        let q = signal.quantization
        plan.scale = Float(1 / step)
        plan.offset = Float(-q.offset.x / step - shift)
        if let matrix = q.matrix?.toRGB {
            let ratio = q.scale.x / q.scale.y / step
            plan.grey = Float(q.offset.y)
            plan.red_cr = Float(matrix.row0.z * ratio)
            plan.green_cb = Float(matrix.row1.y * ratio)
            plan.green_cr = Float(matrix.row1.z * ratio)
            plan.blue_cb = Float(matrix.row2.y * ratio)
        }
    }

    // MARK: Results

    /// The light of the kernels' maximum, in cd/m².
    func light(maximum: Float) -> Double {
        let isLight = options.gamut == nil ? signal.transfer == .hlg : !countsSignals
        return isLight ? Double(maximum) : light(position: Double(maximum) + shift)
    }

    /// The light in the middle of a bin, in cd/m².
    func light(bin: Int) -> Double {
        if signal.transfer == .hlg { return Double(bin) * options.hlgPeak / Double(Self.fineBins) }
        return light(position: Double(bin) * Double(signal.quantization.maxCode + 1) / Double(Self.fineBins) / step)
    }

    /// The light of a number of steps above the code of black, in cd/m².
    private func light(position: Double) -> Double {
        let nominal = position * step / signal.quantization.scale.x
        return signal.transfer.eotf(min(max(nominal, 0), 1), white: options.white)
    }

    // MARK: Curves

    /// The position of white minus the shift.
    private var top: Double { signal.quantization.scale.x / step - shift }

    private func table(_ store: TableStore) -> KernelCurve {
        var curve = KernelCurve()
        curve.kind = Int32(KernelCurveTable)
        curve.low = 0
        curve.high = Float(top)
        let count = Int(top.rounded(.up)) + 1
        let values = (0...count).map { light(position: min(Double($0), top)) }
        curve.table = store.make(2 * count) { index in
            let cell = index / 2
            if index % 2 == 0 { return values[cell] }
            let width = min(top - Double(cell), 1)
            return width > 0 ? (values[cell + 1] - values[cell]) / width : 0
        }
        return curve
    }

    private func cells(_ store: TableStore) -> KernelCurve {
        let count = cells
        // With eight cells, the kernels' cells are twice as wide, and so need a higher degree.
        let degree = count == 16 ? 4 : 5
        var numbers = [Float](repeating: 0, count: (degree + 1) * count)
        for cell in 0..<count {
            let from = -0.5
            let to = min(top - Double(cell), 0.5)
            guard to > from else { break }
            func root(_ u: Double) -> Double { light(position: Double(cell) + 0.5 + u).squareRoot() }
            // The first cell begins with exactly 0, whatever rounding leaves of it.
            var own: [Float]
            if cell == 0 {
                own = Polynomial.interpolate(degree: degree, from: from, to: to, root).map { Float($0) }
                own[0] -= Polynomial.evaluate(own[...], Float(from))
            } else {
                own = Polynomial.approximate(degree: degree, from: from, to: to, root).map { Float($0) }
            }
            for (k, number) in own.enumerated() { numbers[k * count + cell] = number }
        }
        var curve = KernelCurve()
        curve.kind = Int32(KernelCurveCells)
        curve.degree = Int32(degree)
        curve.squares = 1
        curve.form = Int32(KernelCellsPlain)
        curve.low = -0.5
        curve.high = Float(top)
        curve.table = store.make(numbers)
        return curve
    }

    /// The colour conversion of HLG up to the light of each component, of which the largest is measured.
    private func color(_ store: TableStore) -> KernelColor {
        // The finest curves are used, whatever the picture's bit depth.
        let maker = CurveMaker(cells: cells, .reference, target: .planar(16, 0, 0), store: store)
        return color(maker, .finest) { HLG<Double>.inverseOETF($0) }
    }

    /// The colour conversion to the light of each component, and of the largest one.
    /// - Parameter light: the EOTF, or HLG's inverse OETF, on [0, 1].
    func color(_ maker: CurveMaker, _ precision: Precision, _ light: (Double) -> Double) -> KernelColor {
        var color = KernelColor()
        color.clips_at = .infinity
        switch signal.transfer {
        case .hlg:
            color.eotf = maker.signal(high: 1, corners: [0.5], smallest: 0.001, steps: 8192, precision, light)
            let hlg = HLG<Double>(peak: options.hlgPeak)
            color.ootf = maker.power(
                hlg.gamma - 1, factor: options.hlgPeak, high: 1, bits: 6, isWide: true, exact: 1, precision)
        case .linear, .extendedLinear: color.eotf = maker.linear(light(1), low: 0, high: 1)
        case .sRGB:
            color.eotf = maker.signal(
                high: 1, corners: [0.04045], smallest: 0.01 * light(1), steps: 8192, precision, light)
        case .pq, .bt1886, .gamma:
            color.eotf = maker.signal(high: 1, smallest: max(0.01 * light(1), 1), steps: 8192, precision, light)
        }
        let takesPositions = [KernelCurveCells, KernelCurveTable, KernelCurvePieces].contains(Int(color.eotf.kind))
        color.decode = KernelMatrix(
            decoding: signal.quantization, scale: takesPositions ? Double(color.eotf.scale) : 1,
            offset: takesPositions ? Double(color.eotf.offset) : 0)
        color.source_is_rgb = signal.quantization.matrix == nil ? 1 : 0
        color.takes_light = signal.transfer == .pq ? 1 : 0
        color.measure = Int32(KernelMeasureMaximum)
        return color
    }
}
