import HDRPipeline

/// The presets that fit a source and a file type, and what they make of it.
struct PresetList {
    /// Stands for a source where none is named: as large as any preset makes.
    private static let large =
        "video/x-raw, format=P010_10LE, width=7680, height=4320, framerate=30/1, colorimetry=bt2100-hlg"
    private static let largeCopy = "video/x-h265, width=7680, height=4320"

    var rows: [(name: String, text: String)]

    /// - Parameters:
    ///   - raw: the caps of the source's decoded pictures; without them, a large HLG video's.
    ///   - coded: the caps of the pictures in the file.
    init(fileType: String, raw: String?, coded: String?, hasSound: Bool) throws {
        let raw = raw ?? Self.large
        var names = try Self.presets(fileType, raw)
        for name in try Self.presets(fileType, coded ?? Self.largeCopy) where !names.contains(name) {
            names.append(name)
        }
        var rows = try names.map { (name: $0, text: try Self.describe($0, fileType, raw)) }
        if fileType == "mov" || fileType == "mp4", hasSound { rows.append(("m4a", "the sound alone")) }
        self.rows = rows
    }

    private static func presets(_ fileType: String, _ caps: String) throws -> [String] {
        try ExportOptions.make([("file-type", fileType)]).emit("compatible-presets", caps, as: [String].self) ?? []
    }

    /// A description of a preset's output.
    private static func describe(_ preset: String, _ fileType: String, _ caps: String) throws -> String {
        if preset == "passthrough" { return "video and sound as they are" }
        let element = try ExportOptions.make([("preset", preset), ("file-type", fileType)])
        guard let made = try element.emit("settings-for", caps, as: Structure.self) else { return "" }
        let codec: String = made["codec"] ?? ""
        let titles = ["hvc1": "HEVC", "avc1": "H.264", "prores-422": "ProRes 422", "prores-4444": "ProRes 4444"]
        var parts = [titles[codec] ?? codec]
        if let width: Int = made["width"], let height: Int = made["height"] { parts.append("\(width)x\(height)") }
        if let color: Structure = made["color-properties"], let transfer: String = color["transfer"] {
            parts.append(transfer == "ITU_R_709_2" ? "converted to SDR" : "converted to \(transfer)")
        }
        if let compression: Structure = made["compression-properties"] {
            if let profile: String = compression["profile-level"] { parts[0] += " " + profile }
            if let rate: Int = compression["average-bit-rate"] {
                parts.append("\((Double(rate) / 1e6).fixed(1)) Mbit/s")
            } else if let quality: Double = compression["quality"] {
                parts.append("constant quality \(quality)")
            }
        }
        return parts.joined(separator: ", ")
    }

    var text: String {
        let width = rows.map(\.name.count).max() ?? 0
        return rows.map { Table.padded($0.name, width) + "  " + $0.text + "\n" }.joined()
    }

    var json: JSON {
        .array(rows.map { .object([("preset", .string($0.name)), ("makes", .string($0.text))]) })
    }
}
