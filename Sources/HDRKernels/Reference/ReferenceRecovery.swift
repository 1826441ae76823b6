import HDRColor

/// ``ContrastRecovery`` in double precision, straight from the definition.
final class ReferenceRecovery: Sendable {
    private let conversion: Conversion<Double>
    private let quantization: Quantization
    private let toRGB: Matrix3<Double>
    private let reader: SampleReader
    private let map: RecoveryMap

    init(_ plan: ConversionPlan, _ format: FormatPlan, _ map: RecoveryMap) {
        conversion = Conversion(plan)
        quantization = plan.source.quantization
        toRGB = quantization.matrix?.toRGB ?? .identity
        reader = SampleReader(layout: format.source)
        self.map = map
    }

    private func row(_ plane: UnsafeMutableRawPointer, _ index: Int) -> Row {
        plane.bindMemory(to: Double.self, capacity: map.count) + index * map.stride
    }

    func prepare(_ source: FrameView, _ step: RecoveryStep, _ rows: Range<Int>, scratch: RowScratch) {
        let columns = RecoveryMap.cells(source.width)
        for index in rows {
            switch step {
            case .measure: measure(source, index, columns, scratch)
            case .smooth: smooth(index, columns, RecoveryMap.cells(source.height))
            }
        }
    }

    private func measure(_ source: FrameView, _ index: Int, _ columns: Int, _ s: RowScratch) {
        for component in 0..<3 { findMeans(component, source, index, columns, s.row[component], s.spare.0) }
        source.reshaper?.takeUnretainedValue().reshape(s.row, count: columns)
        let out = row(map.signals, index)
        for i in 0..<columns {
            let codes = SIMD3(s.row.a[i], s.row.b[i], s.row.c[i])
            out[i] = conversion.toneSignal(toRGB * ((codes - quantization.offset) / quantization.scale))
        }
    }

    /// The means of a component's code values in a row of cells.
    private func findMeans(
        _ component: Int, _ source: FrameView, _ index: Int, _ columns: Int, _ sums: Row, _ spare: Row
    ) {
        let isHalved = component > 0
        let (across, down) = isHalved ? (reader.layout.horizontalShift, reader.layout.verticalShift) : (0, 0)
        let count = (source.width + across) >> across
        let last = (down > 0 ? max(source.chromaRows, 1) : source.height) - 1
        let width = ContrastRecovery.cell >> across
        let height = ContrastRecovery.cell >> down
        sums.update(repeating: 0, count: count)
        for k in 0..<height {
            reader.read(component, source, min(height * index + k, last), count: count, into: spare)
            for i in 0..<count { sums[i] += spare[i] }
        }
        for i in 0..<columns {
            var sum = 0.0
            for k in 0..<width { sum += sums[min(width * i + k, count - 1)] }
            sums[i] = sum / Double(width * height)
        }
    }

    private func smooth(_ index: Int, _ columns: Int, _ rows: Int) {
        let above = row(map.signals, max(index - 1, 0))
        let own = row(map.signals, index)
        let below = row(map.signals, min(index + 1, rows - 1))
        func column(_ i: Int) -> Double { own[i] / 2 + (above[i] + below[i]) / 4 }
        let out = row(map.gains, index)
        for i in 0..<columns {
            let signal = column(i) / 2 + (column(max(i - 1, 0)) + column(min(i + 1, columns - 1))) / 4
            out[i] = conversion.toneGain(signal)
        }
    }

    /// The gain around each pixel of row `y`.
    func findLowPass(_ source: FrameView, _ y: Int, into out: Row) {
        let (columns, rows) = (RecoveryMap.cells(source.width), RecoveryMap.cells(source.height))
        let index = y / ContrastRecovery.cell
        let above = row(map.gains, max(index - 1, 0))
        let own = row(map.gains, index)
        let below = row(map.gains, min(index + 1, rows - 1))
        let down = ContrastRecovery.weights[y % ContrastRecovery.cell]
        func column(_ i: Int) -> Double { above[i] * down.before + own[i] * down.own + below[i] * down.behind }
        for x in 0..<source.width {
            let across = ContrastRecovery.weights[x % ContrastRecovery.cell]
            let i = x / ContrastRecovery.cell
            out[x] =
                column(max(i - 1, 0)) * across.before + column(i) * across.own
                + column(min(i + 1, columns - 1)) * across.behind
        }
    }
}
