import HDRPipeline

/// The export of one file, after a measuring pass where one is requested.
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
    /// Whether the user has set the light levels.
    let hasLevels: Bool
    let isQuiet: Bool

    struct Result {
        let outcome: ExportRun.Outcome
        let elapsed: Double
    }

    func run() async throws -> Result {
        let file = try OutputFile(output, prefix: "export")
        var settings = options.settings(for: try options.fileType(of: output))
        var blackNote: String?
        if measuresFirst { (settings, blackNote) = try await measured(settings) }
        let progress = ProgressLine(quiet: isQuiet, label: measuresFirst ? "pass 2 of 2: " : "")
        var outcome = try await export(to: file, settings, options.preset).run(progress)
        if let blackNote { outcome.report.note(blackNote) }
        try file.publish()
        return Result(outcome: outcome, elapsed: progress.elapsed)
    }

    /// The plan of the work, as far as the beginning of the source shows it; nothing is written.
    func plan() async throws -> WorkPlan {
        var settings = options.settings(for: try options.fileType(of: output))
        if wantsLevels { try await checkLevels(settings) }
        // A copy cannot ask for what only the first pass measures.
        if measuresFirst, !hasLevels, options.preset != "passthrough" {
            settings.append(("content-light-level-info", "auto"))
        }
        let outcome = try await export(to: nil, settings, options.preset).plan()
        let notes = outcome.report.notes.filter { !measuresFirst || !$0.hasPrefix(Self.noLevels) }
        return WorkPlan(lines: outcome.report.plan, notes: notes, preset: options.title, sound: outcome.sound)
    }

    private func export(
        to file: OutputFile?, _ settings: ExportOptions.Properties, _ preset: String
    ) -> ExportRun {
        ExportRun(
            input: input, target: file, settings: settings, preset: preset, offersPresets: options.hasChoice,
            assumed: assumed, range: range)
    }

    /// The first of two passes: encodes as fast as it can, and keeps the light alone.
    private func firstPass(_ settings: ExportOptions.Properties) -> ExportRun {
        var fast = settings.filter { !["content-light-level-info", "speed-preset"].contains($0.name) }
        var preset = options.preset
        if preset == "passthrough" {
            preset = Self.measuringPreset
            fast = fast.filter { ["file-type", "enable-hardware-acceleration"].contains($0.name) }
            fast.insert(("preset", preset), at: 0)
        }
        fast += [("content-light-level-info", "auto"), ("speed-preset", "ultrafast")]
        return export(to: nil, fast, preset)
    }

    /// The start of the exporter's warning that its output has no light levels to measure.
    private static let noLevels = "content-light-level-info=auto has no effect on "

    /// Whether there will be light levels shows at the beginning, and not only when all has been measured.
    private func checkLevels(_ settings: ExportOptions.Properties) async throws {
        let notes = try await firstPass(settings).plan().report.notes
        guard let note = notes.first(where: { $0.hasPrefix(Self.noLevels) }) else { return }
        guard note.dropFirst(Self.noLevels.count).hasPrefix("HLG") else {
            throw Failure(
                "what \(input.shown) becomes is SDR, which has no light levels: leave --two-pass-light-levels out")
        }
        throw Failure(
            "what \(input.shown) becomes is HLG, whose light is relative to the display, so that it has no light "
                + "levels of its own: give --light-levels MaxCLL:MaxFALL, as hdr light has them for a display of "
                + "1000 cd/m2")
    }

    /// - Returns: the settings of the second pass: light levels where there is HDR to be written, and the scenes where
    ///   pictures are tone-mapped; and what a user should know.
    private func measured(
        _ settings: ExportOptions.Properties
    ) async throws -> (ExportOptions.Properties, note: String?) {
        if wantsLevels { try await checkLevels(settings) }
        let report = try await firstPass(settings).run(ProgressLine(quiet: isQuiet, label: "pass 1 of 2: ")).report
        var result = settings
        var note: String?
        // Levels of 0 mean that there are none (CTA-861.3, Annex A).
        let levels = report.levels.flatMap { $0.maximum > 0 ? $0 : nil }
        if let levels, !hasLevels {
            result.removeAll { $0.name == "content-light-level-info" }
            result.append(("content-light-level-info", "\(levels.maximum):\(levels.average)"))
        } else if levels == nil, wantsLevels {
            throw Failure(
                report.levels == nil
                    ? "the light of \(input.shown) could not be measured: give --light-levels MaxCLL:MaxFALL instead"
                    : "\(input.shown) is black, and light levels of 0 say nothing: leave --two-pass-light-levels out")
        } else if report.levels != nil, !hasLevels {
            note = "\(input.shown) is black, and light levels of 0 say nothing: what was measured is not written"
        }
        if let scenes = report.sceneLight { result.append(("scene-light", scenes)) }
        return (result, note)
    }
}
