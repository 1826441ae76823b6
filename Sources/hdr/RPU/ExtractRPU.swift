import HDRBitstream
import HDRPipeline

/// `hdr rpu extract`: the RPUs of a video as a file.
enum ExtractRPU: Verb {
    static let name = "extract"
    static let words = "VIDEO... [-o RPU.bin]"
    static let summary = "the RPUs of a video, in the order of presentation, as dovi_tool writes them"
    static let options = RPUCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        let batch = try Batch(options, title: "hdr rpu extract", deed: "read") { $0.last.stem + "-rpu.bin" }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                try OutputFile.check(output, endings: [], inputs: [input], force: options.has("--force"))
                return "\(input.shown) to \(output.shown)"
            },
            plan: { input, _ in
                try await MetadataTrack.look(at: input, for: .dolbyVision)
                return nil
            },
            work: { input, output in
                let file = try OutputFile(output, prefix: "rpu")
                let track = try await MetadataTrack(input, [.dolbyVision], ProgressLine(quiet: batch.isSilent))
                let list = try RPUList.list(track, of: input)
                let summary = try RPUSummary(list, of: input)
                try file.write(DolbyVisionRPUFile.bytes(of: list.pieces))
                try file.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(list.pieces.count) RPUs, \(summary.title)", notes: list.notes,
                    json: summary.json)
            })
    }
}
