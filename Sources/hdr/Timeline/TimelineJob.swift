import HDRExport
import HDRPipeline

/// The work of `hdr timeline`, from the words of its command line to a file or a preview.
struct TimelineJob {
    private let words: [Options.Word]
    private let strays: StrayWords
    private let asked: ExportOptions
    private let output: FileName?
    private let assumed: String?
    private let rate: FrameGrid?
    private let size: JoinedSize
    private let range: String?
    private let blendSpace: String
    private let part: TimeRange
    private let presenter: String
    private let hasSound: Bool
    private let isForced: Bool
    private let isQuiet: Bool
    private let isJSON: Bool
    private let isDry: Bool
    private let isVerbose: Bool

    static let rangeOption = Option.value(
        "--range", "RANGE",
        help: "dynamic range of the result: auto (default: by the clips, as above), hlg, pq or sdr",
        choices: ["auto", "hlg", "pq", "sdr"])
    static let blendSpaceOption = Option.value(
        "--blend-space", "SPACE",
        help: "linear (default): transitions mix linear light; signal: encoded signals, as most editors do",
        choices: ["linear", "signal"])

    init(_ options: Options) throws {
        words = options.words
        strays = StrayWords(options)
        guard !words.isEmpty else { throw UsageError("name clips, or an edit list: hdr timeline CLIP... -o OUTPUT") }
        asked = try ExportOptions(options)
        guard (try? ExportPreset(named: asked.preset))?.encodesPictures != false else {
            throw UsageError(
                "the preset \(asked.preset) makes no pictures: choose one that encodes them, such as "
                    + ExportOptions.defaultPreset)
        }
        output = options.file("--output")
        assumed = try options.choice(.assume)
        rate = try options.value("--rate").map { text throws(UsageError) in
            guard let grid = FrameGrid(text) else {
                throw UsageError("--rate is no frame rate: '\(text)'; give 25, 24000/1001 or 29.97, from 1 to 1000")
            }
            return grid
        }
        size = try JoinedSize(options.value("--size") ?? "first")
        let wanted = try options.choice(Self.rangeOption)
        range = wanted == "auto" ? nil : wanted
        blendSpace = try options.choice(Self.blendSpaceOption) ?? "linear"
        part = try TimeRange(options)
        presenter = try options.choice(.presenter) ?? "auto"
        hasSound = !options.has("--no-audio")
        isForced = options.has("--force")
        isQuiet = options.has("--quiet")
        isJSON = options.has("--json")
        isDry = options.has("--dry-run")
        isVerbose = options.has("--verbose")
    }

    /// The timeline's name in messages.
    private var name: String { words.count == 1 ? words[0].file.shown : "the timeline" }

    func run() async throws {
        let statements = try EditList.statements(words)
        if case .clip(let clip)? = statements.last?.kind { try strays.check(clip.file) }
        try EditList.check(statements)
        let fileType = try output.map { output in
            let fileType = try asked.fileType(of: output)
            try ExportOptions.check(asked.settings(for: fileType))
            try OutputFile.check(
                output, endings: asked.fileType == nil ? ExportOptions.endings : [],
                inputs: words.filter { $0.file.kind == .file }.map(\.file) + Self.files(statements), force: isForced)
            return fileType
        }
        Interruption.watch()
        let media = try await open(statements)
        let found = statements.compactMap { statement -> TimelineMedia? in
            if case .clip(let clip) = statement.kind { media[clip.file] } else { nil }
        }
        guard !found.isEmpty else { throw Failure("the timeline has no clips: name files, with transitions between") }
        var size = try size.made(of: found.map(\.size), asked, fileType ?? "mov")
        // Chroma has a sample for two columns and two rows.
        size = (max(size.width + size.width % 2, 2), max(size.height + size.height % 2, 2))
        let grid = rate ?? Self.highestRate(of: found)
        var titles: [StillPicture] = []
        for statement in statements {
            guard case .title(let title) = statement.kind else { continue }
            titles.append(try await StillPicture(title, width: size.width, height: size.height))
        }
        let whole = try TimelinePlan(
            statements, media: media, titles: titles, grid: grid, width: size.width, height: size.height)
        let plan = try cut(whole)
        let format = CanvasFormat(found, range: range, preset: output == nil ? nil : asked.preset)
        let report = TimelineReport(plan, range: format.range, output: output)
        if isDry {
            try await tell(plan, format, fileType, report)
        } else if let output, let fileType {
            try await export(plan, format, to: output, fileType, report)
        } else {
            let preview = try TimelinePreview(
                plan, name: name, format, blendSpace: blendSpace, presenter: presenter, hasSound: hasSound,
                quiet: isQuiet || isJSON)
            if isVerbose, !isQuiet, !isJSON { Output.write(report.text) }
            try await preview.run()
            if isJSON { Output.write(report.json([])) }
        }
    }

