import HDRConcurrency
import HDRPipeline

/// One clip of several: decodes it, and passes on its pictures, upright and progressive, and its sound.
struct ClipReader: Sendable {
    let file: FileName
    let probe: FileProbe
    /// The transfer of a file whose tags do not state it: `pq` or `hlg`.
    var assumed: String?
    /// The part of the file that is played; `nil` for all.
    var range: TimeRange?

    /// Width and height as shown, in square pixels.
    var uprightSize: (width: Int, height: Int) {
        guard let video = probe.video, let width: Int = video["width"], let height: Int = video["height"] else {
            return (0, 0)
        }
        let aspect = video["pixel-aspect-ratio", as: Fraction.self] ?? Fraction(1, 1)
        let square =
            aspect.numerator > 0 && aspect.denominator > 0
            ? Int((Double(width) * Double(aspect.numerator) / Double(aspect.denominator)).rounded()) : width
        let isTurned = probe.info.orientation.map { $0.hasSuffix("90") || $0.hasSuffix("270") } ?? false
        return isTurned ? (height, square) : (square, height)
    }

    var frameRate: Fraction? {
        guard let rate: Fraction = probe.video?["framerate"], rate.numerator > 0, rate.denominator > 0 else {
            return nil
        }
        return rate
    }

    /// Plays the clip.
    /// - Parameters:
    ///   - pictures: gets each picture, with its running time and where it passes.
    ///   - picturesEnd: is called when there are no more.
    ///   - sound: gets each buffer of sound in the format `caps`, with its running time; `nil` where there shall be
    ///     none.
    func play(
        pictures: @escaping @Sendable (Buffer, UInt64, Pad) -> Void, picturesEnd: @escaping @Sendable () -> Void,
        sound: (caps: String, take: @Sendable (Buffer, UInt64) -> Void, end: @Sendable () -> Void)?,
        tick: () throws -> Bool, hear: (Message) throws -> Bool, end: () -> Void, stop: () -> Void
    ) async throws {
        let pipeline = Pipeline()
        let source = try FileSource.make(file, assumed: assumed, range: range)
        try pipeline.add(source)
        let chain = try self.chain()
        let entry = try chain[0].pad("sink")
        try pipeline.add(chain)
        let exit = try chain[chain.count - 1].pad("sink")
        exit.whenEnded(picturesEnd)
        exit.watch { pad, buffer in
            pictures(buffer, pad.runningTime(of: buffer) ?? 0, pad)
            return .drop
        }
        var soundEntry: Pad?
        if let sound, !probe.sound.isEmpty {
            let sink = try Element(make: "fakesink", ["sync": false, "async": false])
            let first = try Element(make: "audioconvert")
            try pipeline.add(
                first, try Element(make: "audioresample"), try Element(make: "capsfilter", ["caps": sound.caps]), sink)
            let pad = try sink.pad("sink")
            pad.watch { pad, buffer in
                sound.take(buffer, pad.runningTime(of: buffer) ?? 0)
                return .drop
            }
            pad.whenEnded { sound.end() }
            soundEntry = try first.pad("sink")
        }
        let failure = Locked<PipelineError?>(nil)
        let connection = try source.on("pad-added") { [soundEntry] arguments in
            guard let pad: Pad = arguments[0] else { return }
            do throws(PipelineError) {
                if pad.name == "video_0" { try pad.link(to: entry) }
                if pad.name == "audio_0", let soundEntry { try pad.link(to: soundEntry) }
            } catch {
                failure.withLock { $0 = $0 ?? error }
            }
        }
        defer { withExtendedLifetime(connection) {} }
        try await Run.play(
            pipeline,
            tick: {
                if let failure = failure.current { throw failure }
                return try tick()
            }, hear: hear, end: end, stop: stop)
    }

    /// The elements that convert a clip's pictures to those that are joined.
    private func chain() throws -> [Element] {
        var chain: [Element] = []
        let format: String = probe.video?["format"] ?? ""
        if !(try Element(make: "hdrconvert").pad("sink").accepts("video/x-raw,format=\(format)")) {
            // A format that hdrconvert does not know becomes one that it does, with all its bits.
            let hasAlpha = ["A", "GBRA", "Y41", "VUYA", "RGBA", "BGRA"].contains { format.hasPrefix($0) }
            chain += [
                try Element(make: "videoconvert", ["n-threads": 0]),
                try Element(make: "capsfilter", ["caps": "video/x-raw,format=\(hasAlpha ? "AYUV64" : "Y444_16LE")"]),
            ]
        }
        if let mode: String = probe.video?["interlace-mode"], mode != "progressive" {
            // One picture is made from each frame.
            chain.append(try Element(make: "deinterlace", ["fields": "top"]))
        }
        if probe.info.orientation != nil {
            // Chroma that lies beside luma would lie above it after the turn, so it gets a sample for each pixel first.
            let isDeep = format.contains("10") || format.contains("12") || format.contains("16")
            chain += [
                try Element(make: "videoconvert", ["n-threads": 0]),
                try Element(make: "capsfilter", ["caps": "video/x-raw,format=Y444\(isDeep ? "_12LE" : "")"]),
                try Element(make: "videoflip", ["video-direction": "auto"]),
            ]
        }
        return chain + [try Element(make: "fakesink", ["sync": false, "async": false])]
    }
}
