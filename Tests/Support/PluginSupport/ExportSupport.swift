import Foundation
import Testing

/// A short clip with sound, VP9 and AAC in Matroska.
struct TestClip {
    var color: String
    var frames = 30
    var width = 320
    var height = 180
    var rate = "30/1"
    /// Beside the video; 1600 samples a frame.
    var hasSound = true

    func make(_ name: String, in folder: TemporaryFolder) async throws {
        let format = color.hasPrefix("bt2100") ? "I420_10LE" : "I420"
        let sound =
            hasSound
            ? " audiotestsrc samplesperbuffer=1600 num-buffers=\(frames) ! audio/x-raw,rate=48000,channels=2 ! "
                + "avenc_aac ! aacparse ! queue ! mux." : ""
        try await GstLaunch.make(
            "videotestsrc num-buffers=\(frames) pattern=smpte75 ! "
                + "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=\(rate),colorimetry=\(color) ! "
                + "vp9enc deadline=1 cpu-used=8 threads=2 ! queue ! matroskamux name=mux ! "
                + "filesink location=\(folder.path(name))" + sound)
    }

    /// What gst-launch-1.0 tells of a track's caps and packets.
    static func packets(_ pad: String, of path: String, parser: String = "identity") async throws -> String {
        let demuxer = path.hasSuffix(".mkv") ? "matroskademux" : "qtdemux"
        let line =
            "filesrc location=\(path) ! \(demuxer) name=d d.\(pad) ! \(parser) ! identity silent=false ! fakesink"
        return try await Command("gst-launch-1.0", ["-v"] + line.split(separator: " ").map(String.init)).run().output
    }

    /// The presentation times in seconds, in the order of the packets.
    static func times(_ report: String) -> [Double] {
        report.matches(of: /chain .*pts: (\d+):(\d\d):(\d\d\.\d{3})/).compactMap { match in
            guard let hours = Double(match.1), let minutes = Double(match.2), let seconds = Double(match.3) else {
                return nil
            }
            return hours * 3600 + minutes * 60 + seconds
        }
    }
}

enum GstLaunch {
    static func make(_ pipeline: String) async throws {
        let result = try GstTool.launch(pipeline, timeout: 60)
        try #require(result.status == 0, "\(result.testDescription)")
    }
}

/// As much of a QuickTime or MP4 file as the tests of exports ask about, read without GStreamer.
struct MovieFile {
    struct Track {
        var handler = ""
        var codec = ""
        /// How many sample descriptions there are.
        var descriptions = 0
        /// The first description with its boxes.
        var description: [UInt8] = []
        /// Bytes of each packet.
        var sizes: [Int] = []
        /// When each frame is shown, in seconds after the first, ascending.
        var times: [Double] = []

        /// The content of a box in the description.
        func box(_ kind: String) -> [UInt8]? {
            let name = [UInt8](kind.utf8)
            guard let at = description.indices.first(where: { description[$0...].starts(with: name) }), at >= 4 else {
                return nil
            }
            let size = Bytes(description).number(at - 4, 4)
            return at - 4 + size <= description.count ? Array(description[(at + 4)..<(at - 4 + size)]) : nil
        }

        /// Primaries, transfer and matrix.
        var color: [Int] {
            guard let colr = box("colr"), colr.count >= 10 else { return [] }
            return [4, 6, 8].map { Bytes(colr).number($0, 2) }
        }
    }

    private(set) var tracks: [Track] = []

    func track(_ handler: String) -> Track? { tracks.first { $0.handler == handler } }

    init(contentsOf url: URL) throws {
        let bytes = Bytes([UInt8](try Data(contentsOf: url)))
        bytes.walk(into: ["moov"]) { kind, body in if kind == "trak" { tracks.append(Self.track(body)) } }
    }

    private static func track(_ trak: Bytes) -> Track {
        var track = Track()
        var scale = 1
        var durations: [Int] = []
        var offsets: [Int] = []
        trak.walk(into: ["mdia", "minf", "stbl"]) { kind, body in
            /// A table of runs: a count and a value.
            func runs() -> [Int] {
                (0..<body.number(4, 4)).flatMap { run in
                    let value = Int(Int32(truncatingIfNeeded: body.number(12 + 8 * run, 4)))
                    return Array(repeating: value, count: body.number(8 + 8 * run, 4))
                }
            }
            switch kind {
            case "hdlr":
                // QuickTime has a second one, of the data's place.
                if track.handler.isEmpty { track.handler = body.text(8) }
            case "mdhd": scale = body.number(body.number(0, 1) == 1 ? 20 : 12, 4)
            case "stts": durations = runs()
            case "ctts": offsets = runs()
            case "stsz":
                let size = body.number(4, 4)
                track.sizes = (0..<body.number(8, 4)).map { size > 0 ? size : body.number(12 + 4 * $0, 4) }
            case "stsd":
                track.descriptions = body.number(4, 4)
                track.codec = body.text(12)
                track.description = Array(body.bytes.dropFirst(8).prefix(body.number(8, 4)))
            default: break
            }
        }
        // Not for sound, which may have millions.
        guard track.handler == "vide" else { return track }
        var decoding = 0
        var shown: [Int] = []
        for (index, duration) in durations.enumerated() {
            shown.append(decoding + (offsets.isEmpty ? 0 : offsets[index]))
            decoding += duration
        }
        shown.sort()
        track.times = shown.map { Double($0 - shown[0]) / Double(scale) }
        return track
    }

    private struct Bytes {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func number(_ offset: Int, _ count: Int) -> Int {
            bytes.dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }

        func text(_ offset: Int) -> String { String(decoding: bytes.dropFirst(offset).prefix(4), as: UTF8.self) }

        /// Calls `body` with each box, and goes into those of the kinds in `containers`.
        func walk(into containers: Set<String>, _ body: (String, Bytes) -> Void) {
            var start = 0
            while start + 8 <= bytes.count {
                let short = number(start, 4)
                let header = short == 1 ? 16 : 8
                let size = short == 1 ? number(start + 8, 8) : short == 0 ? bytes.count - start : short
                guard size >= header, start + size <= bytes.count else { return }
                let kind = text(start + 4)
                // What lies beside the movie's header is large, and asked for by nobody.
                if kind != "mdat" {
                    let content = Bytes(Array(bytes[(start + header)..<(start + size)]))
                    body(kind, content)
                    if containers.contains(kind) { content.walk(into: containers, body) }
                }
                start += size
            }
        }
    }
}
