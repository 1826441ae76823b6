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
        return .movie(try await TimelineMovie(reader))
    }
}

/// A video of a timeline.
struct TimelineMovie: Sendable {
    let reader: ClipReader
    /// The time of its first picture and the end of its last one, in ns of the file: sound often begins a little
    /// earlier and ends a little later.
    let start: UInt64, end: UInt64

    var hasSound: Bool { !reader.probe.sound.isEmpty }

    /// The lengths of the parts at the beginning and at the end in which the first and the last packets are looked for,
    /// in ns.
    private static let head: UInt64 = 1_000_000_000, tail: UInt64 = 3_000_000_000

    init(_ reader: ClipReader) async throws {
        self.reader = reader
        let duration = reader.probe.info.duration ?? 0
        if duration > Self.tail,
            let first = try await Self.extent(of: reader, in: TimeRange(start: nil, end: Self.head)),
            let last = try await Self.extent(of: reader, in: TimeRange(start: duration - Self.tail, end: nil))
        {
            (start, end) = (first.start, last.end)
        } else if let all = try await Self.extent(of: reader, in: TimeRange(start: nil, end: nil)) {
            (start, end) = all
        } else if duration > 0 {
            (start, end) = (0, duration)
        } else {
            throw Failure("\(reader.file.shown) has no pictures")
        }
    }

    /// The time of the first picture and the end of the last one in a range, by their packets; `nil` where there are
    /// none.
    private static func extent(of reader: ClipReader, in range: TimeRange) async throws -> (start: UInt64, end: UInt64)?
    {
        let pipeline = Pipeline()
        let source = try FileSource.make(reader.file, assumed: reader.assumed, isDecoded: false, range: range)
        try pipeline.add(source)
        let rate = reader.frameRate ?? Fraction(30, 1)
        let usual = Time.second * UInt64(rate.denominator) / UInt64(rate.numerator)
        let extent = Locked<(start: UInt64, end: UInt64)?>(nil)
        let connection = try source.on("pad-added") { arguments in
            guard let pad: Pad = arguments[0], pad.name == "video_0",
                let sink = try? Element(make: "fakesink", ["sync": false, "async": false]),
                (try? pipeline.add(sink)) != nil, let entry = try? sink.pad("sink"), (try? pad.link(to: entry)) != nil
            else { return }
            entry.watch { pad, buffer in
                if let time = pad.streamTime(of: buffer) {
                    let last = time.plus(buffer.duration ?? usual)
                    extent.withLock { $0 = (min($0?.start ?? time, time), max($0?.end ?? 0, last)) }
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
        return extent.current
    }
}

/// Properties of GStreamer's formats, by their names.
enum PixelFormat {
    static func hasAlpha(_ name: String) -> Bool {
        ["A", "GBRA", "Y41", "VUYA", "RGBA", "BGRA", "RGB10A2", "BGR10A2"].contains { name.hasPrefix($0) }
    }
}
