import HDRBitstream
import HDRPipeline

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
            plan: { input, _ in
                try await MetadataTrack.look(at: input, for: .hdr10Plus)
                return nil
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "hdr10plus")
                let track = try await MetadataTrack(
                    input, [.hdr10Plus], ProgressLine(quiet: batch.isSilent, label: "pass 1 of 2: "))
                guard track.count(.hdr10Plus) > 0 else {
                    throw MetadataTrack.Kind.hdr10Plus.isMissing(in: input)
                }
                let copy = MetadataCopy(input: input, target: target, track: track) {
                    (_, stream, bytes) throws(BitstreamError) in
                    try UserDataEditor(.hdr10Plus, in: stream).setting(nil, in: bytes)
                }
                let (changed, notes) = try await copy.run(
                    fileType: fileType, ProgressLine(quiet: batch.isSilent, label: "pass 2 of 2: "))
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(track.pictures.count) pictures, the HDR10+ metadata of \(changed) "
                        + "removed",
                    notes: notes, json: [("pictures", .integer(track.pictures.count)), ("changed", .integer(changed))])
            })
    }
}
