/// What a signal's code values mean, in the code points of ISO/IEC 23091-2 (ITU-T H.273).
package struct ColorDescription: Equatable, Sendable {
    /// ColourPrimaries, 8.1.
    package var primaries: UInt8
    /// TransferCharacteristics, 8.2.
    package var transfer: UInt8
    /// MatrixCoefficients, 8.3.
    package var matrix: UInt8
    /// VideoFullRangeFlag, 8.3; `nil` where it is unspecified, which decoders treat as limited.
    package var isFullRange: Bool?
    /// Location of 4:2:0 chroma samples: chroma_sample_loc_type, 0...5 (H.265 figure E.1); `nil` where it is
    /// unspecified.
    package var chromaLocation: UInt8?

    /// The code point "unspecified" of primaries, transfer and matrix alike.
    package static let unspecifiedCode = CodePoint.unspecified

    package init(
        primaries: UInt8 = unspecifiedCode, transfer: UInt8 = unspecifiedCode, matrix: UInt8 = unspecifiedCode,
        isFullRange: Bool? = nil, chromaLocation: UInt8? = nil
    ) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
        self.chromaLocation = chromaLocation
    }

    /// Nothing is known.
    package static let unspecified = ColorDescription()
    /// BT.2100 PQ with a non-constant luminance matrix, as HDR10 has it.
    package static let bt2100PQ = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
    /// BT.2100 HLG with a non-constant luminance matrix.
    package static let bt2100HLG = ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false)
    package static let bt709 = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)

    /// SMPTE ST 2084, which BT.2100 calls PQ.
    package var isPQ: Bool { transfer == 16 }
    /// ARIB STD-B67, which BT.2100 calls HLG.
    package var isHLG: Bool { transfer == 18 }
    package var isHDR: Bool { isPQ || isHLG }

    /// All of primaries, transfer and matrix are known.
    package var isComplete: Bool {
        ![primaries, transfer, matrix].contains { Self.isUnspecified($0) }
    }
    /// None of primaries, transfer and matrix is known.
    package var isUnspecified: Bool {
        [primaries, transfer, matrix].allSatisfy { Self.isUnspecified($0) }
    }

    /// This description, completed by another one where a value is unspecified.
    package func completed(by other: ColorDescription) -> ColorDescription {
        ColorDescription(
            primaries: Self.isUnspecified(primaries) ? other.primaries : primaries,
            transfer: Self.isUnspecified(transfer) ? other.transfer : transfer,
            matrix: Self.isUnspecified(matrix) ? other.matrix : matrix,
            isFullRange: isFullRange ?? other.isFullRange, chromaLocation: chromaLocation ?? other.chromaLocation)
    }

    package static func isUnspecified(_ code: UInt8) -> Bool { code == unspecifiedCode }
}

extension ColorDescription: CustomStringConvertible {
    /// The code points in words, such as "BT.2020, PQ, BT.2020 non-constant, limited range".
    package var description: String {
        var parts = [primariesName, transferName, matrixName]
        if let isFullRange { parts.append(isFullRange ? "full range" : "limited range") }
        if let chromaLocationName { parts.append("chroma \(chromaLocationName)") }
        return parts.joined(separator: ", ")
    }

    package var chromaLocationName: String? {
        switch chromaLocation {
        case nil: nil
        case 0?: "left"
        case 1?: "center"
        case 2?: "top-left"
        case 3?: "top"
        case 4?: "bottom-left"
        case 5?: "bottom"
        case let code?: "reserved location \(code)"
        }
    }
}
