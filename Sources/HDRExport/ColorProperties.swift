import HDRMetadata

/// AVVideoColorPropertiesKey: primaries, transfer function and matrix, as code points of ISO/IEC 23091-2. A setting has
/// all three or none.
package struct ColorProperties: Equatable, Sendable {
    package var primaries: UInt8
    package var transfer: UInt8
    package var matrix: UInt8

    package init(_ primaries: UInt8, _ transfer: UInt8, _ matrix: UInt8) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
    }

    package static let bt709 = ColorProperties(1, 1, 1)
    package static let bt601 = ColorProperties(6, 1, 6)
    package static let displayP3 = ColorProperties(12, 1, 1)
    package static let bt2020 = ColorProperties(9, 1, 9)
    package static let bt2100PQ = ColorProperties(9, 16, 9)
    package static let bt2100HLG = ColorProperties(9, 18, 9)

    /// The colour that an encoder can write: `nil` where all three are unspecified (2). A matrix that no encoder here
    /// writes (RGB, YCgCo, constant luminance, ICtCp) becomes the one that belongs to the primaries.
    package init?(_ color: ColorDescription?) {
        guard let color, (color.primaries, color.transfer, color.matrix) != (2, 2, 2) else { return nil }
        self.init(color.primaries, color.transfer, color.matrix)
        switch color.matrix {
        case 0, 8, 10...:
            matrix = color.primaries == 9 ? 9 : color.primaries == 5 || color.primaries == 6 ? 6 : 1
        default: break
        }
    }

    package var dynamicRange: DynamicRange { DynamicRange(transfer: transfer) }

    /// Whether the primaries are wider than BT.709: BT.2020, or P3 with either white.
    package var isWide: Bool { [9, 11, 12].contains(primaries) }

    /// The colour description in narrow range, which the encoders write.
    func description(chromaLocation: UInt8?) -> ColorDescription {
        ColorDescription(
            primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: false, chromaLocation: chromaLocation
        )
    }

    /// The usual combinations: those of AVVideoSettings.h, and those with the transfer functions of BT.2100, BT.2020
    /// and sRGB.
    package static let allowed: [ColorProperties] = [
        .bt709, .bt601, .displayP3, .bt2020, .bt2100PQ, .bt2100HLG,
        ColorProperties(12, 18, 1),
        ColorProperties(1, 13, 1), ColorProperties(12, 13, 1),
        ColorProperties(9, 14, 9), ColorProperties(9, 15, 9),
        ColorProperties(5, 1, 6), ColorProperties(5, 6, 6), ColorProperties(6, 6, 6),
    ]

    /// Whether the three are a combination that standards or Apple's headers name.
    package var isUsual: Bool { Self.allowed.contains(self) }

    /// Checks the combination. HLG and PQ go with any of Apple's primaries and matrices; SDR's transfer functions only
    /// with their own.
    func check() throws(ExportError) {
        let hasNames =
            Self.primariesNames.contains { $0.code == primaries }
            && Self.matrixNames.contains { $0.code == matrix }
        if !isUsual, !(dynamicRange.isHDR && hasNames) { throw .mismatchedColorProperties(self) }
    }

    /// The allowed values for this transfer function, or else for these primaries.
    var remedy: String {
        let sameTransfer = Self.allowed.filter { $0.transfer == transfer }
        let choices = sameTransfer.isEmpty ? Self.allowed : sameTransfer
        let text = choices.map(\.settingsText).joined(separator: " or ")
        return "Use primaries/transfer/matrix \(text)."
    }

    private var settingsText: String {
        "\(Self.name(primaries, in: Self.primariesNames))/\(Self.name(transfer, in: Self.transferNames))/"
            + Self.name(matrix, in: Self.matrixNames)
    }
}

extension ColorProperties: CustomStringConvertible {
    /// The text of the setting's values.
    package var description: String { settingsText }
}
