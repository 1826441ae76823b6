import HDRBitstream
import HDRJSON
import HDRPipeline

/// `hdr rpu edit`: RPUs changed by a file of edits.
enum EditRPU: Verb {
    static let name = "edit"
    static let words = "INPUT --edits EDITS.json [-o OUTPUT]"
    static let summary = "RPUs changed by a file of edits, as the editor of dovi_tool takes it"
    static let options =
        [
            Option.value(
                "--edits", "EDITS.json",
                help: """
                    file of changes as dovi_tool's editor takes it, an object with any of: mode, remove_cmv4,
                    remove_mapping, min_pq, max_pq, active_area (crop, drop_l5, presets, edits), scene_cuts, level6,
                    level9, level11, level255, source_rpu, rpu_levels, allow_cmv4_transfer, remove, duplicate
                    """), .fileType,
        ]
        + RPUCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        guard let file = options.file("--edits") else {
            throw UsageError("say what to change: hdr rpu edit INPUT --edits EDITS.json")
        }
        try InputCheck.check(file, "a file of edits")
        let edits: DolbyVisionEdits
        do {
            edits = try DolbyVisionEdits(try InputFile.bytes(file, limit: 64 << 20))
        } catch let error as JSONError {
            throw Failure("\(file.shown): \(error)")
        }
        let source = edits.source.map { FileName($0) }
        return try await RPUConversion.run(
            options, verb: "edit", deed: "edited", suffix: "-edited", files: [file] + (source.map { [$0] } ?? [])
        ) { list, input, _ in
            do {
                return try apply(edits, to: list, of: input, source)
            } catch let error as JSONError {
                throw Failure("\(file.shown): \(error)")
            }
        }
    }

    private static func apply(
        _ edits: DolbyVisionEdits, to list: RPUList, of input: FileName, _ source: FileName?
    ) throws -> [[UInt8]] {
        try edits.check(count: list.pieces.count)
        let kept = try edits.frames.remaining(of: list.pieces.count)
        guard !kept.isEmpty else { throw JSONError("remove leaves no picture") }
        var others: [DolbyVisionRPU] = []
        if let source {
            let pieces = try RPUList.pieces(of: source)
            guard pieces.count == kept.count else {
                throw JSONError("source_rpu has \(pieces.count) RPUs for \(kept.count) pictures")
            }
            try RPUList(pieces).forEach(of: source) { _, rpu, _ in others.append(rpu) }
        }
        var position = 0
        let pieces = try RPUConversion.each(list, of: input, kept: kept) { (rpu, index) throws(BitstreamError) in
            try edits.edit(&rpu, at: index, from: others.indices.contains(position) ? others[position] : nil)
            position += 1
        }
        return try edits.frames.repeating(pieces)
    }
}
