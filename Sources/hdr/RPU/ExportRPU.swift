import HDRBitstream
import HDRJSON
import HDRPipeline

/// `hdr rpu export`: RPUs as text.
enum ExportRPU: Verb {
    private static let kinds = ["all", "scenes", "level5"]
    /// Written at a time, in bytes.
    private static let chunk = 1 << 20

    static let name = "export"
    static let words = "INPUT... [--data all|scenes|level5] [-o OUTPUT]"
    static let summary = "RPUs as text: all fields, the pictures that begin scenes, or edits with the active areas"
    static let options =
        [
            Option.value(
                "--data", "KIND",
                help: """
                    all (default): an array of all RPUs, in the JSON of dovi_tool; scenes: a line with the
                    number of each picture that begins a scene; level5: the active areas, as active_area of a
                    file for hdr rpu edit
                    """, choices: kinds)
        ] + RPUCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        let kind = try options.choice("--data", of: kinds) ?? "all"
        let batch = try Batch(options, title: "hdr rpu export", deed: "exported") {
            $0.last.stem + (kind == "scenes" ? "-scenes.txt" : kind == "all" ? "-rpu.json" : "-level5.json")
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                try OutputFile.check(output, endings: [], inputs: [input], force: options.has("--force"))
                return "\(input.shown) to \(output.shown)"
            },
            plan: { input, _ in
                try await RPUList.look(at: input)
                return nil
            },
            work: { input, output in
                let file = try OutputFile(output, prefix: "rpu")
                let list = try await RPUList(input, ProgressLine(quiet: batch.isSilent))
                switch kind {
                case "scenes":
                    var text = ""
                    try list.forEach(of: input) { index, rpu, _ in
                        if rpu.displayManagement?.sceneRefreshFlag == 1 { text += "\(index)\n" }
                    }
                    try file.write(text)
                case "level5": try file.write(try areas(list, of: input))
                default: try all(list, of: input, to: file)
                }
                try file.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(kind) of \(list.pieces.count) RPUs", notes: list.notes,
                    json: [("rpus", .integer(list.pieces.count)), ("data", .string(kind))])
            })
    }

    private static func all(_ list: RPUList, of input: FileName, to file: OutputFile) throws {
        var text = "[\n"
        var failure: Failure?
        try list.forEach(of: input) { (index, rpu, sequence) throws(BitstreamError) in
            text += (index > 0 ? ",\n" : "") + (try rpu.json(sequence: sequence)).line
            guard text.utf8.count > chunk, failure == nil else { return }
            do throws(Failure) { try file.write(text) } catch { failure = error }
            text = ""
        }
        if let failure { throw failure }
        try file.write(text + "\n]\n")
    }

    /// active_area of an edit: a preset for each area, and the pictures that have it.
    private static func areas(_ list: RPUList, of input: FileName) throws -> String {
        var presets: [DolbyVisionRPU.Level5] = []
        var runs: [(first: Int, last: Int, preset: Int)] = []
        try list.forEach(of: input) { index, rpu, _ in
            let area = rpu.displayManagement?.level5 ?? .init()
            let preset = presets.firstIndex(of: area) ?? presets.count
            if preset == presets.count { presets.append(area) }
            if let last = runs.indices.last, runs[last].preset == preset {
                runs[last].last = index
            } else {
                runs.append((index, index, preset))
            }
        }
        var text = ""
        let active = JSON.object([
            ("crop", .bool(true)),
            (
                "presets",
                .array(
                    presets.enumerated().map { number, area in
                        .object([
                            ("id", .integer(number)), ("left", .integer(area.left)), ("right", .integer(area.right)),
                            ("top", .integer(area.top)), ("bottom", .integer(area.bottom)),
                        ])
                    })
            ),
            ("edits", .object(runs.map { ("\($0.first)-\($0.last)", .integer($0.preset)) })),
        ])
        JSON.object([("active_area", active)]).write(to: &text, indent: "")
        return text + "\n"
    }
}
