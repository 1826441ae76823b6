import HDRBitstream
import HDRJSON
import HDRPipeline

/// `hdr rpu generate`: RPUs where there are none.
enum GenerateRPU: Verb {
    static let name = "generate"
    static let words = "CONFIG.json [-o RPU.bin]"
    static let summary = "RPUs made of a file that describes them, as the generator of dovi_tool takes it"
    static let options =
        [
            Option.value(
                "--hdr10plus", "META.json",
                help: "take shots and level 1 from HDR10+ metadata, a document or a video"),
            .value(
                "--peak-source", "SOURCE",
                help: """
                    HDR10+ value that the peak is taken from: \
                    \(DolbyVisionGenerator.PeakSource.allCases.map(\.rawValue).joined(separator: ", "))
                    (default: histogram)
                    """, choices: DolbyVisionGenerator.PeakSource.allCases.map(\.rawValue)),
        ] + RPUCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        let peaks = DolbyVisionGenerator.PeakSource.allCases.map(\.rawValue)
        let peak = try options.choice("--peak-source", of: peaks).flatMap {
            DolbyVisionGenerator.PeakSource(rawValue: $0)
        }
        let light = options.file("--hdr10plus")
        guard peak == nil || light != nil else { throw UsageError("--peak-source goes with --hdr10plus") }
        let batch = try Batch(options, title: "hdr rpu generate", deed: "made into RPUs") { $0.last.stem + ".bin" }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                if let light { try InputCheck.check(light, "a video or a document of HDR10+ metadata") }
                try OutputFile.check(
                    output, endings: [], inputs: [input] + (light.map { [$0] } ?? []), force: options.has("--force"))
                return "\(input.shown) to \(output.shown)"
            },
            plan: { input, _ in
                let generator = try generator(of: input)
                if let light {
                    try await HDR10PlusList.look(at: light)
                } else {
                    try check(generator, of: input)
                }
                return nil
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "rpu")
                var generator = try generator(of: input)
                if let light {
                    let list = try await HDR10PlusList(light, ProgressLine(quiet: batch.isSilent))
                    generator.take(list.document, peak: peak ?? .histogram)
                }
                try check(generator, of: input)
                var list = RPUList([])
                do {
                    try generator.generate { (rpu, count) throws(BitstreamError) in
                        list.pieces += repeatElement(try rpu.escaped(), count: count)
                    }
                } catch let error as BitstreamError {
                    throw Failure("\(input.shown): \(error)")
                }
                list.transfer = generator.profile == .profile84 ? 18 : generator.profile == .profile81 ? 16 : nil
                let summary = try RPUSummary(list, of: output)
                try target.write(DolbyVisionRPUFile.bytes(of: list.pieces))
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(list.pieces.count) RPUs, \(summary.title), "
                        + "\(summary.summary.sceneCount) scene cut\(summary.summary.sceneCount == 1 ? "" : "s")",
                    json: summary.json)
            })
    }

    private static func generator(of input: FileName) throws -> DolbyVisionGenerator {
        do {
            return try DolbyVisionGenerator(try InputFile.bytes(input, limit: 1 << 30))
        } catch let error as JSONError {
            throw Failure("\(input.shown): \(error)")
        }
    }

    private static func check(_ generator: DolbyVisionGenerator, of input: FileName) throws(Failure) {
        guard generator.count > 0 else {
            throw Failure("\(input.shown) does not say how many pictures there are: add length or shots")
        }
    }
}
