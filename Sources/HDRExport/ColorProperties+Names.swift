import HDRMetadata

extension ColorProperties {
    typealias Names = [(code: UInt8, names: [String])]

    static let primariesNames = names(CodePoint.primaries)
    static let transferNames = names(CodePoint.transfers)
    static let matrixNames = names(CodePoint.matrices)

    private static func names(_ codePoints: [CodePoint]) -> Names {
        codePoints.filter { !$0.settingNames.isEmpty }.map { ($0.code, $0.settingNames) }
    }

    static let schema: [SettingDescription] = [
        SettingDescription(
            "primaries", .string, "The colors of red, green and blue",
            values: primariesNames.compactMap(\.names.first)),
        SettingDescription(
            "transfer", .string, "How the signal's numbers stand for light",
            values: transferNames.compactMap(\.names.first)),
        SettingDescription(
            "matrix", .string, "How R'G'B' became Y'CbCr", values: matrixNames.compactMap(\.names.first)),
    ]

    static func name(_ code: UInt8, in names: Names) -> String {
        names.first { $0.code == code }?.names.first ?? "\(code)"
    }

    /// Reads a settings dictionary.
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

    /// A constant's name in lower case without the prefix of Apple's constants.
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
