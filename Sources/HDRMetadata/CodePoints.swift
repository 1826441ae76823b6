/// A code point of ITU-T H.273 (ISO/IEC 23091-2) with its names. These three tables are the only ones.
package struct CodePoint: Sendable {
    package let code: UInt8
    /// The name for people.
    package let name: String
    /// The names that settings take: AVFoundation's, then GStreamer's, then short ones; empty where no setting has it.
    package let settingNames: [String]

    private init(_ code: UInt8, _ name: String, _ settingNames: String...) {
        self.code = code
        self.name = name
        self.settingNames = settingNames
    }

    package static let unspecified: UInt8 = 2

    /// ColourPrimaries, table 2.
    package static let primaries = [
        CodePoint(1, "BT.709", "ITU_R_709_2", "bt709"),
        CodePoint(9, "BT.2020", "ITU_R_2020", "bt2020"),
        CodePoint(12, "Display P3", "P3_D65", "smpteeg432", "p3-d65", "display-p3", "p3"),
        CodePoint(6, "BT.601 525", "SMPTE_C", "smpte170m", "smpte-c"),
        CodePoint(5, "BT.601 625", "EBU_3213", "bt470bg", "ebu3213"),
        CodePoint(2, "unspecified"),
        CodePoint(4, "BT.470 System M"),
        CodePoint(7, "SMPTE 240M"),
        CodePoint(8, "generic film"),
        CodePoint(10, "XYZ (SMPTE ST 428-1)"),
        CodePoint(11, "DCI-P3"),
        CodePoint(22, "EBU Tech 3213-E"),
    ]

    /// TransferCharacteristics, table 3.
    package static let transfers = [
        CodePoint(1, "BT.709", "ITU_R_709_2", "bt709"),
        CodePoint(16, "PQ", "SMPTE_ST_2084_PQ", "smpte2084", "pq"),
        CodePoint(18, "HLG", "ITU_R_2100_HLG", "arib-std-b67", "hlg"),
        CodePoint(13, "sRGB", "IEC_sRGB", "srgb"),
        CodePoint(6, "BT.601", "bt601", "smpte170m"),
        CodePoint(14, "BT.2020 10-bit", "bt2020-10"),
        CodePoint(15, "BT.2020 12-bit", "bt2020-12"),
        CodePoint(2, "unspecified"),
        CodePoint(4, "gamma 2.2"),
        CodePoint(5, "gamma 2.8"),
        CodePoint(7, "SMPTE 240M"),
        CodePoint(8, "linear"),
        CodePoint(9, "logarithmic 100:1"),
        CodePoint(10, "logarithmic 316:1"),
        CodePoint(11, "xvYCC"),
        CodePoint(12, "BT.1361"),
        CodePoint(17, "SMPTE ST 428-1"),
    ]

    /// MatrixCoefficients, table 4.
    package static let matrices = [
        CodePoint(1, "BT.709", "ITU_R_709_2", "bt709"),
        CodePoint(9, "BT.2020 non-constant", "ITU_R_2020", "bt2020"),
        CodePoint(6, "BT.601 525", "ITU_R_601_4", "bt601", "smpte170m"),
        CodePoint(7, "SMPTE 240M", "SMPTE_240M_1995", "smpte240m"),
        CodePoint(0, "identity"),
        CodePoint(2, "unspecified"),
        CodePoint(4, "FCC"),
        CodePoint(5, "BT.601 625"),
        CodePoint(8, "YCgCo"),
        CodePoint(10, "BT.2020 constant"),
        CodePoint(11, "YDzDx"),
        CodePoint(12, "chromaticity-derived non-constant"),
        CodePoint(13, "chromaticity-derived constant"),
        CodePoint(14, "ICtCp"),
        CodePoint(15, "IPT-PQ-C2"),
        CodePoint(16, "YCgCo-Re"),
        CodePoint(17, "YCgCo-Ro"),
    ]
}

extension ColorDescription {
    package var primariesName: String { Self.name(primaries, in: CodePoint.primaries, kind: "primaries") }
    package var transferName: String { Self.name(transfer, in: CodePoint.transfers, kind: "transfer") }
    package var matrixName: String { Self.name(matrix, in: CodePoint.matrices, kind: "matrix") }

    private static func name(_ code: UInt8, in table: [CodePoint], kind: String) -> String {
        table.first { $0.code == code }?.name ?? "reserved \(kind) \(code)"
    }
}
