import HDRBitstream
import HDRJSON
import HDRPipeline

/// `hdr hdr10plus info`: what the metadata say.
enum InfoHDR10Plus: Verb {
    static let name = "info"
    static let words = "INPUT... [--frame N]"
    static let summary = "what the metadata say: a summary, or those of one picture"
    static let options = [
        Option.value("--frame", "N", help: "the entry of this picture, from 0 on, as the JSON of hdr10plus_tool"),
        .quiet, .json,
    ]

    static func run(_ options: Options) async throws -> CInt {
        guard !options.words.isEmpty else { throw UsageError("name a video or a document: hdr hdr10plus info INPUT") }
        let frame = try options.integer("--frame", in: 0...Int.max)
        let files = try Inputs(options.words, endings: Inputs.videoEndings + [".json"], kind: "videos").files
        let isSilent = options.has("--quiet") || options.has("--json")
        if frame != nil, files.count > 1 { throw UsageError("--frame takes one input") }
        Interruption.watch()
        for file in files { try InputCheck.check(file) }
        var objects: [JSON] = []
        for file in files {
            let list = try await HDR10PlusList(file, ProgressLine(quiet: isSilent))
            if let frame {
                guard list.frames.indices.contains(frame) else {
                    throw Failure(
                        "\(file.shown) has \(list.frames.count) pictures: --frame is at most \(list.frames.count - 1)")
                }
                var text = ""
                list.document.json["SceneInfo"]?.array?[frame].write(to: &text, indent: "")
                Output.write(text + "\n")
                continue
            }
            objects.append(.object([("input", .string(file.shown))] + list.json))
            guard !isSilent else { continue }
            for note in list.notes { Output.report("hdr hdr10plus info: note: \(file.shown): \(note)") }
            Output.write("\(file.shown)\n\(text(list))")
        }
        if options.has("--json"), frame == nil {
            var text = ""
            JSON.array(objects).write(to: &text, indent: "")
            Output.write(text + "\n")
        }
        return 0
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
