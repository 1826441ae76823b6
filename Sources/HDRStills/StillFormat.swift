/// The file formats of stills.
package enum StillFormat: CaseIterable, Sendable {
    /// Portable Network Graphics, third edition: integer codes.
    case png
    /// OpenEXR: linear light as half-float numbers.
    case openEXR

    /// The extension of file names, without the dot.
    package var fileExtension: String {
        switch self {
        case .png: "png"
        case .openEXR: "exr"
        }
    }

    /// The format that a file name's extension names, in upper or lower case.
    /// - Throws: where the extension is missing or unknown; the message names those that are possible.
    package init(fileName: String) throws(StillError) {
        let name = fileName.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).last ?? [][...]
        let possible = Self.allCases.map { "." + $0.fileExtension }.joined(separator: " or ")
        // A leading dot makes a file hidden; it starts no extension.
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
            throw StillError("\(StillFile.quoted(fileName)) has no extension; the name of a still ends in \(possible)")
        }
        let found = String(decoding: name[name.index(after: dot)...], as: UTF8.self).lowercased()
        guard let format = Self.allCases.first(where: { $0.fileExtension == found }) else {
            throw StillError("stills cannot be written as \(StillFile.quoted("." + found)); name the file \(possible)")
        }
        self = format
    }
}
