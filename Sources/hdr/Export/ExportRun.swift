import HDRConcurrency
import HDRPipeline

/// One pass of an export: from a file's tracks through `hdrmux-settings` to a file, or to no output; or only its
/// beginning, to get the exporter's plan without writing anything.
struct ExportRun {
    let input: FileName
    /// The output, with its name for messages; `nil` to measure or to plan only.
    let target: OutputFile?
    let settings: ExportOptions.Properties
    let preset: String
    /// Whether messages may advise other presets.
    var offersPresets = false
    var assumed: String?
    var range: TimeRange?
    /// A picture that takes the place of the file's video.
    var still: Sample?
    /// Whether sound that the file type can hold is copied.
    var keepsSound = false
    /// The elements through which the pictures pass before the encoder.
    var filters: [Element] = []

    struct Outcome {
        var report: ExportReport
        let info: SourceInfo
        let count: ProgressLine.Count
        /// Tracks of sound that were taken, in words.
        let sound: [String]
    }

    /// Sound that has not come for so long since the pictures did is not waited for, in s.
    private static let patience = 0.3

    private var isCopied: Bool { preset == "passthrough" }
    private var isSoundOnly: Bool { preset == "m4a" }

    /// Runs to the end.
    /// - Throws: what went wrong, in a line that names the user's files.
    func run(_ progress: ProgressLine) async throws -> Outcome { try await run(progress, plansOnly: false) }

    /// Gets the exporter's plan, and stops there.
    /// - Throws: the errors of the export, as far as the beginning shows them.
    func plan() async throws -> Outcome { try await run(ProgressLine(quiet: true), plansOnly: true) }

    private func run(_ progress: ProgressLine, plansOnly: Bool) async throws -> Outcome {
        let pipeline = Pipeline()
        let source =
            try still.map { try Self.source(of: $0) }
            ?? FileSource.make(
                input, assumed: assumed, isDecoded: !isCopied, keepsSound: keepsSound, range: range)
        let exporter = try ExportOptions.make(settings)
        try pipeline.add(source)
        try pipeline.add(exporter, try ExportOptions.sink(target))
        try pipeline.add(filters)
        let tracks = Tracks(exporter, filters, takesVideo: !isSoundOnly, takesSound: target != nil || plansOnly)
        let connections = still == nil ? try tracks.connect(source) : []
        if still != nil { try tracks.take(try source.pad("src"), as: "video_0") }
        defer { withExtendedLifetime(connections) {} }
        var report = ExportReport()
        var info = SourceInfo(nil)
        var planned: ContinuousClock.Instant?
        /// Whether all streams have come so far that the exporter would have refused what it cannot export.
        func isPlanned() -> Bool {
            if planned == nil, isSoundOnly ? tracks.hasSoundPassed : !report.plan.isEmpty { planned = .now }
            return planned.map { tracks.hasSoundPassed || .now - $0 > .seconds(Self.patience) } ?? false
        }
        defer { progress.clear() }
        do {
            try await Run.play(
                pipeline, every: .milliseconds(plansOnly ? 10 : 100),
                tick: {
                    try tracks.check(input, isSoundOnly: isSoundOnly, offersPresets: offersPresets)
                    if tracks.isComplete, progress.duration == nil, still == nil {
                        let whole = try FileSource.info(source).duration
                        progress.duration = range.map { $0.length(of: whole) } ?? whole
                    }
                    try progress.show(tracks.count.current, of: input.shown)
                    return !(plansOnly && isPlanned())
                },
                hear: { message in
                    report.hear(message)
                    return true
                },
                end: {
                    try tracks.check(input, isSoundOnly: isSoundOnly, offersPresets: offersPresets)
                    if still == nil { info = try FileSource.info(source) }
                    let count = tracks.count.current
                    // Copies begin at the key frame before, and there is one before every time behind the end.
                    let isBehind = (range?.start).flatMap { start in info.duration.map { start >= $0 } } ?? false
                    if let range, !range.isWhole, isBehind || (isSoundOnly ? count.steps : count.frames) == 0 {
                        throw Failure(Self.nothing(of: input, info))
                    }
                    report.read(levels: try exporter.get("measured-light-levels", as: Structure.self))
                })
        } catch {
            let reason = error as? PipelineError
            // The exporter does not write a file without tracks. GstStreamError's MUX is 10.
            if let range, !range.isWhole, reason?.factory == "hdrmux-settings",
                reason?.code?.domain == "gst-stream-error-quark", reason?.code?.number == 10
            {
                throw Failure(Self.nothing(of: input, (try? FileSource.info(source)) ?? info))
            }
            // hdrsrc reports only that tracks are not linked, and not why.
            if reason?.factory == "hdrsrc" {
                try tracks.check(input, isSoundOnly: isSoundOnly, offersPresets: offersPresets)
            }
            throw Explanation(
                source: input.shown, target: target?.name, deed: "exported", hasPresets: offersPresets || !isCopied
            ).failure(error)
        }
        for note in info.notes { report.note(note) }
        return Outcome(
            report: report, info: info, count: tracks.count.current,
            sound: tracks.sounds.map { isCopied || $0 ? "copied" : "encoded" })
    }