    /// Says what would be done: the cut, and what the exporter would make of it.
    private func tell(
        _ plan: TimelinePlan, _ format: CanvasFormat, _ fileType: String?, _ report: TimelineReport
    ) async throws {
        var work: WorkPlan?
        if let fileType {
            let run = try TimelineRun(
                plan, name: name, format: format, blendSpace: blendSpace, to: .file(nil, asked.settings(for: fileType)))
            try await run.run { run.report.plan.isEmpty }
            work = WorkPlan(
                lines: run.report.plan, notes: run.report.notes, preset: asked.title,
                sound: run.hasSound ? ["mixed"] : [])
        }
        guard !isJSON else {
            Output.write(report.json(work.map { Self.members($0.json) } ?? []))
            return
        }
        for note in isQuiet ? [] : work?.notes ?? [] { Output.report("hdr timeline: note: \(note)") }
        Output.write(report.text + Batch.indented(work?.text ?? []))
    }

    /// The JSON members of an export, without its plan, which is not that of the timeline.
    private static func members(_ export: [(String, JSON)]) -> [(String, JSON)] {
        export.compactMap { name, value in
            switch name {
            case "preset", "sound", "notes": (name, value)
            case "plan": ("export-plan", value)
            default: nil
            }
        }
    }

    private func export(
        _ plan: TimelinePlan, _ format: CanvasFormat, to output: FileName, _ fileType: String, _ report: TimelineReport
    ) async throws {
        let target = try OutputFile(output, prefix: "timeline")
        let progress = ProgressLine(plan.duration, quiet: isQuiet || isJSON)
        let run = try TimelineRun(
            plan, name: name, format: format, blendSpace: blendSpace, to: .file(target, asked.settings(for: fileType)))
        defer { progress.clear() }
        try await run.run {
            try progress.show(run.count.current, of: "the file")
            return true
        }
        progress.clear()
        try target.publish()
        let summary = ExportSummary(
            input: words[0].file, output: output, what: asked.title, report: run.report, count: run.count.current,
            elapsed: progress.elapsed, sound: run.hasSound ? ["mixed"] : [])
        if isJSON {
            Output.write(report.json(Self.members(summary.json)))
        } else if !isQuiet {
            for note in summary.notes { Output.report("hdr timeline: note: \(note)") }
            let plan = isVerbose ? report.text + Batch.indented(summary.plan) : ""
            Output.write(Output.printable(summary.line) + "\n" + plan + summary.details)
        }
    }

    private static func files(_ statements: [EditStatement]) -> [FileName] {
        statements.compactMap { if case .clip(let clip) = $0.kind { clip.file } else { nil } }
    }

    /// The media of the clips' files, each read once.
    private func open(_ statements: [EditStatement]) async throws -> [FileName: TimelineMedia] {
        var media: [FileName: TimelineMedia] = [:]
        for statement in statements {
            guard case .clip(let clip) = statement.kind, media[clip.file] == nil else { continue }
            do {
                media[clip.file] = try await TimelineMedia.open(clip.file, assumed: assumed)
            } catch let failure as Failure where !failure.description.isEmpty {
                throw statement.place.failure(failure.description)
            }
        }
        return media
    }

    private static func highestRate(of media: [TimelineMedia]) -> FrameGrid {
        let rates = media.compactMap { media -> FrameGrid? in
            guard case .movie(let movie) = media else { return nil }
            return movie.reader.frameRate.flatMap { FrameGrid($0) }
        }
        let highest = rates.max {
            $0.rate.numerator * $1.rate.denominator < $1.rate.numerator * $0.rate.denominator
        }
        return highest ?? Self.usualRate
    }

    /// The default frame rate of timelines of still pictures.
    private static let usualRate = FrameGrid(unchecked: Fraction(30, 1))

    /// The part that `--from` and `--to` name.
    private func cut(_ plan: TimelinePlan) throws -> TimelinePlan {
        guard !part.isWhole else { return plan }
        let first = part.start.map { plan.grid.frames($0) } ?? 0
        let last = min(part.end.map { plan.grid.frames($0) } ?? plan.count, plan.count)
        guard first < last else {
            throw Failure(
                "no picture of the timeline, which is \(Time.exact(plan.duration)) long, lies between --from and --to")
        }
        return plan.part(first..<last)
    }
}
