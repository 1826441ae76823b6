import HDRExport
import HDRPipeline

/// `hdr concat`: joins clips of any dynamic range.
enum ConcatCommand: Command {
    static let name = "concat"
    static let summary = "joins clips of any dynamic range, size and frame rate into one file"

    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: ["hdr concat [OPTION ...] CLIP... -o OUTPUT"],
        about: """
            Joins clips one after another into one file, whatever their dynamic range, size and frame rate. All become
            HLG if one of them is HLG, else PQ if one is PQ, else SDR: each is converted in linear light, and the file
            has one set of colour tags. H.264 presets convert all to SDR. Every frame of every clip is kept and shown as
            long as in its clip. The sound is joined too, with silence where a clip has none. CLIP is a video
            file, such as MOV, MP4, Matroska, MPEG-TS or Y4M, or a folder of such; a file may be named repeatedly.
            """,
        groups: [
            .init(options: [
                .outputFile,
                .value(
                    "--preset", "PRESET",
                    help: """
                        export preset (see hdr export --list); default hevc-highest-quality. passthrough and m4a
                        cannot join pictures
                        """,
                    choices: ExportPreset.allCases.filter(\.encodesPictures).map(\.rawValue)),
                .value(
                    "--size", "SIZE",
                    help: """
                        size of the picture: that of the largest (default) or first clip, or WIDTHxHEIGHT. Clips
                        of other shapes get black borders. The size of a preset limits it
                        """),
                .assume, .presetFile, .fileType, .settings, .speed, .encoder, .software, .optimizeForNetwork,
                .dynamicMetadata,
                .noHDRMetadata,
            ]),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Examples:
              hdr concat intro.mov main.mkv end.mp4 -o film.mov
              hdr concat --preset prores-422 --size 3840x2160 clips/ -o film.mov

            JSON, an array with one object: output, clips (a list), preset, frames, seconds, sound (a list), plan (a
            list), notes (a list); error in place of all but output and clips where it failed. With --dry-run without
            frames and seconds.

            Exit status: 0 joined; 1 an error, which one line on standard error explains; 2 the command line is wrong;
            128 and the signal's number where it was interrupted. OUTPUT is there only when it is whole.
            """)

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        let asked = try ExportOptions(options)
        let size = try JoinedSize(options.value("--size") ?? "largest")
        let assumed = try options.choice(.assume)
        guard (try? ExportPreset(named: asked.preset))?.encodesPictures != false else {
            throw UsageError(
                "the preset \(asked.preset) joins no pictures: choose one that encodes them, such as "
                    + ExportOptions.defaultPreset)
        }
        guard let output = options.file("--output") else {
            let advice = StrayWords(options).any.map { "; \($0)" } ?? ""
            throw UsageError("name the file to write: -o OUTPUT\(advice)")
        }
        let files = try Inputs(options.words).files
        guard !files.isEmpty else { throw UsageError("name the clips to be joined: hdr concat CLIP... -o OUTPUT") }
        let fileType = try asked.fileType(of: output)
        try asked.check(fileType)
        // A wrong name is a better reason than anything about the output.
        for file in files { try InputCheck.check(file) }
        try OutputFile.check(
            output, endings: asked.fileType == nil ? ExportOptions.endings : [], inputs: files,
            force: options.has("--force"))
        let isQuiet = options.has("--quiet")
        Interruption.watch()
        var clips: [ClipReader] = []
        for file in files {
            let clip = ClipReader(
                file: file, probe: try await FileProbe(file, assumed: assumed), assumed: assumed)
            guard clip.probe.video != nil else {
                throw Failure("\(file.shown) has no video track: give a file with HDR video")
            }
            clips.append(clip)
        }
        let settings = try resized(asked, fileType, try size.made(of: clips.map(\.uprightSize), asked, fileType))
        try ExportOptions.check(settings)
        if options.has("--dry-run") {
            let run = try ConcatRun(clips, to: nil, settings)
            try await run.run(ProgressLine(quiet: true))
            let plan = WorkPlan(
                lines: run.report.plan, notes: run.report.notes, preset: asked.preset,
                sound: run.hasSound ? ["joined"] : [])
            if options.has("--json") {
                Output.write(described(output, files, plan.json))
            } else {
                for note in isQuiet ? [] : plan.notes { Output.report("hdr concat: note: \(note)") }
                let names = files.map(\.shown).joined(separator: ", ")
                let line = "\(names) to \(output.shown): preset \(asked.preset), file type \(fileType)\n"
                Output.write(line + Batch.indented(plan.text))
            }
            return 0
        }
        let target = try OutputFile(output, prefix: "concat")
        let isSilent = isQuiet || options.has("--json")
        let durations = clips.compactMap(\.probe.info.duration)
        let progress = ProgressLine(
            durations.count == clips.count ? durations.reduce(0) { $0.addingReportingOverflow($1).partialValue } : nil,
            quiet: isSilent)
        let run = try ConcatRun(clips, to: target, settings)
        try await run.run(progress)
        try target.publish()
        let summary = ExportSummary(
            input: files[0], output: output, what: "\(clips.count) clips", report: run.report,
            count: run.count.current, elapsed: progress.elapsed, sound: run.hasSound ? ["joined"] : [])
        if options.has("--json") {
            Output.write(
                described(output, files, [("preset", .string(asked.preset))] + summary.json.dropFirst()))
        } else if !isSilent {
            for note in summary.notes { Output.report("hdr concat: note: \(note)") }
            let plan = options.has("--verbose") ? Batch.indented(summary.plan) : ""
            Output.write(Output.printable(summary.line) + "\n" + plan + summary.details)
        }
        return 0
    }

    static func json(_ options: Options, failed reason: String) -> JSON {
        described(options.file("--output"), options.words.map(\.file), [("error", .string(reason))])
    }

    /// An array with the one object that begins with the names.
    private static func described(_ output: FileName?, _ clips: [FileName], _ members: [(String, JSON)]) -> JSON {
        let names: [(String, JSON)] = [
            ("output", .text(output?.shown)), ("clips", .array(clips.map { .string($0.shown) })),
        ]
        return .array([.object(names + members)])
    }

    /// Settings with which all clips become as large as the picture, with borders where their shape differs.
    private static func resized(
        _ asked: ExportOptions, _ fileType: String, _ size: (width: Int, height: Int)
    ) throws -> ExportOptions.Properties {
        var settings = asked.settings(for: fileType)
        let given = settings.first { $0.name == "settings" }?.value as? Structure
        settings.removeAll { $0.name == "settings" }
        var text = "settings"
        for field in given?.fields ?? [] { text += ", \(field)=\(given?.typed(field) ?? "")" }
        if !(given?.fields.contains { ["width", "height"].contains($0) } ?? false) {
            text += ", width=(int)\(size.width), height=(int)\(size.height)"
        }
        if !(given?.fields.contains("scaling-mode") ?? false) { text += ", scaling-mode=(string)resize-aspect" }
        return settings + [("settings", try Structure(text))]
    }
}
