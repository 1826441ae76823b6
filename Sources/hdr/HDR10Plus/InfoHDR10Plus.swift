import HDRBitstream
import HDRJSON
import HDRPipeline

/// `hdr hdr10plus info`: describes the metadata.
enum InfoHDR10Plus: Verb {
    static let name = "info"
    static let words = "INPUT... [--frame N]"
    static let summary = "what the metadata say: a summary, or those of one picture"
    static let options =
        [
            Option.value(
                "--frame", "N", help: "print the entry of this picture, counted from 0, in the JSON of hdr10plus_tool")
        ] + Option.ofReaders

    static func run(_ options: Options) async throws -> CInt {
        let info = try MetadataInfo(
            options, title: "hdr hdr10plus info", object: "a video or a document",
            endings: Inputs.videoEndings + [".json"], kind: "videos and documents")
        return try await info.run(
            look: HDR10PlusList.look(at:),
            one: { frame, file in
                let list = try await HDR10PlusList(file, ProgressLine(quiet: info.isSilent))
                guard list.frames.indices.contains(frame) else {
                    throw Failure(
                        "\(file.shown) has \(list.frames.count) pictures: --frame is at most \(list.frames.count - 1)")
                }
                return list.document.json["SceneInfo"]?.array?[frame] ?? .null
            },
            summary: { file in
                let list = try await HDR10PlusList(file, ProgressLine(quiet: info.isSilent))
                return MetadataInfo.Summary(notes: list.notes, text: text(list), json: list.json)
            })
    }

    private static func text(_ list: HDR10PlusList) -> String {
        func largest(_ value: (HDR10PlusMetadata.Window) -> UInt32) -> String {
            (Double(list.frames.compactMap { $0.windows.first.map(value) }.max() ?? 0) / 10).fixed(1) + " cd/m²"
        }
        let targets = Set(list.frames.map(\.targetedSystemDisplayMaximumLuminance)).sorted()
        let curves = list.frames.count { $0.windows.contains { $0.toneMapping != nil } }
        let rows = [
            ("metadata", list.title), ("largest MaxSCL", largest { $0.maxSCL.max() }),
            ("largest average", largest(\.averageMaxRGB)),
            ("curves", curves == 0 ? "none" : curves == list.frames.count ? "in all" : "in \(curves)"),
            ("displays of", targets.prefix(4).map { $0 == 0 ? "any" : "\($0) cd/m²" }.joined(separator: ", ")),
        ]
        return rows.map { "  \(Table.padded($0.0, 15))   \($0.1)\n" }.joined()
    }
}
