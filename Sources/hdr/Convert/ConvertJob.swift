import HDRExport
import HDRPipeline

/// The conversion of one file.
struct ConvertJob {
    let input: FileName
    let output: FileName
    let target: ConvertTarget
    let converter: ConverterOptions
    let assumed: String?
    let part: TimeRange
    let speed: String?
    let makesPicture: Bool
    let isQuiet: Bool

    struct Summary: FileSummary {
        let export: ExportSummary
        let picture: String?

        var notes: [String] { export.notes }
        var plan: [String] { export.plan }
        var line: String { export.line }
        var details: String { picture.map { Output.printable($0) + "\n" } ?? "" }
        var json: [(String, JSON)] { export.json }
    }

    func run() async throws -> Summary {
        let source = try await Source(input, assumed: assumed)
        let (transfer, orientation) = try facts(source.probe, source.still)
        let file = try OutputFile(output, prefix: "convert")
        let element = try converter.make()
        let length = duration(source.probe)
        let pair = makesPicture ? try FramePair(element, duration: length) : nil
        let run = try exportRun(to: file, source, element, orientation)
        let progress = ProgressLine(quiet: isQuiet)
        progress.duration = length
        var outcome = try await run.run(progress)
        let picture = try await picture(pair, orientation)
        // All files are published together, so an interruption before that leaves none.
        try OutputFile.publish([file] + picture.files)
        if let failure = picture.failure { throw failure }
        note(transfer, of: source.probe, in: &outcome.report)
        let export = ExportSummary(
            input: input, output: output, what: "\(transfer) to \(target.title)", report: outcome.report,
            count: outcome.count, elapsed: progress.elapsed, sound: outcome.sound)
        return Summary(export: export, picture: picture.line)
    }

    /// The plan of the work, as far as the beginning of the source shows it; nothing is written.
    func plan() async throws -> WorkPlan {
        let source = try await Source(input, assumed: assumed)
        let (transfer, orientation) = try facts(source.probe, source.still)
        var outcome = try await exportRun(to: nil, source, try converter.make(), orientation).plan()
        note(transfer, of: source.probe, in: &outcome.report)
        return WorkPlan(
            lines: outcome.report.plan, notes: outcome.report.notes, preset: "\(transfer) to \(target.title)",
            sound: outcome.sound)
    }

    /// The source: a video, or a picture.
    private struct Source {
        let still: StillInput?
        let probe: FileProbe?

        init(_ input: FileName, assumed: String?) async throws {
            still = StillInput.isPicture(input) ? try await StillInput(input, assumed: assumed) : nil
            probe = still == nil ? try await FileProbe(input, assumed: assumed) : nil
        }
    }

    /// Completes the exporter's report: it gets converted pictures and does not know what they were before.
    private func note(_ transfer: String, of probe: FileProbe?, in report: inout ExportReport) {
        report.replace(" as the source", with: ", converted from \(transfer)", in: "color: ")
        guard let names = probe?.info.dynamicText else { return }
        // The exporter advises to copy, which would not convert.
        report.forgetLostMetadata()
        report.note("the \(names) metadata of \(input.shown) were applied to each picture")
    }

    /// The duration of the output in ns; `nil` where it is unknown.
    private func duration(_ probe: FileProbe?) -> UInt64? {
        guard let probe else { return UInt64(StillInput.seconds) * Time.second }
        return part.length(of: probe.info.duration)
    }

    private func exportRun(
        to file: OutputFile?, _ source: Source, _ element: Element, _ orientation: String?
    ) throws -> ExportRun {
        var run = ExportRun(input: input, target: file, settings: settings, preset: target.preset)
        run.assumed = assumed
        run.range = part
        run.still = source.still?.sample
        run.keepsSound = true
        run.filters = try filters(element, source.probe, orientation, isStill: source.still != nil)
        return run
    }

    private var settings: ExportOptions.Properties {
        let type = (try? FileType(named: String(output.ending.dropFirst()))) ?? .mp4
        var settings: ExportOptions.Properties = [("preset", target.preset), ("file-type", type.rawValue)]
        if let speed { settings.append(("speed-preset", speed)) }
        return settings
    }

    /// The source's dynamic range in a word, and its rotation.
    private func facts(_ probe: FileProbe?, _ still: StillInput?) throws(Failure) -> (String, String?) {
        guard let probe else {
            return (still?.sample.format?["colorimetry", as: String.self] == "1:1:14:7" ? "PQ" : "HLG", nil)
        }
        guard probe.video != nil else {
            throw Failure("\(input.shown) has no video track: give a file with HDR video")
        }
        let transfer = probe.info.transfer
        if target.isSDR, transfer == "unknown" {
            throw Failure(
                "\(input.shown) does not say that it is HDR, its video has no transfer function: if you know that it "
                    + "is PQ or HLG, add --assume pq or --assume hlg (Dolby Vision profile 5 is neither: it needs "
                    + "its metadata, which this file has not)"
            )
        }
        guard transfer.lowercased() != target.title.lowercased() else {
            throw Failure(
                "\(input.shown) is \(transfer) already, there is nothing to convert: if its tags are wrong, add "
                    + "--assume pq or --assume hlg")
        }
        return (transfer == "unknown" ? "SDR" : transfer, probe.info.orientation)
    }

    /// The elements through which pictures pass before the encoder.
    private func filters(
        _ converter: Element, _ probe: FileProbe?, _ orientation: String?, isStill: Bool
    ) throws -> [Element] {
        let caps = orientation == nil ? target.caps.upright : target.caps.turned
        var filters: [Element] = []
        if let format: String = probe?.video?["format"],
            !(try converter.pad("sink").accepts("video/x-raw,format=\(format)"))
        {
            filters.append(try Element(make: "videoconvert", ["n-threads": 0]))
        }
        filters += [
            try Element(make: "queue", ["max-size-buffers": 4, "max-size-time": 0, "max-size-bytes": 0]), converter,
            try Element(make: "capsfilter", ["caps": caps]),
        ]
        // Not every player rotates a picture as the file requests.
        if orientation != nil {
            let turn = try Element(make: "videoflip", ["video-direction": "auto"])
            try turn.pad("src").dropTags(of: "image-orientation")
            filters.append(turn)
        }
        if isStill {
            // Converted once, shown for a while.
            filters += [
                try Element(make: "imagefreeze", ["num-buffers": StillInput.seconds * StillInput.rate]),
                try Element(make: "capsfilter", ["caps": "video/x-raw,framerate=\(StillInput.rate)/1"]),
            ]
        }
        return filters
    }

    /// The state of the picture beside the video.
    private struct Picture {
        /// The file to publish; empty where there is no picture.
        var files: [OutputFile] = []
        /// Says that it was written.
        var line: String?
        /// Why there is none, which is no reason to throw the video away.
        var failure: Failure?
    }

    private func picture(_ pair: FramePair?, _ orientation: String?) async throws -> Picture {
        guard let frames = pair?.frames else { return Picture() }
        let name = output.stem + ".png"
        do {
            let file = try OutputFile(name, prefix: "convert")
            try await BeforeAfter(before: frames.before, after: frames.after, orientation: orientation).write(file.path)
            let line =
                "Wrote \(name.shown): at \(Time.clock(frames.position)), left without tone mapping, right converted"
            return Picture(files: [file], line: line)
        } catch let interruption as Interruption {
            throw interruption
        } catch {
            let reason = Explanation(source: input.shown, target: name).failure(error)
            return Picture(failure: Failure("\(output.shown) is complete, its picture is not: \(reason)"))
        }
    }
}
