import HDRBitstream
import HDRPipeline

/// The common part of the verbs that change RPUs. A file of RPUs results in another one; a video results in a copy with
/// other RPUs, or in a file of RPUs where the output's name ends in `.bin`.
enum RPUConversion {
    /// Changes the RPUs of a film; `areCopied` tells whether they are written into a copy of it.
    typealias Change = (RPUList, FileName, _ areCopied: Bool) throws -> [[UInt8]]

    /// - Parameters:
    ///   - suffix: the suffix of a name that is derived from the input's.
    ///   - files: other files that the work reads.
    static func run(
        _ options: Options, verb: String, deed: String, suffix: String, files: [FileName] = [],
        _ change: @escaping Change
    ) async throws -> CInt {
        let fileType = options.value("--file-type")
        let title = "hdr rpu \(verb)"
        let batch = try Batch(options, title: title, deed: deed) { input in
            // An input that cannot be read is refused below.
            let isFile = (try? RPUList.isFile(input)) ?? true
            return input.last.stem + suffix + (isFile ? ".bin" : MetadataCopy.ending(for: input))
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                for file in files { try InputCheck.check(file, "a file") }
                if output.ending == ".bin" {
                    try OutputFile.check(output, endings: [], inputs: [input] + files, force: options.has("--force"))
                } else if try RPUList.isFile(input) {
                    throw UsageError("\(output.shown) should end in .bin: \(input.shown) has RPUs alone")
                } else {
                    try MetadataCopy.check(input, output, options)
                }
                return "\(input.shown) to \(output.shown)"
            },
            plan: { input, _ in
                try await RPUList.look(at: input)
                return nil
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "rpu")
                var track: MetadataTrack?
                let list: RPUList
                if try RPUList.isFile(input) {
                    list = RPUList(try RPUList.pieces(of: input))
                } else {
                    let read = try await MetadataTrack(
                        input, [.dolbyVision], ProgressLine(quiet: batch.isSilent))
                    track = read
                    list = try RPUList.list(read, of: input)
                }
                let pieces = try change(list, input, track != nil && output.ending != ".bin")
                var changed = RPUList(pieces)
                changed.transfer = list.transfer
                let summary = try RPUSummary(changed, of: output)
                var notes = list.notes
                if let track, output.ending != ".bin" {
                    guard pieces.count == track.pictures.count else {
                        throw Failure(
                            "there would be \(pieces.count) RPUs for \(track.pictures.count) pictures: write them to a "
                                + "file that ends in .bin")
                    }
                    let writer = RPUWriter(pieces, ranks: track.ranks, keepsLayer: summary.hasEnhancementLayer)
                    notes += try await MetadataCopy(input: input, target: target, track: track, edit: writer.edit)
                        .run(fileType: fileType, ProgressLine(quiet: batch.isSilent)).notes
                } else {
                    try target.write(DolbyVisionRPUFile.bytes(of: pieces))
                }
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(pieces.count) RPUs, \(summary.title)", notes: notes,
                    json: summary.json)
            })
    }

    /// Changes each RPU by itself. One that uses the sequence or the mapping of an RPU that is left out gets its own.
    /// - Parameter kept: the pictures that stay, in ascending order.
    static func each(
        _ list: RPUList, of input: FileName, kept: [Int]? = nil,
        _ body: (inout DolbyVisionRPU, Int) throws(BitstreamError) -> Void
    ) throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        pieces.reserveCapacity(list.pieces.count)
        var written: DolbyVisionRPU.SequenceInfo?
        var rest = kept.map { $0[...] }
        // The last mapping of each number, and the pictures whose mappings have been written.
        var mappings: [UInt32: (picture: Int, mapping: DolbyVisionRPU.Mapping)] = [:]
        var writtenMappings: [UInt32: Int] = [:]
        try list.forEach(of: input) { (index, rpu, sequence) throws(BitstreamError) in
            // There are 16 mappings at most: "Dolby Vision Bitstreams" allows the numbers 0 to 15.
            if let mapping = rpu.mapping, mapping.id <= 15 { mappings[mapping.id] = (index, mapping) }
            if rest != nil {
                guard rest?.first == index else { return }
                rest?.removeFirst()
            }
            var rpu = rpu
            // The RPU that had it may be gone.
            if rpu.header.sequence == nil { rpu.header.sequence = sequence }
            if let mapping = rpu.mapping {
                writtenMappings[mapping.id] = index
            } else if let used = mappings[rpu.previousMappingID],
                writtenMappings[rpu.previousMappingID] != used.picture
            {
                rpu.mapping = used.mapping
                writtenMappings[used.mapping.id] = used.picture
            }
            try body(&rpu, index)
            pieces.append(try rpu.escaped(sequence: written))
            written = rpu.header.sequence ?? written
        }
        return pieces
    }
}
