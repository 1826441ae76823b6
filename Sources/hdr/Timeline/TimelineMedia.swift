import HDRConcurrency
import HDRPipeline

/// The medium of a clip.
enum TimelineMedia: Sendable {
    case movie(TimelineMovie)
    case picture(StillPicture)

    /// Width and height as shown, in square pixels.
    var size: (width: Int, height: Int) {
        switch self {
        case .movie(let movie): movie.reader.uprightSize
        case .picture(let picture): (picture.width, picture.height)
        }
    }

    var hasAlpha: Bool {
        switch self {
        case .movie(let movie): PixelFormat.hasAlpha(movie.reader.probe.video?["format"] ?? "")
        case .picture(let picture): picture.hasAlpha
        }
    }

    /// The caps of its pictures.
    var format: Structure? {
        switch self {
        case .movie(let movie): movie.reader.probe.video
        case .picture(let picture): picture.sample.format
        }
    }

    static func open(_ file: FileName, assumed: String?) async throws -> TimelineMedia {
        if StillPicture.isOne(file) { return .picture(try await StillPicture(file, assumed: assumed)) }
        let reader = ClipReader(file: file, probe: try await FileProbe(file, assumed: assumed), assumed: assumed)
        guard reader.probe.video != nil else {
            throw Failure("\(file.shown) has no video track: give a file with video, or a picture")
        }
        return .movie(TimelineMovie(reader: reader, end: try await TimelineMovie.end(of: reader)))
    }
}

/// A video of a timeline.
struct TimelineMovie: Sendable {
    let reader: ClipReader
    /// The end of its last picture, in ns of the file.
    let end: UInt64

    var hasSound: Bool { !reader.probe.sound.isEmpty }

    /// The distance from the end at which the search for the last packets begins, in ns.
    private static let tail: UInt64 = 3_000_000_000

    /// The end of the pictures: a file is often a little longer, by its sound.
    static func end(of reader: ClipReader) async throws -> UInt64 {
        let duration = reader.probe.info.duration ?? 0
        if duration > tail, let end = try await lastEnd(of: reader, from: duration - tail) { return end }
        if let end = try await lastEnd(of: reader, from: nil) { return end }
        guard duration > 0 else { throw Failure("\(reader.file.shown) has no pictures") }
        return duration
    }

    /// The end of the last picture by its packets; `nil` where there are none from a time on.
    private static func lastEnd(of reader: ClipReader, from start: UInt64?) async throws -> UInt64? {
        let pipeline = Pipeline()
        let source = try FileSource.make(
            reader.file, assumed: reader.assumed, isDecoded: false, range: TimeRange(start: start, end: nil))
        try pipeline.add(source)
        let rate = reader.frameRate ?? Fraction(30, 1)
        let usual = Time.second * UInt64(rate.denominator) / UInt64(rate.numerator)
        let end = Locked<UInt64?>(nil)
        let connection = try source.on("pad-added") { arguments in
            guard let pad: Pad = arguments[0], pad.name == "video_0",
                let sink = try? Element(make: "fakesink", ["sync": false, "async": false]),
                (try? pipeline.add(sink)) != nil, let entry = try? sink.pad("sink"), (try? pad.link(to: entry)) != nil
            else { return }
            entry.watch { pad, buffer in
                if let time = pad.streamTime(of: buffer) {
                    let last = time.plus(buffer.duration ?? usual)
                    end.withLock { $0 = max($0 ?? 0, last) }
                }
                return .drop
            }
            sink.follow()
        }
        defer { withExtendedLifetime(connection) {} }
        do {
            try await Run.play(pipeline)
        } catch {
            throw Explanation(source: reader.file.shown, deed: "read").failure(error)
        }
        return end.current
    }
}

/// Properties of GStreamer's formats, by their names.
enum PixelFormat {
    static func hasAlpha(_ name: String) -> Bool {
        ["A", "GBRA", "Y41", "VUYA", "RGBA", "BGRA", "RGB10A2", "BGR10A2"].contains { name.hasPrefix($0) }
    }
}
