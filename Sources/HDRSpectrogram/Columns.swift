import Glibc

/// The power of every row, with a column for each step of time. When there are too many columns, each two are merged
/// into one with the larger power of both, so that the memory does not grow with the sound.
struct Columns {
    /// The maximum number of columns.
    static let capacity = 4096
    /// The power that is added before taking a logarithm: -200 dB.
    private static let silence: Float = 1e-20

    let rows: Int
    /// The number of steps that were added.
    private(set) var steps = 0
    /// The number of steps that a column represents.
    private(set) var merged = 1
    /// The power values, column by column.
    private var power: [Float]

    init(rows: Int) {
        self.rows = rows
        power = [Float](repeating: 0, count: rows * Self.capacity)
    }

    /// Adds a step, with a value for each row.
    mutating func add(_ step: [Float]) {
        while steps / merged >= Self.capacity { halve() }
        let start = steps / merged * rows
        steps += 1
        for row in 0..<min(rows, step.count) {
            let value = step[row]
            // A stream of floats may contain NaN.
            if value > power[start + row] { power[start + row] = min(value, .greatestFiniteMagnitude) }
        }
    }

    private mutating func halve() {
        let half = Self.capacity / 2
        for column in 0..<half {
            for row in 0..<rows {
                power[column * rows + row] = max(
                    power[2 * column * rows + row], power[(2 * column + 1) * rows + row])
            }
        }
        for index in half * rows..<power.count { power[index] = 0 }
        merged *= 2
    }

    /// The levels in dB, column by column of a picture.
    /// - Parameters:
    ///   - step: the seconds between two steps, the first of which is at 0.
    ///   - width: the number of columns of the picture.
    ///   - duration: the duration that the picture shows, in seconds.
    func levels(step: Double, width: Int, duration: Double) -> [Float] {
        let last = max((steps + merged - 1) / merged, 1) - 1
        let spacing = step * Double(merged)
        var result = [Float](repeating: 0, count: width * rows)
        guard rows > 0, width > 0, duration > 0, spacing > 0 else { return result }
        let column = duration / Double(width)
        guard spacing < column else {
            for index in 0..<width {
                // A column represents the middle of its steps.
                let shift = Double(merged - 1) / Double(2 * merged)
                let position = min(max((Double(index) + 0.5) * column / spacing - shift, 0), Double(last))
                let first = min(Int(position), max(last - 1, 0))
                let (share, second) = (Float(position - Double(first)), min(first + 1, last))
                for row in 0..<rows {
                    result[index * rows + row] =
                        decibels(power[first * rows + row]) * (1 - share)
                        + decibels(power[second * rows + row]) * share
                }
            }
            return result
        }
        // A step represents the time around its window's centre.
        func index(_ edge: Int) -> Int {
            Int(min((Double(edge) * column / step + 0.5) / Double(merged), Double(last)))
        }
        for edge in 0..<width {
            let first = index(edge)
            let end = edge == width - 1 ? index(width) + 1 : index(edge + 1)
            for row in 0..<rows {
                var loudest = power[first * rows + row]
                for other in first..<max(end, first + 1) { loudest = max(loudest, power[other * rows + row]) }
                result[edge * rows + row] = decibels(loudest)
            }
        }
        return result
    }

    private func decibels(_ power: Float) -> Float { 10 * log10(power + Self.silence) }
}
