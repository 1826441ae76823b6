import HDRBitstream
import HDRPipeline

/// `hdr hdr10plus inject`: a video with the metadata of a document.
enum InjectHDR10Plus: Verb {
    static let name = "inject"
    static let words = "VIDEO --metadata META.json [-o OUTPUT]"
    static let summary = "a copy of a video with the metadata of a document, in place of those that it has"
    static let options =
        [
            Option.value("--metadata", "META.json", help: "the document, with an entry for each picture"),
            .flag(
                "--fit", help: "accept a document of another length: repeat the last entry, or leave surplus ones out"),
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
                try InputCheck.check(file, "a document of HDR10+ metadata")
                try MetadataCopy.check(input, output, options)
                return "\(input.shown) with \(file.shown) to \(output.shown)"
            },
            plan: { input, _ in
                _ = try payloads(of: file)
                try await MetadataTrack.base(of: input).checkHDR10Plus(input)
                return nil
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "hdr10plus")
                let payloads = try payloads(of: file)
                let track = try await MetadataTrack(
                    input, [], ProgressLine(quiet: batch.isSilent, label: "pass 1 of 2: "))
                try track.base.checkHDR10Plus(input)
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
                let (changed, notes) = try await copy.run(
                    fileType: fileType, ProgressLine(quiet: batch.isSilent, label: "pass 2 of 2: "))
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(track.pictures.count) pictures, \(changed) with other HDR10+ "
                        + "metadata than before",
                    notes: notes, json: [("pictures", .integer(track.pictures.count)), ("changed", .integer(changed))])
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
