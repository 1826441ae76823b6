import HDRBitstream
import HDRJSON
import HDRPipeline

/// The HDR10+ metadata of a file, in the order of presentation.
struct HDR10PlusList: Sendable {
    /// Documents larger than this are not read, in bytes: those of a day of video are smaller.
    private static let limit: UInt64 = 4 << 30

    var frames: [HDR10PlusMetadata]
    /// When each picture is shown, in ns; none where there is no video.
    var times: [UInt64] = []
    /// Notes for the user.
    var notes: [String] = []

    /// The document with the name of its writer, for JSON.
    var document: HDR10PlusDocument {
        HDR10PlusDocument(frames: frames, tool: "hdr", toolVersion: Program.number)
    }

    /// Reads a document, or the metadata of a video.
    init(_ input: FileName, _ progress: @autoclosure () -> ProgressLine) async throws {
        if try Self.isDocument(input) {
            frames = try Self.frames(of: input)
        } else {
            let track = try await MetadataTrack(input, [.hdr10Plus], progress())
            self = try Self.list(track, of: input)
        }
    }

    /// Checks whether a file has metadata, as far as its beginning shows.
    static func look(at input: FileName) async throws {
        if try isDocument(input) {
            _ = try frames(of: input)
        } else {
            try await MetadataTrack.look(at: input, for: .hdr10Plus)
        }
    }

    private init(_ frames: [HDR10PlusMetadata]) { self.frames = frames }

    /// Whether a file is meant to be JSON: it has that extension, or it begins with a brace or a bracket, as no video
    /// does.
    private static func isDocument(_ input: FileName) throws(Failure) -> Bool {
        if input.ending == ".json" { return true }
        let start = try InputFile.bytes(input, limit: limit, first: 64)
        let first = start.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    static func frames(of input: FileName) throws(Failure) -> [HDR10PlusMetadata] {
        let bytes = try InputFile.bytes(input, limit: limit)
        do {
            return try HDR10PlusDocument(bytes).frames
        } catch {
            throw Failure("\(input.shown) cannot be read as the JSON of hdr10plus_tool: \(error)")
        }
    }

    /// The metadata of a video. A picture without gets those of the picture before, so that the others keep theirs.
    static func list(
        _ track: MetadataTrack, of input: FileName, inDecodingOrder: Bool = false
    ) throws -> HDR10PlusList {
        let found = (inDecodingOrder ? track.pictures : track.shown).map(\.hdr10Plus)
        guard var last = found.lazy.compactMap({ $0 }).first else {
            throw MetadataTrack.Kind.hdr10Plus.isMissing(in: input)
        }
        var frames: [HDR10PlusMetadata] = []
        frames.reserveCapacity(found.count)
        for (index, payload) in found.enumerated() {
            try Interruption.check()
            last = payload ?? last
            do {
                frames.append(try HDR10PlusMetadata(payload: last))
            } catch {
                throw Failure("\(input.shown): the HDR10+ metadata of picture \(index) are damaged: \(error.message)")
            }
        }
        var list = HDR10PlusList(frames)
        list.times = track.times
        let missing = found.count { $0 == nil }
        if missing > 0 {
            list.notes.append(
                "\(missing) of \(found.count) pictures have no HDR10+ metadata: they get those of the picture before")
        }
        return list
    }

    /// A summary in a few words.
    var title: String {
        let document = document
        let profile = document.profile == "N/A" ? "profiles mixed" : "profile \(document.profile)"
        let scenes = document.scenes.count
        return "\(frames.count) pictures, \(scenes) scene\(scenes == 1 ? "" : "s"), \(profile)"
    }

    /// The members of the JSON output, behind input and output.
    var json: [(String, JSON)] {
        let document = document
        func largest(_ value: (HDR10PlusMetadata.Window) -> UInt32) -> JSON {
            .decimal(Double(frames.compactMap { $0.windows.first.map(value) }.max() ?? 0) / 10)
        }
        let targets = frames.reduce(into: [UInt32]()) { list, frame in
            let target = frame.targetedSystemDisplayMaximumLuminance
            if !list.contains(target) { list.append(target) }
        }
        return [
            ("pictures", .integer(frames.count)), ("scenes", .integer(document.scenes.count)),
            ("profile", .string(document.profile)),
            ("largest-maxscl-cd-m2", largest { $0.maxSCL.max() }),
            ("largest-average-cd-m2", largest(\.averageMaxRGB)),
            ("targeted-displays-cd-m2", .array(targets.map(JSON.integer))),
            (
                "pictures-with-curve",
                .integer(frames.count { $0.windows.contains { $0.toneMapping != nil } })
            ),
        ]
    }
}
