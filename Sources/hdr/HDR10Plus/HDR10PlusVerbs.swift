import HDRBitstream
import HDRJSON
import HDRPipeline

/// `hdr hdr10plus extract`: the metadata of a video as JSON.
enum ExtractHDR10Plus: Verb {
    static let name = "extract"
    static let words = "VIDEO... [-o META.json]"
    static let summary = "the metadata of a video, in the order of presentation, as hdr10plus_tool writes them"
    static let options = HDR10PlusCommand.writers

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
            work: { input, output in
                let file = try OutputFile(output, prefix: "hdr10plus")
                let track = try await MetadataTrack(input, [.hdr10Plus], ProgressLine(quiet: batch.isSilent))
                let list = try HDR10PlusList.list(track, of: input)
                try file.write(list.document.text)
                try file.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(list.title)",
                    notes: list.notes + list.document.losses.map { "JSON has no place for \($0)" }, json: list.json)
            })
    }
}

/// `hdr hdr10plus inject`: a video with the metadata of a document.
enum InjectHDR10Plus: Verb {
    static let name = "inject"
    static let words = "VIDEO --metadata META.json [-o OUTPUT]"
    static let summary = "a copy of a video with the metadata of a document, in place of those that it has"
    static let options =
        [
            Option.value("--metadata", "META.json", help: "the document, with an entry for each picture"),
            .flag("--fit", help: "take a document of another length: what is missing repeats the last entry"),
            .fileType,
        ] + HDR10PlusCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        guard let file = options.file("--metadata") else {
            throw UsageError("say which metadata: hdr hdr10plus inject VIDEO --metadata META.json")
        }
        let fileType = options.value("--file-type")
        let batch = try Batch(options, title: "hdr hdr10plus inject", deed: "given metadata") { input in
            input.last.stem + "-hdr10plus" + MetadataCopy.ending(for: input)
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(file)
                try MetadataCopy.check(input, output, options)
                return "\(input.shown) with \(file.shown) to \(output.shown)"
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "hdr10plus")
                let payloads = try payloads(of: file)
                let track = try await MetadataTrack(
                    input, [], ProgressLine(quiet: batch.isSilent, label: "pass 1 of 2: "))
                guard options.has("--fit") || track.pictures.count == payloads.count else {
                    throw Failure(
                        "\(file.shown) has \(payloads.count) entries for \(track.pictures.count) pictures: edit it, or "
                            + "add --fit")
                }
                let ranks = track.ranks
                let copy = MetadataCopy(input: input, target: target, track: track) {
                    (index, stream, bytes) throws(BitstreamError) in
                    guard let last = payloads.last, ranks.indices.contains(index) else { return nil }
                    let payload = payloads.indices.contains(ranks[index]) ? payloads[ranks[index]] : last
                    return try UserDataEditor(.hdr10Plus, in: stream).setting(payload, in: bytes)
                }
                let changed = try await copy.run(
                    fileType: fileType, ProgressLine(quiet: batch.isSilent, label: "pass 2 of 2: "))
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(track.pictures.count) pictures, \(changed) with other HDR10+ "
                        + "metadata than before",
                    json: [("pictures", .integer(track.pictures.count)), ("changed", .integer(changed))])
            })
    }

    /// Messages of ITU-T T.35, in the order of presentation.
    private static func payloads(of file: FileName) throws(Failure) -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        for (index, frame) in try HDR10PlusList.frames(of: file).enumerated() {
            do {
                payloads.append(try frame.payload)
            } catch {
                throw Failure("\(file.shown): SceneInfo[\(index)]: \(error.message)")
            }
        }
        guard !payloads.isEmpty else { throw Failure("\(file.shown) has no entries in SceneInfo") }
        return payloads
    }
}

/// `hdr hdr10plus remove`: a video without HDR10+.
enum RemoveHDR10Plus: Verb {
    static let name = "remove"
    static let words = "VIDEO... [-o OUTPUT]"
    static let summary = "a copy of a video without HDR10+ metadata"
    static let options = [Option.fileType] + HDR10PlusCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        let fileType = options.value("--file-type")
        let batch = try Batch(options, title: "hdr hdr10plus remove", deed: "copied") { input in
            input.last.stem + "-without-hdr10plus" + MetadataCopy.ending(for: input)
        }
        return try await batch.run(
            check: { input, output in
                try MetadataCopy.check(input, output, options)
                return "\(input.shown) to \(output.shown)"
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "hdr10plus")
                let track = try await MetadataTrack(
                    input, [.hdr10Plus], ProgressLine(quiet: batch.isSilent, label: "pass 1 of 2: "))
                guard track.count(.hdr10Plus) > 0 else {
                    throw Failure("\(input.shown) has no HDR10+ metadata: hdr inspect says what it has")
                }
                let copy = MetadataCopy(input: input, target: target, track: track) {
                    (_, stream, bytes) throws(BitstreamError) in
                    try UserDataEditor(.hdr10Plus, in: stream).setting(nil, in: bytes)
                }
                let changed = try await copy.run(
                    fileType: fileType, ProgressLine(quiet: batch.isSilent, label: "pass 2 of 2: "))
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(track.pictures.count) pictures, the HDR10+ metadata of \(changed) "
                        + "removed",
                    json: [("pictures", .integer(track.pictures.count)), ("changed", .integer(changed))])
            })
    }
}

/// `hdr hdr10plus edit`: entries removed and repeated.
enum EditHDR10Plus: Verb {
    static let name = "edit"
    static let words = "INPUT --edits EDITS.json [-o META.json]"
    static let summary = "a document with entries removed and repeated, for a video that was cut"
    static let options =
        [Option.value("--edits", "EDITS.json", help: "what to change, as the editor of hdr10plus_tool takes it")]
        + HDR10PlusCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        guard let file = options.file("--edits") else {
            throw UsageError("say what to change: hdr hdr10plus edit INPUT --edits EDITS.json")
        }
        let batch = try Batch(options, title: "hdr hdr10plus edit", deed: "edited") {
            $0.last.stem + "-edited.json"
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                try InputCheck.check(file)
                try OutputFile.check(output, endings: [], inputs: [input, file], force: options.has("--force"))
                return "\(input.shown) by \(file.shown) to \(output.shown)"
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "hdr10plus")
                let edits: FrameEdits
                do {
                    edits = try FrameEdits(try InputFile.bytes(file, limit: 64 << 20))
                } catch let error as JSONError {
                    throw Failure("\(file.shown): \(error)")
                }
                var list = try await HDR10PlusList(input, ProgressLine(quiet: batch.isSilent))
                do { list.frames = try edits.applied(to: list.frames) } catch {
                    throw Failure("\(file.shown): \(error)")
                }
                try target.write(list.document.text)
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(list.title)", notes: list.notes, json: list.json)
            })
    }
}

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
