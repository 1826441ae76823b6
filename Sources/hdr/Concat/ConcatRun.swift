import HDRConcurrency
import HDRExport
import HDRPipeline

/// Joins clips: decodes them one after another, and feeds `hdrmux-settings` with one video and one sound.
final class ConcatRun {
    /// Durations of pictures above this, in ns, count as errors of the file.
    private static let longestPicture = 3600 * Time.second

    private let clips: [ClipReader]
    /// The output; `nil` to plan only.
    private let target: OutputFile?
    private let pipeline = Pipeline()
    private let exporter: Element
    private let video: Element
    private let sound: JoinedSound?
    private let soundFeed: Element?
    private let rate: Fraction
    private let pictures: Locked<Pictures>
    let count = Locked(ProgressLine.Count())
    private(set) var report = ExportReport()

    var hasSound: Bool { sound != nil }

    /// The pictures of the current clip on their way.
    private struct Pictures {
        var base: UInt64 = 0
        var first: UInt64?
        var end: UInt64 = 0
        var format: String?
        var failure: PipelineError?
    }

    /// - Parameters:
    ///   - target: what is written to; `nil` to have the exporter plan, and to stop there.
    ///   - settings: of `hdrmux-settings`.
    init(_ clips: [ClipReader], to target: OutputFile?, _ settings: ExportOptions.Properties) throws {
        self.clips = clips
        self.target = target
        pictures = Locked(Pictures())
        // One rate for all, or the encoder would begin anew with each clip; frames keep their times.
        rate =
            clips.compactMap(\.frameRate).max {
                $0.numerator * $1.denominator < $1.numerator * $0.denominator
            } ?? Fraction(30, 1)
        let probes = clips.map(\.probe)
        exporter = try ExportOptions.make(
            settings + [("mixed-sources", Self.mixedSources(probes))] + Self.metadata(of: probes, settings))
        try pipeline.add(exporter, try ExportOptions.sink(target))
        video = try Self.feed("video_0", buffers: 4, pipeline, exporter)
        let sounds = clips.compactMap { $0.probe.sound.first }
        if sounds.isEmpty {
            (sound, soundFeed) = (nil, nil)
        } else {
            let feed = try Self.feed("audio_0", buffers: 0, pipeline, exporter)
            let format = JoinedSound.Format(sounds)
            try feed.set("caps", to: format.caps)
            (sound, soundFeed) = (JoinedSound(format, into: feed), feed)
        }
    }

    /// - Parameter buffers: that may wait; 0 for any number, where the feed is bounded otherwise.
    private static func feed(
        _ pad: String, buffers: Int, _ pipeline: Pipeline, _ exporter: Element
    ) throws -> Element {
        let feed = try Element(
            make: "appsrc",
            ["format": "time", "block": buffers > 0, "max-buffers": buffers, "max-bytes": 0, "max-time": 0])
        try pipeline.add(feed)
        try feed.pad("src").link(to: try exporter.request(pad))
        return feed
    }

    /// Whether planning is complete and was all that was requested.
    private var hasPlanned: Bool { target == nil && !report.plan.isEmpty }

    func run(_ progress: ProgressLine) async throws {
        defer {
            sound?.stop()
            _ = try? pipeline.begin(.null)
            progress.clear()
        }
        let messages = Locked<[Message]>([])
        let listener = Task { [stream = pipeline.messages] in
            for await message in stream { messages.withLock { $0.append(message) } }
        }
        defer { listener.cancel() }
        /// Handles the exporter's messages since the last call; throws its error.
        func hearExporter() throws {
            let new = messages.withLock { list in
                defer { list = [] }
                return list
            }
            for message in new {
                if case .error(let error) = message.kind {
                    throw Explanation(source: "the clips", target: target?.name, deed: "joined").failure(error)
                }
                report.hear(message)
            }
        }
        for note in SourceInfo.losses(of: clips.map(\.probe.info)) { report.note(note) }
        try pipeline.begin(.playing)
        for clip in clips {
            try await join(clip) {
                try hearExporter()
                if let failure = self.pictures.current.failure { throw failure }
                try progress.show(self.count.current, of: "the file")
                return !self.hasPlanned
            }
            if hasPlanned { return }
        }
        try video.emit("end-of-stream", as: String.self)
        try soundFeed?.emit("end-of-stream", as: String.self)
        do {
            try await Run.play(
                pipeline,
                tick: {
                    try progress.show(self.count.current, of: "the file")
                    return true
                })
        } catch {
            throw Explanation(source: "the clips", target: target?.name, deed: "joined").failure(error)
        }
        try hearExporter()
    }

