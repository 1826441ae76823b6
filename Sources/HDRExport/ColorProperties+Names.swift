import HDRMetadata

extension ColorProperties {
    /// A code point with AVFoundation's name for it, then GStreamer's, then short ones.
    typealias Names = [(code: UInt8, names: [String])]

    static let primariesNames: Names = [
        (1, ["ITU_R_709_2", "bt709"]),
        (9, ["ITU_R_2020", "bt2020"]),
        (12, ["P3_D65", "smpteeg432", "p3-d65", "display-p3", "p3"]),
        (6, ["SMPTE_C", "smpte170m", "smpte-c"]),
        (5, ["EBU_3213", "bt470bg", "ebu3213"]),
    ]

    static let transferNames: Names = [
        (1, ["ITU_R_709_2", "bt709"]),
        (16, ["SMPTE_ST_2084_PQ", "smpte2084", "pq"]),
        (18, ["ITU_R_2100_HLG", "arib-std-b67", "hlg"]),
        (13, ["IEC_sRGB", "srgb"]),
        (6, ["bt601", "smpte170m"]),
        (14, ["bt2020-10"]),
        (15, ["bt2020-12"]),
    ]

    static let matrixNames: Names = [
        (1, ["ITU_R_709_2", "bt709"]),
        (9, ["ITU_R_2020", "bt2020"]),
        (6, ["ITU_R_601_4", "bt601", "smpte170m"]),
        (7, ["SMPTE_240M_1995", "smpte240m"]),
    ]

    static let schema: [SettingDescription] = [
        SettingDescription(
            "primaries", .string, "The colors of red, green and blue", values: primariesNames.compactMap(\.names.first)),
        SettingDescription(
            "transfer", .string, "How the signal's numbers stand for light",
            values: transferNames.compactMap(\.names.first)),
        SettingDescription(
            "matrix", .string, "How R'G'B' became Y'CbCr", values: matrixNames.compactMap(\.names.first)),
    ]

    static func name(_ code: UInt8, in names: Names) -> String {
        names.first { $0.code == code }?.names.first ?? "\(code)"
    }

    /// From a settings dictionary.
    init(_ settings: [Setting], path: String) throws(ExportError) {
        let reader = try SettingReader(settings, schema: Self.schema, path: path)
        let keys = Self.schema.map(\.key)
        let present = reader.present(of: keys)
        guard present.count == keys.count else {
            throw .incompleteColorProperties(present: present, missing: keys.filter { !present.contains($0) })
        }
        func code(_ key: String, _ names: Names) throws(ExportError) -> UInt8 {
            let text = reader.string(key) ?? ""
            let folded = Self.stem(text)
            if let entry = names.first(where: { $0.names.contains { $0.lowercased() == folded } }) { return entry.code }
            throw .unknownValue(
                path + key, value: String(text.prefix(96)), near: NearMatches.of(folded, in: names.flatMap(\.names)),
                allowed: names.compactMap(\.names.first))
        }
        self.init(
            try code("primaries", Self.primariesNames), try code("transfer", Self.transferNames),
            try code("matrix", Self.matrixNames))
        try check()
    }

    /// Without the prefix of Apple's constants, in lower case.
    private static func stem(_ text: String) -> String {
        let prefixes = [
            "AVVideoColorPrimaries_", "AVVideoTransferFunction_", "AVVideoYCbCrMatrix_",
            "kCVImageBufferColorPrimaries_", "kCVImageBufferTransferFunction_", "kCVImageBufferYCbCrMatrix_",
        ]
        let prefix = prefixes.first { text.hasPrefix($0) } ?? ""
        return String(text.dropFirst(prefix.count).prefix(64)).lowercased()
    }

    var settings: [Setting] {
        [
            Setting("primaries", .string(Self.name(primaries, in: Self.primariesNames))),
            Setting("transfer", .string(Self.name(transfer, in: Self.transferNames))),
            Setting("matrix", .string(Self.name(matrix, in: Self.matrixNames))),
        ]
    }
}
