import HDRBitstream
import HDRJSON
import HDRPipeline

/// `hdr rpu info`: describes RPUs, as a summary or one of them in full.
enum InfoRPU: Verb {
    static let name = "info"
    static let words = "INPUT... [--frame N]"
    static let summary = "what RPUs say: a summary, or one of them with all its fields"
    static let options =
        [
            Option.value(
                "--frame", "N", help: "print the RPU of this picture, counted from 0, in the JSON of dovi_tool")
        ] + Option.ofReaders

    static func run(_ options: Options) async throws -> CInt {
        let info = try MetadataInfo(
            options, title: "hdr rpu info", object: "a video or a file of RPUs",
            endings: Inputs.videoEndings + [".bin"], kind: "videos and RPUs")
        return try await info.run(
            look: RPUList.look(at:),
            one: { frame, file in
                try one(frame, try await RPUList(file, ProgressLine(quiet: info.isSilent)), of: file)
            },
            summary: { file in
                let list = try await RPUList(file, ProgressLine(quiet: info.isSilent))
                let summary = try RPUSummary(list, of: file)
                return MetadataInfo.Summary(notes: list.notes, text: summary.text, json: summary.json)
            })
    }

    private static func one(_ frame: Int, _ list: RPUList, of file: FileName) throws -> JSON {
        guard list.pieces.indices.contains(frame) else {
            throw Failure("\(file.shown) has \(list.pieces.count) RPUs: --frame is at most \(list.pieces.count - 1)")
        }
        var found = JSON.null
        try list.forEach(of: file) { (index, rpu, sequence) throws(BitstreamError) in
            if index == frame { found = try rpu.json(sequence: sequence) }
        }
        return found
    }
}
