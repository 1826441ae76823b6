import HDRExport
import HDRPipeline

/// What GStreamer looked for and has not.
struct MissingPlugin: Equatable {
    /// In GStreamer's words, such as "H.265 decoder".
    let name: String
    /// The kind of data, such as "video/x-h265".
    let type: String

    /// - Returns: `nil` for other structures, and for data that nothing decodes, such as a phone's own metadata.
    init?(_ structure: Structure) {
        guard structure.name == "missing-plugin" else { return nil }
        name = structure["name"] ?? "a plugin"
        type = structure["detail", as: Structure.self]?.name ?? structure["detail"] ?? ""
        if ["meta/", "application/x-meta"].contains(where: type.hasPrefix) { return nil }
    }

    /// For a demuxer of a media type.
    init(demuxerOf type: String, called name: String) {
        self.name = "\(name) demuxer"
        self.type = type
    }

    /// What is missing, and how to get it.
    var remedy: String { "GStreamer misses the plugin '\(name)': apt-get install \(DebianPackage.of(mediaType: type))" }
}

extension DebianPackage {
    static func advice(forElement name: String) -> String { "apt-get install \(of(element: name))" }
}