    /// A file without a frame would be worse than an error.
    private static func nothing(of input: FileName, _ info: SourceInfo) -> String {
        let length = info.duration.map { ", which is \(Time.exact($0)) long" } ?? ""
        return "no frame of \(input.shown)\(length), lies between --from and --to"
    }

    private static func source(of still: Sample) throws -> Element {
        let source = try Element(make: "appsrc", ["format": "time"])
        if let format = still.format { try source.set("caps", to: "\(format)") }
        if let buffer = still.buffer { try source.emit("push-buffer", buffer, as: String.self) }
        try source.emit("end-of-stream", as: String.self)
        return source
    }
}

/// The tracks of a file on their way into the exporter, which come when the file has been looked at.
private final class Tracks: Sendable {
    private let exporter: Element
    private let filters: [Element]
    private let takesVideo: Bool
    private let takesSound: Bool
    private let state = Locked(State())
    let count = Locked(ProgressLine.Count())

    private struct State {
        var hasVideo = false
        /// Whether each track of sound comes as packets.
        var sounds: [Bool] = []
        /// The number of buffers that have arrived, by audio track.
        var soundBuffers: [Int] = []
        var isComplete = false
        var failure: PipelineError?
    }

    init(_ exporter: Element, _ filters: [Element], takesVideo: Bool, takesSound: Bool) {
        self.exporter = exporter
        self.filters = filters
        self.takesVideo = takesVideo
        self.takesSound = takesSound
    }

    /// Whether all tracks are known.
    var isComplete: Bool { state.current.isComplete }
    /// Whether each track of sound comes as packets.
    var sounds: [Bool] { state.current.sounds }

    /// Whether the exporter has taken a buffer of each track of sound, which is so when the next one comes.
    var hasSoundPassed: Bool {
        let state = state.current
        return state.isComplete && state.soundBuffers.allSatisfy { $0 > 1 }
    }

    func connect(_ source: Element) throws(PipelineError) -> [SignalConnection] {
        [
            try source.on("pad-added") { [self] arguments in
                guard let pad: Pad = arguments[0] else { return }
                do throws(PipelineError) {
                    try take(pad, as: pad.name)
                } catch {
                    state.withLock { $0.failure = $0.failure ?? error }
                }
            },
            try source.on("no-more-pads") { [self] _ in state.withLock { $0.isComplete = true } },
        ]
    }

    /// - Parameter name: the name of the exporter's pad.
    func take(_ pad: Pad, as name: String) throws(PipelineError) {
        let isVideo = name.hasPrefix("video")
        guard isVideo ? takesVideo : takesSound else { return }
        let entry = try exporter.request(name)
        if isVideo, let first = filters.first, let last = filters.last {
            try last.pad("src").link(to: entry)
            try pad.link(to: first.pad("sink"))
        } else {
            try pad.link(to: entry)
        }
        // Pictures that are repeated count as often as they are shown.
        let counted = isVideo ? try filters.last?.pad("src") ?? pad : pad
        let counts = isVideo || !takesVideo
        let track = state.withLock { state -> Int? in
            guard !isVideo else {
                state.hasVideo = true
                return nil
            }
            state.sounds.append(pad.format?.name != "audio/x-raw")
            state.soundBuffers.append(0)
            return state.sounds.count - 1
        }
        counted.watch { [count, state] pad, buffer in
            let time = pad.runningTime(of: buffer)
            // Pictures of a copy that are shown before its beginning are not in the file.
            if isVideo, time == nil, buffer.time != nil { return .pass }
            let end = counts ? (time ?? 0).plus(buffer.duration ?? 0) : 0
            count.withLock { $0.note(end, isFrame: isVideo) }
            if let track { state.withLock { $0.soundBuffers[track] += 1 } }
            return .pass
        }
    }

    /// Throws where a track could not be taken, and where there is none to take.
    func check(_ input: FileName, isSoundOnly: Bool, offersPresets: Bool) throws {
        let state = state.current
        if let failure = state.failure { throw failure }
        guard state.isComplete else { return }
        if isSoundOnly, state.sounds.isEmpty {
            throw Failure("\(input.shown) has no sound that can be exported: choose a preset with pictures")
        }
        if takesVideo, !state.hasVideo {
            guard offersPresets else { throw Failure.noVideo(input.shown) }
            throw Failure("\(input.shown) has no video track: give a file with HDR video, or choose the preset m4a")
        }
    }
}
