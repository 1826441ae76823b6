import CKernels

/// The division of a table's arguments, which are 16-bit words from 0 on, into parts with a line each.
enum FixedPointParts {
    /// Division into 32 parts of 2^10 arguments.
    case parts32
    /// Division into 64 parts of 2^9 arguments.
    case parts64
    /// Parts of 2^6 up to 34 * 2^6, and of 2^10 from there on: for functions that bend near 0.
    case fineAtZero

    var count: Int { self == .parts32 ? 32 : 64 }

    func words(_ part: Int) -> Range<Int> {
        switch self {
        case .parts32: part << 10..<(part + 1) << 10
        case .parts64: part << 9..<(part + 1) << 9
        case .fineAtZero: part < 34 ? part << 6..<(part + 1) << 6 : max((part - 32) << 10, 34 << 6)..<(part - 31) << 10
        }
    }

    func part(_ word: Int) -> Int {
        switch self {
        case .parts32: word >> 10
        case .parts64: word >> 9
        case .fineAtZero: min(word >> 6, 32 + (word >> 10))
        }
    }
}

extension FixedPointTable {
    /// Fits the lines that are closest to a function.
    ///
    /// - Parameters:
    ///   - words: the arguments that occur. The first one is that of black, where the table has the function's exact
    ///     value.
    ///   - up: the number of bits, 0 to 5, that arguments are shifted to the left by. Slopes are less than 2^up;
    ///     steeper ones are clamped.
    ///   - seen: the function that is applied to the result later, where errors next to the first word are to be
    ///     balanced after it.
    ///   - function: from word to word, within -32768...32767.
    init(
        _ kind: FixedPointParts, _ words: ClosedRange<Int>, up: Int, seen: (Double) -> Double = { $0 },
        _ function: (Double) -> Double
    ) {
        self.init()
        let parts = (0..<kind.count).map { part in
            let all = kind.words(part)
            let low = min(max(all.lowerBound, words.lowerBound), words.upperBound)
            let high = max(min(all.upperBound, words.upperBound), low)
            return Part(first: all.lowerBound, range: Double(low)...Double(high))
        }
        let lines = parts.map {
            $0.holds(words.lowerBound) ? $0.anchored(seen, function) : $0.chord(function)
        }
        self.up = Int32(up)
        withUnsafeMutableBytes(of: &base) { base in
            withUnsafeMutableBytes(of: &slope) { slope in
                let (base, slope) = (base.bindMemory(to: Int16.self), slope.bindMemory(to: Int16.self))
                for (index, part) in parts.enumerated() {
                    let factor = (lines[index] * 32768 / Double(1 << up)).rounded()
                    let whole = Int(min(max(factor, -32767), 32767))
                    let line = { (x: Double) in Double(whole) * x * Double(1 << up) / 32768 }
                    let offset =
                        part.holds(words.lowerBound)
                        ? function(part.range.lowerBound) - line(part.range.lowerBound)
                        : part.offset(function, line)
                    // Shifted arguments wrap at multiples of 2^16, which no part contains.
                    let rounds = ((part.first << up) + 32768) >> 16
                    slope[index] = Int16(whole)
                    base[index] = Int16(truncatingIfNeeded: Int(offset.rounded()) + rounds * 2 * whole)
                }
            }
        }
    }

    /// The value for a word that is not negative, computed with the kernels' arithmetic.
    func value(_ word: Int16, _ kind: FixedPointParts) -> Int16 {
        let index = kind.part(Int(word))
        let factor = Int(word << Int16(up))
        return withUnsafeBytes(of: base) { base in
            withUnsafeBytes(of: slope) { slope in
                let product = (factor * Int(slope.bindMemory(to: Int16.self)[index]) + 0x4000) >> 15
                return Int16(truncatingIfNeeded: Int(base.bindMemory(to: Int16.self)[index]) + product)
            }
        }
    }
}

/// The arguments of a part that occur.
private struct Part {
    let first: Int
    let range: ClosedRange<Double>
    private static let steps = 64

    private var points: [Double] {
        (0...Self.steps).map {
            range.lowerBound + (range.upperBound - range.lowerBound) * Double($0) / Double(Self.steps)
        }
    }

    func holds(_ word: Int) -> Bool {
        range.lowerBound == Double(word) && range.upperBound > range.lowerBound
    }

    /// Slope from one end to the other.
    func chord(_ function: (Double) -> Double) -> Double {
        guard range.upperBound > range.lowerBound else { return 0 }
        return (function(range.upperBound) - function(range.lowerBound)) / (range.upperBound - range.lowerBound)
    }

    /// The slope of the line through the first value that has the smallest largest error.
    func anchored(_ seen: (Double) -> Double, _ function: (Double) -> Double) -> Double {
        let chord = chord(function)
        let start = function(range.lowerBound)
        let samples = points.map { ($0 - range.lowerBound, seen(function($0))) }
        func error(_ slope: Double) -> Double {
            samples.reduce(0) { max($0, abs(seen(start + slope * $1.0) - $1.1)) }
        }
        let slopes = (0...100).map { chord * (0.5 + Double($0) / 100) }
        return slopes.min { error($0) < error($1) } ?? chord
    }

    /// The offset that balances the largest errors of a line through 0.
    func offset(_ function: (Double) -> Double, _ line: (Double) -> Double) -> Double {
        let errors = points.map { function($0) - line($0) }
        return ((errors.min() ?? 0) + (errors.max() ?? 0)) / 2
    }
}
