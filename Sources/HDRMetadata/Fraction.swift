/// A ratio of two whole numbers: a frame rate in frames a second, or the shape of a pixel.
package struct Fraction: Equatable, Sendable {
    package var numerator: Int
    package var denominator: Int

    package init(_ numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    package static let one = Fraction(1, 1)

    /// Both parts are above 0 and small enough for a caps string (32 bits).
    package var isUsable: Bool {
        let range = 1...Int(Int32.max)
        return range.contains(numerator) && range.contains(denominator)
    }

    /// `nil` where the ratio is not usable.
    package var value: Double? { isUsable ? Double(numerator) / Double(denominator) : nil }

    /// In lowest terms; itself where the ratio is not usable.
    package var reduced: Fraction {
        guard isUsable else { return self }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        return a > 1 ? Fraction(numerator / a, denominator / a) : self
    }

    /// Whether both have the same value, in lowest terms or not.
    package func equals(_ other: Fraction) -> Bool { reduced == other.reduced }

    /// The ratio seen after a quarter turn.
    package var inverted: Fraction { Fraction(denominator, numerator) }

    /// A frame rate written as a decimal number. 23.976, 29.97, 59.94 and the like mean n·1000/1001.
    /// - Returns: `nil` outside (0, 1000].
    package init?(framesPerSecond rate: Double) {
        guard rate > 0, rate <= 1000 else { return nil }
        let whole = rate.rounded()
        if whole == rate {
            self.init(Int(whole), 1)
        } else if abs(rate * 1.001 - (rate * 1.001).rounded()) < 0.001, (rate * 1.001).rounded() >= 1 {
            self.init(Int((rate * 1.001).rounded()) * 1000, 1001)
        } else {
            let thousandths = Int((rate * 1000).rounded())
            guard thousandths > 0 else { return nil }
            self = Fraction(thousandths, 1000).reduced
        }
    }
}

extension Fraction: CustomStringConvertible {
    package var description: String { "\(numerator)/\(denominator)" }
}
