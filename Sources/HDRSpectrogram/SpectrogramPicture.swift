import Glibc

/// Two spectrograms, one above the other, with their axes. Labels are described, not drawn, because their letters need
/// a font.
package struct SpectrogramPicture {
    /// A text, and its position.
    package struct Label: Equatable, Sendable {
        package enum Alignment: Sendable { case start, middle, end }

        package var text: String
        /// The position of the start, middle or end of the text, and of its base line, in pixels.
        package var x, y: Int
        /// The size of the font, in pixels.
        package var size: Int
        package var alignment = Alignment.start
        package var isBold = false
        package var color = SpectrogramPicture.ink
        /// Whether the text runs upwards, rotated to the left.
        package var isUpright = false
        /// The maximum length in pixels; `nil` for any length.
        package var room: Int?
    }

    /// The size of the picture in pixels.
    package static let width = 1600, height = 1000
    /// The size of a plot in pixels, whose rows are those of its spectrogram.
    package static let plotWidth = 1378, plotHeight = 390
    static let left = 92, tops = [88, 532]
    private static let barLeft = 1490, barWidth = 22
    /// The range in decibels: levels that lie further below the loudest are black.
    private static let range = 80
    static let ink = Canvas.Color(33, 33, 41), faint = Canvas.Color(107, 107, 117)

    package private(set) var canvas = Canvas(width: width, height: height)
    package private(set) var labels: [Label] = []
    private let low: Double
    private let high: Double
    private let duration: Double

    /// - Parameters:
    ///   - low: the lowest frequency, in Hz, above 0.
    ///   - high: the highest one, above `low`.
    ///   - duration: the duration in seconds, above 0.
    package init(low: Double, high: Double, duration: Double) {
        (self.low, self.high, self.duration) = (low, high, duration)
    }

    /// The frequencies in Hz between the rows of a picture, rising.
    package static func edges(low: Double, high: Double) -> [Double] {
        (0...plotHeight).map { low * pow(high / low, Double($0) / Double(plotHeight)) }
    }

    /// - Parameter line: a dashed line, as its frequencies at the start and at the end in Hz, and a description of it.
    package mutating func draw(
        title: String, before: Spectrogram, after: Spectrogram,
        line: (start: Double, end: Double, name: String)? = nil
    ) {
        let levels = [before, after].map { $0.levels(width: Self.plotWidth, duration: duration) }
        let loudest = levels[0].lazy.compactMap { $0.max() }.max() ?? 0
        // Both use the colour scale of the first one, so that they can be compared.
        let top = max(-40, 10 * Int((min(max(loudest, -1000), 1000) / 10).rounded(.up)))
        label(title, Self.left, 38, 24, isBold: true, room: Self.width - Self.left - 30)
        for (index, name) in ["Before", "After"].enumerated() {
            let y = Self.tops[index]
            for (column, levels) in levels[index].enumerated() {
                for (row, level) in levels.enumerated() {
                    canvas[Self.left + column, y + Self.plotHeight - 1 - row] =
                        ColorScale.color((level - Float(top - Self.range)) / Float(Self.range))
                }
            }
            if let line { draw(line.start, line.end, y) }
            label(name, Self.left, y - 11, 18, isBold: true)
            drawFrequencies(y)
            drawTimes(y, isLabelled: index == 1)
        }
        if let line {
            label(
                "dashed: \(line.name)", Self.left + Self.plotWidth, Self.tops[1] - 11, 15, .end, color: Self.faint)
        }
        drawScale(top)
    }

    private mutating func draw(_ start: Double, _ end: Double, _ y: Int) {
        let frame = (Self.left..<Self.left + Self.plotWidth, y..<y + Self.plotHeight)
        let ends = (place(of: start, y), place(of: end, y))
        // A dark edge makes the line visible on bright sound, too.
        canvas.dash(frame, ends, Canvas.Color(0, 0, 0), opacity: 0.55, thickness: 3)
        canvas.dash(frame, ends, Canvas.Color(255, 255, 255), opacity: 0.9, thickness: 1.4)
    }

    private func place(of frequency: Double, _ y: Int) -> Double {
        Double(y) + Double(Self.plotHeight) * (1 - log(frequency / low) / log(high / low))
    }

    // MARK: Axes

    private mutating func drawFrequencies(_ y: Int) {
        for power in 1...5 {
            for digit in [1, 2, 5] {
                let frequency = Double(digit) * pow(10, Double(power))
                guard frequency >= low * 0.999, frequency <= high * 1.001 else { continue }
                let at = place(of: frequency, y)
                let row = Int(at.rounded())
                canvas.fill(x: Self.left - 6, y: row, width: 6, height: 1, Self.ink)
                let text = frequency >= 1000 ? "\(Int(frequency / 1000))k" : "\(Int(frequency))"
                label(text, Self.left - 11, row + 5, 15, .end)
            }
        }
        label(
            "Frequency in Hz", 26, y + Self.plotHeight / 2, 15, .middle, color: Self.faint, isUpright: true)
    }

    private mutating func drawTimes(_ y: Int, isLabelled: Bool) {
        let bottom = y + Self.plotHeight
        let (step, places) = Self.timeStep(duration)
        for index in 0...Int(min(duration / step + 1e-6, 100)) {
            let x = Self.left + Int((Double(index) * step / duration * Double(Self.plotWidth)).rounded())
            canvas.fill(x: x, y: bottom, width: 1, height: 6, Self.ink)
            if isLabelled { label(Self.decimal(Double(index) * step, places), x, bottom + 24, 15, .middle) }
        }
        if isLabelled {
            label("Time in seconds", Self.left + Self.plotWidth / 2, bottom + 52, 15, .middle, color: Self.faint)
        }
    }

    /// The seconds between two marks, of which there are up to 12, and the number of decimal places that they need.
    static func timeStep(_ duration: Double) -> (step: Double, places: Int) {
        for power in -4...9 {
            for digit in [1.0, 2, 5] {
                let step = digit * pow(10, Double(power))
                if duration / step <= 12 { return (step, max(0, -power)) }
            }
        }
        return (max(duration, 1), 0)
    }

    /// A number of at least 0 with that many decimal places.
    static func decimal(_ number: Double, _ places: Int) -> String {
        let scaled = UInt64(min(max((number * pow(10, Double(places))).rounded(), 0), 1e18))
        let digits = "\(scaled)"
        guard places > 0 else { return digits }
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return padded.dropLast(places) + "." + padded.suffix(places)
    }

    private mutating func drawScale(_ top: Int) {
        let y = Self.tops[0]
        let height = Self.tops[1] + Self.plotHeight - y
        for row in 0..<height {
            let color = ColorScale.color(1 - (Float(row) + 0.5) / Float(height))
            canvas.fill(x: Self.barLeft, y: y + row, width: Self.barWidth, height: 1, color)
        }
        for level in stride(from: 0, through: Self.range, by: 10) {
            let at = y + height * level / Self.range
            canvas.fill(x: Self.barLeft + Self.barWidth, y: at, width: 6, height: 1, Self.ink)
            // A minus sign is as wide as a plus; a hyphen is hard to see.
            let text = top < level ? "\u{2212}\(level - top)" : "\(top - level)"
            label(text, Self.barLeft + Self.barWidth + 54, at + 5, 15, .end)
        }
        label("dBFS", Self.barLeft, y - 11, 15, color: Self.faint)
    }

    private mutating func label(
        _ text: String, _ x: Int, _ y: Int, _ size: Int, _ alignment: Label.Alignment = .start, isBold: Bool = false,
        color: Canvas.Color = ink, isUpright: Bool = false, room: Int? = nil
    ) {
        labels.append(
            Label(
                text: text, x: x, y: y, size: size, alignment: alignment, isBold: isBold, color: color,
                isUpright: isUpright, room: room))
    }

    // MARK: Text

    /// Draws a label's letters over the picture.
    /// - Parameters:
    ///   - coverage: rows of pixels, 0 to 255, with the coverage of the letters.
    ///   - width: the length of a row; an incomplete last row is ignored.
    ///   - baseLine: the row whose upper edge the letters stand on.
    ///   - start: the column in which the text starts.
    ///   - length: the length of the text from there on.
    package mutating func write(
        _ label: Label, coverage: [UInt8], width: Int, baseLine: Int, start: Int, length: Int
    ) {
        let shift =
            switch label.alignment {
            case .start: 0
            case .middle: length / 2
            case .end: length
            }
        for (index, value) in coverage.enumerated() where value > 0 && width > 0 {
            let (across, down) = (index % width - start - shift, index / width - baseLine)
            // In a label that is rotated to the left, upwards in the picture is to the right in the text.
            let (x, y) = label.isUpright ? (label.x + down, label.y - across) : (label.x + across, label.y + down)
            canvas.blend(label.color, Double(value) / 255, x: x, y: y)
        }
    }
}
