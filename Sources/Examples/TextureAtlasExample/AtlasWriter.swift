import ExampleSupport
import HDRPipeline

/// Writes an atlas. All clips begin at its start, and it ends where the shortest of them does.
struct AtlasWriter {
    private let clips: Pipeline
    private let sinks: [Element]
    /// The frame rate of all tiles, which is the highest of the clips'.
    private let rate: Fraction

    /// - Parameter files: the names or URIs of the clips.
    init(_ files: [String]) async throws {
        var rates: [Fraction] = []
        for file in files { rates.append(try await Self.frameRate(file)) }
        let rate =
            rates.max { $0.numerator * $1.denominator < $1.numerator * $0.denominator } ?? Fraction(25, 1)
        // Tiles are upright and have square pixels, because the atlas can only be rotated and stretched as a whole.
        let clips = try Pipeline(
            files.enumerated().map { index, file in
                "\(Program.pictures(of: file)) ! videorate skip-to-first=true ! "
                    + "video/x-raw,framerate=\(rate.numerator)/\(rate.denominator) ! hdrconvert ! "
                    + "video/x-raw,\(Atlas.format) ! videoflip video-direction=auto ! videoscale ! "
                    + "video/x-raw,pixel-aspect-ratio=1/1 ! appsink name=clip\(index) sync=false max-buffers=2"
            }.joined(separator: " "))
        self.clips = clips
        self.rate = rate
        sinks = try files.indices.map { try clips["clip\($0)"] }
    }

    /// The frames per second; 25 where a clip does not state them.
    private static func frameRate(_ file: String) async throws -> Fraction {
        let clip = try Pipeline("\(Program.pictures(of: file)) ! fakesink name=sink")
        try await clip.set(.paused)
        guard let rate: Fraction = try clip["sink"].format(ofPad: "sink")?["framerate"], rate.numerator > 0,
            rate.denominator > 0
        else { return Fraction(25, 1) }
        return rate
    }

    /// - Returns: the layout, and the duration of the atlas in ns.
    func write(_ file: String) async throws -> (atlas: Atlas, duration: UInt64) {
        try clips.begin(.playing)
        var samples = try pull()
        let sizes = samples.compactMap { sample -> (width: Int, height: Int)? in
            guard let width: Int = sample.format?["width"], let height: Int = sample.format?["height"] else {
                return nil
            }
            return (width, height)
        }
        guard sizes.count == sinks.count else { throw PipelineError("clip \(sizes.count + 1) has no pictures") }
        let atlas = Atlas(sizes)
        let caps =
            "video/x-raw,\(Atlas.format),width=\(atlas.width),height=\(atlas.height),"
            + "framerate=\(rate.numerator)/\(rate.denominator)"
        let writer = try Pipeline(
            "appsrc name=atlas format=time block=true caps=\(Pipeline.quoted(caps)) ! m.video_0 "
                + "hdrmux-settings name=m preset=hevc-highest-quality content-light-level-info=auto ! "
                + "filesink location=\(Pipeline.quoted(file))")
        let source = try writer["atlas"]
        try writer.begin(.playing)
        var count = 0
        // A clip that has ended has no sample.
        while samples.count == sinks.count {
            let framed = try draw(samples, atlas).retimed(time: time(count), duration: time(count + 1) - time(count))
            // Where pushing fails, the end of the stream that is awaited below has the reason.
            guard try source.emit("push-buffer", framed, as: String.self) == "ok" else { break }
            count += 1
            samples = try pull()
        }
        try source.emit("end-of-stream", as: String.self)
        try await writer.end()
        try writer.begin(.null)
        try clips.begin(.null)
        return (atlas, time(count))
    }

    /// The time of a frame, in ns.
    private func time(_ frame: Int) -> UInt64 {
        UInt64((Double(frame) * 1e9 * Double(rate.denominator) / Double(rate.numerator)).rounded(.down))
    }

    /// The next picture of each clip.
    private func pull() throws -> [Sample] {
        var samples: [Sample] = []
        for sink in sinks {
            guard let sample = try sink.emit("pull-sample", as: Sample.self) else { break }
            samples.append(sample)
        }
        return samples
    }

    private func draw(_ samples: [Sample], _ atlas: Atlas) throws -> Buffer {
        for (index, sample) in samples.enumerated() {
            let tile = atlas.tiles[index]
            guard sample.format?["width"] == tile.width, sample.format?["height"] == tile.height else {
                throw PipelineError("clip \(index + 1) changes its size; scale it to one size before")
            }
        }
        return try Buffer(count: Planes(atlas.width, atlas.height).size) { picture in
            for (index, sample) in samples.enumerated() {
                sample.buffer?.withBytes { atlas.draw($0, as: index, into: picture) }
            }
        }
    }
}
