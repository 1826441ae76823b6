import HDRPipeline

/// The common part of the verbs `plot` of `hdr rpu` and `hdr hdr10plus`: draws light over time.
enum PlotMetadata {
    /// - Parameters:
    ///   - look: checks whether an input has metadata, as far as its beginning shows.
    ///   - read: reads all of an input's metadata.
    static func run(
        _ options: Options, title: String, look: @escaping (FileName) async throws -> Void,
        _ read: @escaping (FileName, ProgressLine) async throws -> DynamicMetadataReport
    ) async throws -> CInt {
        let batch = try Batch(options, title: title, deed: "drawn") { $0.last.stem + "-plot.png" }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                try OutputFile.check(output, endings: [".png"], inputs: [input], force: options.has("--force"))
                return "\(input.shown) to \(output.shown)"
            },
            plan: { input, _ in
                try await look(input)
                return nil
            },
            work: { input, output in
                let file = try OutputFile(output, prefix: "plot")
                let report = try await read(input, ProgressLine(quiet: batch.isSilent))
                try await report.plot(title: options.value("--title") ?? input.last.shown)
                    .write(to: file, of: input)
                try file.publish()
                let (count, cuts) = (report.shots.lights.count, report.shots.cuts.starts.count)
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(count) picture\(count == 1 ? "" : "s"), "
                        + "\(cuts) shot\(cuts == 1 ? "" : "s")",
                    json: [("pictures", .integer(count)), ("shots", .integer(cuts))])
            })
    }

    static let title = Option.value("--title", "TEXT", help: "title above the plot; default: the input's name")

    /// Times of pictures that no file has: 24 a second.
    static func times(_ count: Int) -> [UInt64] { (0..<count).map { UInt64($0) * 1_000_000_000 / 24 } }
}
