import HDRBitstream
import HDRPipeline

/// `hdr rpu inject`: a video with the RPUs of a file.
enum InjectRPU: Verb {
    static let name = "inject"
    static let words = "VIDEO --rpu RPU.bin [-o OUTPUT]"
    static let summary = "a copy of a video with the RPUs of a file, in place of those that it has"
    static let options =
        [
            Option.value(
                "--rpu", "RPU.bin", help: "the file of RPUs, one for each picture in the order of presentation"),
            .flag("--fit", help: "accept a file of another length: repeat the last RPU, or leave surplus ones out"),
            .fileType,
        ] + RPUCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        guard let file = options.file("--rpu") else {
            throw UsageError("say which RPUs: hdr rpu inject VIDEO --rpu RPU.bin")
        }
        let fileType = options.value("--file-type")
        let batch = try Batch(options, title: "hdr rpu inject", deed: "given RPUs") { input in
            input.last.stem + "-rpu" + MetadataCopy.ending(for: input)
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(file, "a file of RPUs")
                try MetadataCopy.check(input, output, options)
                return "\(input.shown) with \(file.shown) to \(output.shown)"
            },
            plan: { input, _ in
                let list = RPUList(try RPUList.pieces(of: file))
                _ = try RPUSummary(list, of: file)
                try await MetadataTrack.base(of: input).check(list.pieces, of: file, for: input)
                return nil
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "rpu")
                let list = RPUList(try RPUList.pieces(of: file))
                let summary = try RPUSummary(list, of: file)
                let track = try await MetadataTrack(
                    input, [], ProgressLine(quiet: batch.isSilent, label: "pass 1 of 2: "))
                try track.base.check(list.pieces, of: file, for: input)
                guard options.has("--fit") || track.pictures.count == list.pieces.count else {
                    throw Failure(
                        "\(file.shown) has \(list.pieces.count) RPUs for \(track.pictures.count) pictures: edit it, or "
                            + "add --fit")
                }
                let writer = RPUWriter(list.pieces, ranks: track.ranks, keepsLayer: summary.hasEnhancementLayer)
                let (changed, notes) = try await MetadataCopy(
                    input: input, target: target, track: track, edit: writer.edit
                ).run(fileType: fileType, ProgressLine(quiet: batch.isSilent, label: "pass 2 of 2: "))
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(track.pictures.count) pictures, \(changed) with another RPU than "
                        + "before; \(summary.title(transfer: track.base.transfer))",
                    notes: notes,
                    json: [("pictures", .integer(track.pictures.count)), ("changed", .integer(changed))]
                        + summary.json)
            })
    }
}

/// Puts RPUs into the access units of a video.
struct RPUWriter: Sendable {
    private let pieces: [[UInt8]]
    private let ranks: [Int]
    private let keepsLayer: Bool

    /// - Parameters:
    ///   - pieces: in the order of presentation; where there are too few the last one is repeated.
    ///   - ranks: the place of each access unit in that order.
    init(_ pieces: [[UInt8]], ranks: [Int], keepsLayer: Bool) {
        (self.pieces, self.ranks, self.keepsLayer) = (pieces, ranks, keepsLayer)
    }

    var edit: MetadataCopy.Edit {
        { (index, stream, bytes) throws(BitstreamError) in
            guard let last = pieces.last, ranks.indices.contains(index) else { return nil }
            let rank = ranks[index]
            let piece = pieces.indices.contains(rank) ? pieces[rank] : last
            return try DolbyVisionRPUEditor(stream).setting(piece, keepsLayer: keepsLayer, in: bytes)
        }
    }
}
