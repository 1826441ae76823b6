import HDRJSON
import HDRPipeline

/// `hdr hdr10plus extract`: the metadata of a video as JSON.
enum ExtractHDR10Plus: Verb {
    static let name = "extract"
    static let words = "VIDEO... [-o META.json]"
    static let summary = "the metadata of a video, in the order of presentation, as hdr10plus_tool writes them"
    static let options =
        [
            Option.flag(
                "--decoding-order",
                help: """
                    assume that the metadata were inserted in decoding order, not in the order of presentation: for
                    videos whose metadata are in this wrong order, which shows as many scenes of one to three pictures
                    """)
        ] + HDR10PlusCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        let batch = try Batch(options, title: "hdr hdr10plus extract", deed: "read") {
            $0.last.stem + "-hdr10plus.json"
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                try OutputFile.check(output, endings: [], inputs: [input], force: options.has("--force"))
                return "\(input.shown) to \(output.shown)"
            },
            plan: { input, _ in
                try await MetadataTrack.look(at: input, for: .hdr10Plus)
                return nil
            },
            work: { input, output in
                let file = try OutputFile(output, prefix: "hdr10plus")
                let track = try await MetadataTrack(input, [.hdr10Plus], ProgressLine(quiet: batch.isSilent))
                let list = try HDR10PlusList.list(
                    track, of: input, inDecodingOrder: options.has("--decoding-order"))
                try file.write(list.document.text)
                try file.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(list.title)",
                    notes: list.notes + list.document.losses.map { "JSON has no place for \($0)" }, json: list.json)
            })
    }
}
