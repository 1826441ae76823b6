import HDRConcurrency
import HDRPipeline

/// Plays a timeline into a file or on a display: opens its clips as they come, and never more than a few at once.
final class TimelineRun {
    /// The destination of pictures and audio.
    enum Goal {
        /// - Parameter file: the output; `nil` to get the exporter's plan, and to stop there.
        case file(OutputFile?, ExportOptions.Properties)
        /// - Parameter sink: an `edrsink`.
        case display(sink: Element, hasSound: Bool)
    }

    /// How long before its first picture a clip is opened, in ns.
    private static let lead: UInt64 = 1_000_000_000
    /// The maximum number of clips that are opened before they are needed.
    private static let most = 6

    private let plan: TimelinePlan
    private let name: String
    private let target: OutputFile?
    let pipeline = Pipeline()
    private let canvas: CompositorCanvas
    private let gate: LayerGate
    private let sound: MixedSound?
    private let soundFeed: Element?
    /// The feeds in the order of the layers' starts.
    private let feeds: [LayerFeed]
    private let heard = Locked(ExportReport())
    let count = Locked(ProgressLine.Count())

    var hasSound: Bool { sound != nil }
    var report: ExportReport { heard.current }

    /// - Parameters:
    ///   - name: of the timeline in messages.
    ///   - format: of the canvas.
    init(_ plan: TimelinePlan, name: String, format: CanvasFormat, blendSpace: String, to goal: Goal) throws {
        (self.plan, self.name) = (plan, name)
        canvas = try CompositorCanvas(pipeline, plan.grid, range: format.range, blendSpace: blendSpace)
        let filter = try Element(make: "capsfilter", ["caps": format.caps(plan)])
        try pipeline.add(canvas.compositor, filter)
        let layers = Dictionary(uniqueKeysWithValues: plan.layers.enumerated().map { ($0.offset, $0.element) })
        gate = LayerGate(layers.mapValues(\.start))
        let sounds = plan.layers.compactMap { $0.movie?.reader.probe.sound.first }
        let soundFormat = sounds.isEmpty ? nil : JoinedSound.Format(sounds)
        let feed = try soundFormat.map { format in
            try Element(
                make: "appsrc",
                ["format": "time", "caps": format.caps, "max-buffers": 0, "max-bytes": 0, "max-time": 0])
        }
        switch goal {
        case .file(let file, let settings):
            target = file
            soundFeed = feed
            let clips = Dictionary(
                plan.layers.compactMap { $0.movie?.reader }.map { ($0.file, $0.probe.info) }, uniquingKeysWith: { $1 })
            for note in SourceInfo.losses(of: Array(clips.values)) { heard.withLock { $0.note(note) } }
            let exporter = try ExportOptions.make(
                settings + format.metadata(of: plan.layers.compactMap { $0.movie?.reader.probe }, settings))
            try pipeline.add(exporter, try ExportOptions.sink(file))
            try filter.pad("src").link(to: exporter.request("video_0"))
            if let feed {
                try pipeline.add(feed)
                try feed.pad("src").link(to: exporter.request("audio_0"))
            }
        case .display(let sink, let hasSound):
            target = nil
            soundFeed = hasSound ? feed : nil
            let queue = try Element(make: "queue", ["max-size-buffers": 8, "max-size-bytes": 0, "max-size-time": 0])
            try pipeline.add(queue, sink)
            try filter.link(to: queue)
            if hasSound, let feed {
                try pipeline.add(
                    feed, try Element(make: "queue"), try Element(make: "audioconvert"),
                    try Element(make: "audioresample"), try Element(make: "autoaudiosink"))
            }
        }
        let movies = layers.filter { $0.value.movie?.hasSound ?? false }
        let sound: MixedSound? =
            if let soundFormat, let soundFeed {
                MixedSound(soundFormat, movies, count: plan.count, plan.grid, into: soundFeed)
            } else {
                nil
            }
        self.sound = sound
        feeds = plan.layers.enumerated().map { [canvas, gate] in
            LayerFeed($0.offset, $0.element, plan.grid, canvas, gate, sound)
        }
        try filter.pad("src").watch { [count] pad, buffer in
            count.withLock { $0.note((pad.runningTime(of: buffer) ?? 0).plus(buffer.duration ?? 0)) }
            return .pass
        }
    }

    /// Plays to the end.
    /// - Parameter tick: called now and then; whether to go on.
    func run(_ tick: () throws -> Bool) async throws {
        var tasks: [Int: Task<Void, Never>] = [:]
        let halt = { @Sendable [gate, sound, pipeline] in
            gate.stop()
            sound?.stop()
            _ = try? pipeline.begin(.null)
        }
        do {
            var opened = 0
            var shown = 0
            var hasAllSound = false
            try await Run.play(
                pipeline, every: .milliseconds(10),
                tick: {
                    try gate.check()
                    opened = open(opened, shown, &tasks, halt)
                    let frame = count.current.frames
                    try sound?.advance(to: frame)
                    for feed in feeds[..<opened] {
                        if case .still(let picture) = feed.layer.content, !feed.hasEnded { try feed.show(picture) }
                    }
                    if frame >= plan.count, !hasAllSound, sound?.isWhole ?? true {
                        hasAllSound = true
                        try soundFeed?.emit("end-of-stream", as: String.self)
                    }
                    // Clips that were shown a moment ago are no longer needed.
                    for feed in feeds[..<opened] where feed.hasEnded && feed.layer.end + 2 < frame { feed.close() }
                    shown = frame
                    return try tick()
                },
                hear: { [heard] message in
                    heard.withLock { $0.hear(message) }
                    return true
                }, stop: halt)
        } catch {
            for task in tasks.values { await task.value }
            // The clip's own error is the cause of the later ones.
            if !(error is Interruption) { try gate.check() }
            // The sink's error already names the sink.
            if let error = error as? PipelineError, error.factory == "edrsink" { throw Failure(error.message) }
            throw Explanation(source: name, target: target?.name, deed: "made").failure(error)
        }
        for task in tasks.values { await task.value }
    }

    /// Opens the layers that are needed soon.
    /// - Parameters:
    ///   - opened: how many are open.
    ///   - shown: how many pictures of the timeline have passed.
    /// - Returns: how many are open then.
    private func open(
        _ opened: Int, _ shown: Int, _ tasks: inout [Int: Task<Void, Never>], _ halt: @escaping @Sendable () -> Void
    ) -> Int {
        var opened = opened
        while opened < feeds.count {
            let feed = feeds[opened]
            let isDue = feed.layer.start <= shown + 3
            let active = feeds[..<opened].filter { $0.layer.movie != nil && !$0.hasEnded }.count
            guard isDue || (feed.layer.start <= shown + plan.grid.frames(Self.lead) && active < Self.most) else {
                break
            }
            if case .movie(let movie, let from) = feed.layer.content {
                let (gate, heard, target) = (gate, heard, target?.name)
                tasks[feed.number] = Task {
                    do {
                        try await feed.play(
                            movie, from: from, hear: { message in heard.withLock { $0.hear(message) } }, halt: halt)
                    } catch {
                        gate.fail(
                            Explanation(source: movie.reader.file.shown, target: target, deed: "played")
                                .failure(error))
                    }
                }
            }
            opened += 1
        }
        return opened
    }
}
