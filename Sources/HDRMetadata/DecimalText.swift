/// A fixed-point decimal number, exact and without trailing zeros: 15635 with five decimals is "0.15635".
package struct DecimalText: CustomStringConvertible, Sendable {
    package let description: String

    package init(_ value: some BinaryInteger, decimals: Int) {
        let digits = String(value.magnitude)
        let padded = String(repeating: "0", count: max(decimals + 1 - digits.count, 0)) + digits
        let whole = padded.dropLast(decimals)
        var fraction = padded.suffix(decimals)
        while fraction.last == "0" { fraction = fraction.dropLast() }
        description = (value < 0 ? "-" : "") + whole + (fraction.isEmpty ? "" : "." + fraction)
    }
}

extension MasteringDisplay {
    /// Such as "0.005 to 1000 cd/m²".
    package var luminanceText: String {
        "\(DecimalText(minimum, decimals: 4)) to \(peakText)"
    }

    /// Such as "1000 cd/m²".
    package var peakText: String { "\(DecimalText(maximum, decimals: 4)) cd/m²" }
}

extension AmbientViewing {
    /// Such as "314 lx".
    package var illuminanceText: String { "\(DecimalText(illuminance, decimals: 4)) lx" }
}
