import HDRConcurrency
import HDRPipeline

/// Frames of a file at chosen times, upright, in a format that the command needs.
final class FrameGrabber {
    /// The light of a frame, in cd/m², as CTA-861.3 counts it: of the largest of each pixel's R, G and B.
    struct Light: Sendable {
        let maximum: Double
        let average: Double
    }

    struct Frame: Sendable {
        let sample: Sample
        /// The time in the file from which the frame was shown after the seek: its start, or the time asked for where
        /// that is later, in ns.
        let time: UInt64
        /// The end of the frame; `nil` where its duration is unknown.
        let end: UInt64?
        let light: Light?

        /// Whether it is a frame that another one is too: with the same end, or the same bytes where that is unknown.
        func isSame(as other: Frame) -> Bool {
            if let end, let otherEnd = other.end { return end == otherEnd }
            guard let bytes = sample.buffer?.withBytes({ Array($0) }) else { return false }
            return other.sample.buffer?.withBytes { bytes.elementsEqual($0) } ?? false
        }
    }

    /// The time limit in s; decoding from a key frame may take long.
    private static let patience = 120

    private let file: FileName
    private let pipeline: Pipeline
    private let sink: Element
    private let connections: [SignalConnection]
    private let shown = Locked<(time: UInt64, end: UInt64?)?>(nil)
    private let light = Locked<[UInt64: Light]>([:])
    private let listener: Task<Void, Never>
    let info: SourceInfo
    /// The caps of the decoded pictures.
    let video: Structure

    /// - Parameters:
    ///   - conversion: elements and caps of a launch line, from the decoded pictures to the format that is needed.
    init(_ file: FileName, assumed: String?, conversion: String) async throws {
        self.file = file
        let source = try FileSource.make(file, assumed: assumed)
        pipeline = try Pipeline(
            "queue name=entry max-size-buffers=2 ! hdrtap effect=statistics effect_0::histogram=false ! "
                + "\(conversion) ! fakesink name=sink sync=false enable-last-sample=true")
        let (entry, sink) = (try pipeline["entry"], try pipeline["sink"])
        self.sink = sink
        try pipeline.add(source)
        let hasVideo = Locked<Bool?>(nil)
        let pad = try entry.pad("sink")
        connections = [
            try source.on("pad-added") { arguments in
                guard let found: Pad = arguments[0], found.name == "video_0" else { return }
                hasVideo.withLock { $0 = true }
                _ = try? found.link(to: pad)
            },
            try source.on("no-more-pads") { _ in hasVideo.withLock { $0 = $0 ?? false } },
        ]
        try sink.pad("sink").watch { [shown] pad, buffer in
            let time = pad.streamTime(of: buffer)
            shown.withLock { $0 = time.map { time in (time, buffer.duration.map { time.plus($0) }) } }
            return .pass
        }
        listener = Task { [light, messages = pipeline.messages] in
            for await message in messages {
                guard case .element(let found) = message.kind, found.name == "statistics",
                    let time: UInt64 = found["stream-time"], let maximum: Double = found["maximum"],
                    let average: Double = found["average"]
                else { continue }
                light.withLock { $0[time] = Light(maximum: maximum, average: average) }
            }
        }
        do {
            try await Self.wait(file) { [pipeline] in try await pipeline.set(.paused) }
            guard let format = pad.format else { throw Failure("\(file.shown) has no pictures") }
            video = format
            info = try FileSource.info(source)
        } catch {
            listener.cancel()
            // hdrsrc reports only that the audio is not linked, which is all that the file has.
            if hasVideo.current == false { throw Failure.noVideo(file.shown) }
            throw Explanation(source: file.shown, deed: "read").failure(error)
        }
    }

    deinit {
        listener.cancel()
        _ = try? pipeline.begin(.null)
    }

    private static func wait(_ file: FileName, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let late = Failure("\(file.shown) is stuck: no frame came for \(patience / 60) minutes")
        try await Run.interruptibly(within: patience, late: late, body)
    }

    /// The frame that is shown at a time, in ns; `nil` behind the end.
    func frame(at wanted: UInt64) async throws -> Frame? {
        shown.withLock { $0 = nil }
        do {
            try await Self.wait(file) { [pipeline] in try await pipeline.seek(to: wanted) }
        } catch {
            throw Explanation(source: file.shown, deed: "read").failure(error)
        }
        guard let (start, end) = shown.current, let sample = try sink.get("last-sample", as: Sample.self)
        else { return nil }
        // The frame has been measured by now; its message may take a moment.
        for _ in 0..<100 {
            if light.current[start] != nil { break }
            try await Task.sleep(for: .milliseconds(2))
        }
        let found = light.withLock { light in
            defer { light = [:] }
            return light[start]
        }
        return Frame(sample: sample, time: start, end: end, light: found)
    }
}
