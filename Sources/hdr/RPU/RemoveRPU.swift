import HDRBitstream
import HDRPipeline

/// `hdr rpu remove`: a video without Dolby Vision.
enum RemoveRPU: Verb {
    static let name = "remove"
    static let words = "VIDEO... [-o OUTPUT]"
    static let summary = "a copy of a video without RPUs, enhancement layer and the header's record of them"
    static let options = [Option.fileType] + RPUCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        let fileType = options.value("--file-type")
        let batch = try Batch(options, title: "hdr rpu remove", deed: "copied") { input in
            input.last.stem + "-without-rpu" + MetadataCopy.ending(for: input)
        }
        return try await batch.run(
            check: { input, output in
                try MetadataCopy.check(input, output, options)
                return "\(input.shown) to \(output.shown)"
            },
            plan: { input, _ in
                try check(try await MetadataTrack.look(at: input, for: .dolbyVision)?.rpu, of: input)
                return nil
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "rpu")
                let track = try await MetadataTrack(
                    input, [.dolbyVision], ProgressLine(quiet: batch.isSilent, label: "pass 1 of 2: "))
                guard track.count(.dolbyVision) > 0 else {
                    throw MetadataTrack.Kind.dolbyVision.isMissing(in: input)
                }
                try check(track.pictures.lazy.compactMap(\.rpu).first, of: input)
                let (changed, notes) = try await MetadataCopy(
                    input: input, target: target, track: track
                ) { (_, stream, bytes) throws(BitstreamError) in
                    try DolbyVisionRPUEditor(stream).setting(nil, keepsLayer: false, in: bytes)
                }.run(fileType: fileType, ProgressLine(quiet: batch.isSilent, label: "pass 2 of 2: "))
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(track.pictures.count) pictures, the RPUs of \(changed) removed",
                    notes: notes, json: [("pictures", .integer(track.pictures.count)), ("changed", .integer(changed))])
            })
    }

    /// Refuses profile 5: the whole would be tagged as PQ, and show green and purple.
    /// - Parameter rpu: the first one.
    private static func check(_ rpu: [UInt8]?, of input: FileName) throws(Failure) {
        guard let rpu, (try? DolbyVisionRPU(nalUnit: rpu))?.signaledProfile == 5 else { return }
        throw Failure(
            "\(input.shown) is Dolby Vision profile 5, whose base layer cannot be shown without its RPUs: encode it "
                + "without them: hdr export --no-hdr-metadata")
    }
}
