import HDRColor

/// Interpolates subsampled chroma so that it follows luma, straight from the definition in ``LinearLightConverter``.
struct ChromaGuide {
    let reader: SampleReader
    let siting: ChromaSiting
    let frame: FrameView
    let width: Int
    /// Rows of luma, Cb and Cr that were read, by component and row.
    private var rows: [[Int: [Double]]] = [[:], [:], [:]]

    init(_ reader: SampleReader, _ siting: ChromaSiting, _ frame: FrameView, width: Int) {
        self.reader = reader
        self.siting = siting
        self.frame = frame
        self.width = width
    }

    /// The variance of luma at which chroma follows it by half as much as it would otherwise, in squared codes.
    static func variance(bits: Int) -> Double { 16 * Double(1 << (2 * bits)) / Double(1 << 20) }

    /// The largest difference of chroma at which it does not follow luma, in codes.
    static func range(bits: Int) -> Double { 8 * Double(1 << bits) / 1024 }

    private var isHalved: Bool { reader.layout.verticalShift > 0 }
    private var columns: Int { (width + 1) / 2 }
    private var lastRow: Int { isHalved ? max(frame.chromaRows, 1) - 1 : frame.height - 1 }

    private mutating func sample(_ component: Int, _ row: Int, _ column: Int) -> Double {
        let (count, last) = component == 0 ? (width, frame.height - 1) : (columns, lastRow)
        let y = min(max(row, 0), last)
        if rows[component][y] == nil {
            let memory = Row.allocate(capacity: count + 64)
            reader.read(component, frame, y, count: count, into: memory)
            rows[component][y] = Array(UnsafeBufferPointer(start: memory, count: count))
            memory.deallocate()
        }
        return rows[component][y]![min(max(column, 0), count - 1)]
    }

    /// Luma at a sample of chroma.
    private mutating func luma(_ k: Int, _ j: Int) -> Double {
        let (k, j) = (min(max(k, 0), lastRow), min(max(j, 0), columns - 1))
        func weights(_ position: Int, _ isCosited: Bool, _ place: Double) -> [(Int, Double)] {
            let first = 2 * position
            if isCosited { return [(first - 1, 0.25), (first, 0.5), (first + 1, 0.25)] }
            return [(first, 1 - place), (first + 1, place)]
        }
        let vertical = isHalved ? weights(k, siting.verticallyCosited, Double(frame.chromaPlace)) : [(k, 1)]
        var sum = 0.0
        for (y, v) in vertical {
            for (x, h) in weights(j, siting.horizontallyCosited, 0.5) { sum += v * h * sample(0, y, x) }
        }
        return sum
    }

    /// The least and the largest sample of chroma around one.
    private mutating func extremes(_ component: Int, _ k: Int, _ j: Int) -> (least: Double, most: Double) {
        var (least, most) = (Double.infinity, -Double.infinity)
        for row in k - 1...k + 1 {
            for column in j - 1...j + 1 {
                let own = sample(component, row, column)
                least = min(least, own)
                most = max(most, own)
            }
        }
        return (least, most)
    }

    private mutating func slope(_ component: Int, _ k: Int, _ j: Int) -> Double {
        let (k, j) = (min(max(k, 0), lastRow), min(max(j, 0), columns - 1))
        let range = (1...2).map { extremes($0, k, j) }.map { $0.most - $0.least }.max()!
        guard range > Self.range(bits: reader.layout.bits) else { return 0 }
        var (y, c, yy, yc) = (0.0, 0.0, 0.0, 0.0)
        for row in k - 1...k + 1 {
            for column in j - 1...j + 1 {
                let (own, chroma) = (luma(row, column), sample(component, row, column))
                y += own / 9
                c += chroma / 9
                yy += own * own / 9
                yc += own * chroma / 9
            }
        }
        return (yc - y * c) / (yy - y * y + Self.variance(bits: reader.layout.bits))
    }

    private mutating func interpolated(
        _ y: Int, _ x: Int, _ value: (inout ChromaGuide, _ k: Int, _ j: Int) -> Double
    ) -> Double {
        var vertical = [(y, 1.0)]
        if isHalved {
            let position = ChromaInterpolation(
                position: y, cosited: siting.verticallyCosited, mode: .linear, place: frame.chromaPlace)
            let second = Double(position.secondWeight)
            vertical = [(position.first, 1 - second), (position.first + 1, second)]
        }
        let j = x / 2
        let horizontal: [(Int, Double)] =
            siting.horizontallyCosited
            ? (x & 1 == 0 ? [(j, 1)] : [(j, 0.5), (j + 1, 0.5)])
            : [(j, 0.75), (x & 1 == 0 ? j - 1 : j + 1, 0.25)]
        var sum = 0.0
        for (k, v) in vertical { for (j, h) in horizontal { sum += v * h * value(&self, k, j) } }
        return sum
    }

    /// Cb or Cr at pixel `x` of picture row `y`.
    mutating func value(_ component: Int, _ y: Int, _ x: Int) -> Double {
        let lower = interpolated(y, x) { $0.luma($1, $2) }
        let slope = interpolated(y, x) { $0.slope(component, $1, $2) }
        let chroma = interpolated(y, x) { $0.sample(component, $1, $2) }
        let (least, most) = extremes(component, isHalved ? y / 2 : y, x / 2)
        let rest = (most - least) / 2
        return min(max(chroma + slope * (sample(0, y, x) - lower), least - rest), most + rest)
    }
}
