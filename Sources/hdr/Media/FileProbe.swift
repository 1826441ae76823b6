import HDRConcurrency
import HDRPipeline

/// The contents of a file, from its header and its first decoded picture.
struct FileProbe: Sendable {
    let info: SourceInfo
    /// The caps of the main video, decoded unless packets were requested; `nil` for a file without video.
    let video: Structure?
    /// The caps of the tracks of sound, likewise.
    let sound: [Structure]

    /// - Throws: where the file cannot be read.
    init(_ file: FileName, assumed: String? = nil, isDecoded: Bool = true) async throws {
        let pipeline = Pipeline()
        let source = try FileSource.make(file, assumed: assumed, isDecoded: isDecoded)
        try pipeline.add(source)
        let pads = Locked<[Pad]>([])
        let isComplete = Locked(false)
        let added = try source.on("pad-added") { arguments in
            guard let pad: Pad = arguments[0] else { return }
            // Tracks that are not used must not block the others.
            guard let sink = try? Element(make: "fakesink", ["sync": false, "async": false]),
                (try? pipeline.add(sink)) != nil, let entry = try? sink.pad("sink"), (try? pad.link(to: entry)) != nil
            else { return }
            sink.follow()
            pads.withLock { $0.append(pad) }
        }
        let ended = try source.on("no-more-pads") { _ in isComplete.withLock { $0 = true } }
        defer { withExtendedLifetime((added, ended)) {} }
        let began = ContinuousClock.now
        func isKnown() -> Bool {
            guard isComplete.current else { return false }
            let found = pads.current
            let video = found.filter { $0.name.hasPrefix("video") }
            if found.allSatisfy({ $0.format != nil }) { return true }
            // Sound may begin later than the video.
            return video.contains { $0.format != nil } && ContinuousClock.now - began > .seconds(2)
        }
        var known: (info: SourceInfo, video: Structure?, sound: [Structure])?
        do {
            try await Run.play(
                pipeline, every: .milliseconds(10), tick: { !isKnown() },
                end: {
                    let found = pads.current.sorted { $0.name < $1.name }
                    known = (
                        try FileSource.info(source), found.first { $0.name.hasPrefix("video") }?.format,
                        found.filter { $0.name.hasPrefix("audio") }.compactMap(\.format)
                    )
                })
        } catch {
            throw Explanation(source: file.shown, deed: "read").failure(error)
        }
        (info, video, sound) = known ?? (SourceInfo(nil), nil, [])
    }
}
