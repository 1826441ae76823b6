import CGStreamer
import HDRConcurrency
import HDRContainer
import HDRExport
import HDRPipeline

/// Takes a file apart with GStreamer's demuxers and, where a container leaves that to them, its parsers. Nothing is
/// decoded, so no decoder needs to be there.
final class StreamReader: @unchecked Sendable {
    struct Outcome {
        var streams: [StreamFacts] = []
        /// The duration in ns.
        var duration: UInt64?
        /// The error, which may occur even where there are streams.
        var failure: Failure?
        var container: String?
        /// Reading has taken all the time that it had.
        var isLate = false
    }

    private static let (change, look) = ("a stream has changed", "see how reading gets on")
    /// The number of consecutive checks without a running thread after which reading counts as stopped: a thread that
    /// has just stopped may still post its error.
    private static let patience = 5

    private let pipeline = Pipeline()
    private let sinks = Locked<[StreamSink]>([])
    private let wanted: Int?
    /// Empty where the file is a bare stream; `nil` until its type is known.
    private let container = Locked<String?>(nil)
    private var connections: [SignalConnection] = []

    /// - Parameter patches: what is read in place of a file's own bytes, without which a short video is not shown.
    init(_ path: InputPath, frames: Int?, patches: [MovieEdits.Patch] = []) throws(Failure) {
        wanted = frames
        do throws(PipelineError) {
            let parser = try Element(make: "parsebin")
            let file = try Element(make: "filesrc", ["location": path.fileName])
            try pipeline.add(file, parser)
            if !patches.isEmpty { try file.pad("src").patch(patches) }
            connections = [
                try parser.on("pad-added") { [weak self] arguments in
                    if let pad: Pad = arguments[0] { self?.add(pad) }
                },
                try parser.answer("autoplug-continue") { [weak self] arguments in
                    guard let format: Structure = arguments[1] else { return true }
                    self?.note(format)
                    return Self.needsMore(format)
                },
            ]
        } catch {
            guard let name = error.missing else { throw Failure("GStreamer cannot read it: \(error)") }
            throw Failure("GStreamer has no \(name): " + DebianPackage.advice(forElement: name))
        }
    }

    /// Whether a demuxer or a parser has to follow. Video with its configuration record is taken as it is, because
    /// h265parse drops the SEI messages of `hvcC`.
    private static func needsMore(_ format: Structure) -> Bool {
        // Frames of ProRes and VP9 are complete as they are in the container.
        if let codec = StreamFacts.codec(format.name) {
            return !format.fields.contains("codec_data") && codec != .proRes && codec != .vp9
        }
        return !["video/x-raw", "audio/x-raw"].contains(format.name)
    }

    /// The first type that parsebin comes across is that of the whole file.
    private func note(_ format: Structure) {
        container.withLock { if $0 == nil { $0 = format.isContainer ? format.title : "" } }
    }

    private func add(_ pad: Pad) {
        let sink = StreamSink(pad, wanted: wanted, changed: { [weak self] in self?.pipeline.post(Self.change) })
        sinks.withLock { $0.append(sink) }
    }

    private var isComplete: Bool {
        let all = sinks.current
        // parsebin holds all data back until it has shown all pads.
        let facts = all.map(\.facts)
        return facts.contains(where: \.hasData)
            && facts.allSatisfy { $0.isComplete || (!$0.isVideo && $0.format != nil) }
    }

    /// Reads until there is enough, the file ends or `seconds` from `start` on are over.
    func read(limit seconds: Int, from start: ContinuousClock.Instant) async -> Outcome {
        var outcome = Outcome()
        var missing: MissingPlugin?
        let messages = pipeline.messages
        do throws(PipelineError) { try pipeline.begin(.paused) } catch {
            outcome.failure = Failure("GStreamer cannot open it")
        }
        let timer = Task { [pipeline] in
            while true {
                try await Task.sleep(for: .milliseconds(100))
                pipeline.post(Self.look)
            }
        }
        var stops = 0
        defer { timer.cancel() }
        if !isComplete {
            reading: for await message in messages {
                if isComplete { break }
                switch message.kind {
                case .application(Self.look):
                    // parsebin drops the error of a demuxer that finds the file damaged as soon as it is started.
                    stops = pipeline.hasStoppedStreaming ? stops + 1 : 0
                    if stops >= Self.patience {
                        outcome.failure = outcome.failure ?? Failure("is damaged or cut off: copy it again")
                        break reading
                    }
                    guard ContinuousClock.now >= start + .seconds(seconds) else { continue }
                    outcome.isLate = true
                    outcome.failure =
                        outcome.failure
                        ?? Failure(
                            "reading took more than \(seconds) s: give it more with --timeout, or repair the file")
                    break reading
                case .error(let error):
                    outcome.failure = missing.map { Failure($0.remedy) } ?? Self.failure(error)
                    break reading
                case .element(let structure): missing = MissingPlugin(structure) ?? missing
                default: break
                }
            }
        }
        let all = sinks.current
        outcome.duration = all.compactMap(\.duration).max()
        _ = try? pipeline.begin(.null)
        outcome.streams = all.map(\.facts)
        // parsebin shows what it cannot take apart as it is.
        if let whole = outcome.streams.lazy.compactMap(\.format).first(where: \.isContainer) {
            missing = missing ?? MissingPlugin(demuxerOf: whole.name, called: whole.title)
            outcome.streams.removeAll { $0.format?.isContainer == true }
        }
        outcome.container = container.current.flatMap { $0.isEmpty ? nil : $0 }
        // Missing plugins for metadata or subtitle tracks do not matter here.
        if !outcome.streams.contains(where: \.isVideo) {
            outcome.failure = outcome.failure ?? missing.map { Failure($0.remedy) }
        }
        return outcome
    }

    private static func failure(_ error: PipelineError) -> Failure {
        guard let code = error.code, code.domain == "gst-stream-error-quark" else {
            return Failure("cannot be read: \(text(error))")
        }
        switch code.number {
        case Int(GST_STREAM_ERROR_TYPE_NOT_FOUND.rawValue), Int(GST_STREAM_ERROR_WRONG_TYPE.rawValue):
            return Failure("is not a media file that GStreamer knows: check that it is video and complete")
        case Int(GST_STREAM_ERROR_DEMUX.rawValue):
            return Failure("is damaged or cut off: copy it again (\(text(error)))")
        case Int(GST_STREAM_ERROR_FAILED.rawValue):
            // The element only reports that its neighbour has stopped, without a reason.
            return Failure("is damaged: GStreamer finds no stream in it that it can read: copy or record it again")
        default: return Failure("cannot be read: \(text(error))")
        }
    }

    private static func text(_ error: PipelineError) -> String {
        var text = error.message
        while text.last == "." || text.last == "\n" { text.removeLast() }
        return text
    }
}
