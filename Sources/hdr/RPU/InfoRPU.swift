import HDRBitstream
import HDRJSON
import HDRPipeline

/// `hdr rpu info`: what RPUs say, as a summary or one of them in full.
enum InfoRPU: Verb {
    static let name = "info"
    static let words = "INPUT... [--frame N]"
    static let summary = "what RPUs say: a summary, or one of them with all its fields"
    static let options = [
        Option.value("--frame", "N", help: "the RPU of this picture, from 0 on, as the JSON of dovi_tool"),
        .quiet, .json,
    ]

    static func run(_ options: Options) async throws -> CInt {
        guard !options.words.isEmpty else { throw UsageError("name a video or a file of RPUs: hdr rpu info INPUT") }
        let frame = try options.integer("--frame", in: 0...Int.max)
        let files = try Inputs(options.words, endings: Inputs.videoEndings + [".bin"], kind: "videos and RPUs").files
        let isSilent = options.has("--quiet") || options.has("--json")
        if frame != nil, files.count > 1 { throw UsageError("--frame takes one input") }
        Interruption.watch()
        for file in files { try InputCheck.check(file) }
        var objects: [JSON] = []
        for file in files {
            let list = try await RPUList(file, ProgressLine(quiet: isSilent))
            if let frame {
                var text = ""
                try one(frame, list, of: file).write(to: &text, indent: "")
                Output.write(text + "\n")
                continue
            }
            let summary = try RPUSummary(list, of: file)
            objects.append(.object([("input", .string(file.shown))] + summary.json))
            guard !isSilent else { continue }
            for note in list.notes { Output.report("hdr rpu info: note: \(file.shown): \(note)") }
            Output.write(file.shown + "\n" + summary.text)
        }
        if options.has("--json"), frame == nil {
            var text = ""
            JSON.array(objects).write(to: &text, indent: "")
            Output.write(text + "\n")
        }
        return 0
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
