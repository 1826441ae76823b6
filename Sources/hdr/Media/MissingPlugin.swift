import HDRExport
import HDRPipeline

/// A plugin that GStreamer looked for and did not find.
struct MissingPlugin: Equatable {
    /// GStreamer's description, such as "H.265 decoder".
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

    /// A missing demuxer for a media type.
    init(demuxerOf type: String, called name: String) {
        self.name = "\(name) demuxer"
        self.type = type
    }

    /// The missing plugin and how to install it, as text.
    var remedy: String { "GStreamer misses the plugin '\(name)': apt-get install \(DebianPackage.of(mediaType: type))" }
}

extension DebianPackage {
    static func advice(forElement name: String) -> String { "apt-get install \(of(element: name))" }
}
