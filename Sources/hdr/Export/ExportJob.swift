import HDRPipeline

/// The export of one file, with the pass that measures it first where that is asked for.
struct ExportJob {
    /// Measures the light of a source that is only copied.
    private static let measuringPreset = "hevc-highest-quality"

    let input: FileName
    let output: FileName
    let options: ExportOptions
    let assumed: String?
    let range: TimeRange
    let measuresFirst: Bool
    /// Whether a source without light levels is an error.
    let wantsLevels: Bool
    /// Whether the user has said what the light levels are.
    let hasLevels: Bool
    let isQuiet: Bool

    struct Result {
        let outcome: ExportRun.Outcome
        let elapsed: Double
    }

    func run() async throws -> Result {
        let file = try OutputFile(output, prefix: "export")
        var settings = options.settings(for: try options.fileType(of: output))
        if measuresFirst { settings = try await measured(settings) }
        let progress = ProgressLine(quiet: isQuiet, label: measuresFirst ? "pass 2 of 2: " : "")
        let run = ExportRun(
            input: input, target: file, settings: settings, preset: options.preset, offersPresets: options.hasChoice,
            assumed: assumed, range: range)
        let outcome = try await run.run(progress)
        try file.publish()
        return Result(outcome: outcome, elapsed: progress.elapsed)
    }

    /// The first of two passes: encodes as fast as it can, and keeps the light alone.
    /// - Returns: the settings of the second: light levels where there is HDR to be written, and the scenes where
    ///   pictures are tone-mapped.
    private func measured(_ settings: ExportOptions.Properties) async throws -> ExportOptions.Properties {
        var fast = settings.filter { !["content-light-level-info", "speed-preset"].contains($0.name) }
        var preset = options.preset
        if preset == "passthrough" {
            preset = Self.measuringPreset
            fast = fast.filter { ["file-type", "enable-hardware-acceleration"].contains($0.name) }
            fast.insert(("preset", preset), at: 0)
        }
        fast += [("content-light-level-info", "auto"), ("speed-preset", "ultrafast")]
        let progress = ProgressLine(quiet: isQuiet, label: "pass 1 of 2: ")
        let run = ExportRun(
            input: input, target: nil, settings: fast, preset: preset, offersPresets: options.hasChoice,
            assumed: assumed, range: range)
        let report = try await run.run(progress).report
        if report.levels == nil, wantsLevels {
            throw Failure(
                "the light of \(input.shown) could not be measured: give --light-levels MaxCLL:MaxFALL instead")
        }
        var result = settings
        if let levels = report.levels, !hasLevels {
            result.removeAll { $0.name == "content-light-level-info" }
            result.append(("content-light-level-info", "\(levels.maximum):\(levels.average)"))
        }
        if let scenes = report.sceneLight { result.append(("scene-light", scenes)) }
        return result
    }
}