    /// The caps of all clips, each with the names of its dynamic metadata.
    static func mixedSources(_ clips: [FileProbe]) -> String {
        clips.compactMap { clip -> String? in
            guard let video = clip.video else { return nil }
            var text = "\(video)"
            if text.hasSuffix(";") { text.removeLast() }
            let formats = DynamicMetadataFormat.allCases.filter { clip.info.dynamicMetadata.contains($0.title) }
            let names = formats.map(\.rawValue).joined(separator: ", ")
            return text + (names.isEmpty ? ";" : ", dynamic-hdr-metadata=(string){ \(names) };")
        }.joined(separator: " ")
    }

    /// The metadata of the joined pictures besides those of `mixed-sources`: the first ambient viewing environment of a
    /// clip.
    static func metadata(
        of clips: [FileProbe], _ settings: ExportOptions.Properties
    ) -> ExportOptions.Properties {
        func given(_ name: String) -> String? { settings.first { $0.name == name }.map { "\($0.value)" } }
        guard given("preset")?.hasPrefix("hevc") == true else { return [] }
        var added: ExportOptions.Properties = []
        if let ambient = clips.lazy.compactMap(\.info.ambientViewing).first,
            given("ambient-viewing-environment") == nil, given("hdr-metadata-insertion-mode") != "none",
            given("settings").map({ !$0.contains("color") && !$0.contains("ambient") }) ?? true
        {
            added.append(("ambient-viewing-environment", ambient))
        }
        return added
    }

    /// Passes a clip's pictures and sound on, later by where the clip begins.
    private func join(_ clip: ClipReader, tick: () throws -> Bool) async throws {
        let base = pictures.withLock { pictures in
            pictures.base = pictures.end
            pictures.first = nil
            return pictures.base
        }
        sound?.beginClip(at: base, hasSound: !clip.probe.sound.isEmpty)
        let (pictures, sound) = (pictures, sound)
        @Sendable func keep(_ body: () throws -> Void) {
            do {
                try body()
            } catch {
                let error = error as? PipelineError ?? PipelineError("\(error)")
                pictures.withLock { $0.failure = $0.failure ?? error }
            }
        }
        let (video, rate, count) = (video, rate, count)
        var isWhole = false
        do {
            try await clip.play(
                pictures: { buffer, time, pad in
                    keep { try Self.pass(buffer, time, pad, to: video, rate, pictures, sound, count) }
                },
                picturesEnd: { sound?.endPictures() },
                sound: sound.map { sound in
                    (
                        sound.format.caps, { buffer, time in keep { try sound.append(buffer, at: time) } },
                        { keep { try sound.endSound() } }
                    )
                },
                tick: tick,
                hear: { message in
                    self.report.hear(message)
                    return true
                },
                end: { isWhole = !self.hasPlanned },
                stop: {
                    guard !isWhole else { return }
                    // A clip that ends early must be able to stop its threads.
                    sound?.stop()
                    _ = try? self.pipeline.begin(.null)
                })
        } catch {
            throw Explanation(source: clip.file.shown, target: target?.name, deed: "joined").failure(error)
        }
        try sound?.note(first: 0, end: pictures.current.end)
        try sound?.endSound()
    }

    private static func pass(
        _ buffer: Buffer, _ time: UInt64, _ pad: Pad, to video: Element, _ rate: Fraction,
        _ pictures: Locked<Pictures>, _ sound: JoinedSound?, _ count: Locked<ProgressLine.Count>
    ) throws {
        guard pictures.current.failure == nil else { return }
        // Silence is made for as long as a picture is shown, so that the durations in damaged files matter.
        let length =
            buffer.duration.flatMap { $0 <= Self.longestPicture ? $0 : nil }
            ?? Time.second * UInt64(rate.denominator) / UInt64(rate.numerator)
        let format = pad.format.map { Self.caps($0, rate) }
        let (first, start, isNew, begins) = pictures.withLock { pictures in
            let begins = pictures.first == nil
            let first = pictures.first ?? time
            pictures.first = first
            let start = pictures.base.plus(time - min(first, time))
            pictures.end = max(pictures.end, start.plus(length))
            let isNew = format != pictures.format
            if isNew { pictures.format = format }
            return (first, start, isNew, begins)
        }
        let moved = try buffer.retimed(time: start, duration: length)
        // The discontinuity tells the exporter that a shot begins, however similar the clips are.
        if begins { moved.markDiscontinuity() }
        if isNew, let format {
            try video.emit("push-sample", try Sample(moved, format: format), as: String.self)
        } else {
            try video.emit("push-buffer", moved, as: String.self)
        }
        try sound?.note(first: first, end: start.plus(length))
        count.withLock { $0.note(start.plus(length)) }
    }

    /// Caps with the frame rate of the whole.
    private static func caps(_ format: Structure, _ rate: Fraction) -> String {
        var text = format.name
        for field in format.fields where field != "framerate" {
            guard let typed = format.typed(field) else { continue }
            text += ", \(field)=\(typed)"
        }
        return text + ", framerate=(fraction)\(rate.numerator)/\(rate.denominator)"
    }
}
