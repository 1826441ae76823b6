import HDRPipeline

/// The information of `hdrsrc` about a file.
struct SourceInfo: Sendable {
    /// The duration in ns; `nil` where the file does not state it.
    let duration: UInt64?
    /// PQ, HLG, SDR or unknown.
    let transfer: String
    let colorimetry: String?
    /// Names of metadata that change with the pictures.
    let dynamicMetadata: [String]
    /// The number of tracks that are neither audio nor the main video.
    let leftOut: Int
    /// The number of audio tracks for which no decoder is installed.
    let undecodable: Int
    /// The number of chapters, as far as GStreamer reads them.
    let chapters: Int
    let hasTimecode: Bool
    let orientation: String?
    /// The ambient viewing environment, as `ambient-viewing-environment` takes it.
    let ambientViewing: String?
    let codec: String?
    /// The caps of the tracks of sound.
    let sound: [String]

    init(_ structure: Structure?) {
        duration = structure?["duration"]
        transfer = structure?["transfer"] ?? "unknown"
        colorimetry = structure?["colorimetry"]
        dynamicMetadata = structure?["dynamic-metadata"] ?? []
        leftOut = structure?["left-out"] ?? 0
        undecodable = structure?["undecodable"] ?? 0
        chapters = structure?["chapters"] ?? 0
        hasTimecode = structure?["timecode"] ?? false
        orientation = structure?["orientation"]
        ambientViewing = structure?["ambient-viewing"]
        codec = structure?["codec"]
        sound = structure?["sound"] ?? []
    }

    /// Notes about tracks that are not used.
    var notes: [String] {
        var notes: [String] = []
        if leftOut > 0 { notes.append("tracks of subtitles, data or other videos were left out: \(leftOut)") }
        if undecodable > 0 {
            notes.append("tracks of sound that GStreamer cannot decode were left out: \(undecodable)")
        }
        if hasTimecode { notes.append("the file's timecode was left out") }
        return notes
    }

    /// Notes about what clips that are put together have besides pictures and sound.
    static func losses(of clips: [SourceInfo]) -> [String] {
        var notes: [String] = []
        let chapters = clips.reduce(0) { $0 + $1.chapters }
        if chapters > 0 { notes.append("chapters of the clips were left out: \(chapters)") }
        let timecodes = clips.count(where: \.hasTimecode)
        if timecodes > 0 { notes.append("timecodes of the clips were left out: \(timecodes)") }
        return notes
    }

    /// The metadata that change with the pictures, in words; `nil` where there are none.
    var dynamicText: String? { dynamicMetadata.isEmpty ? nil : dynamicMetadata.joined(separator: " and ") }
}

/// The element that reads a file.
enum FileSource {
    /// - Parameters:
    ///   - assumed: pq or hlg, in place of the file's tags.
    ///   - isDecoded: whether pictures and sound come decoded.
    ///   - keepsSound: whether AAC comes as packets all the same.
    static func make(
        _ file: FileName, assumed: String?, isDecoded: Bool = true, keepsSound: Bool = false, range: TimeRange? = nil
    ) throws -> Element {
        let source = try Element(make: "hdrsrc", ["location": file, "decode": isDecoded])
        if let assumed { try source.set("assume", to: assumed) }
        if keepsSound { try source.set("keep-caps", to: "audio/mpeg,mpegversion=4") }
        if let start = range?.start { try source.set("start", to: start) }
        if let end = range?.end { try source.set("stop", to: end) }
        return source
    }

    static func info(_ source: Element) throws -> SourceInfo {
        SourceInfo(try source.get("source-info", as: Structure.self))
    }
}
