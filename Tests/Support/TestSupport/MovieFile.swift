import Foundation

/// As much of a QuickTime or MP4 file (ISO/IEC 14496-12) as tests ask about, read without GStreamer.
package struct MovieFile {
    package struct Track {
        /// `vide` or `soun`.
        package fileprivate(set) var handler = ""
        /// The first sample description's type, such as `hvc1`.
        package fileprivate(set) var codec = ""
        /// The number of sample descriptions.
        package fileprivate(set) var descriptions = 0
        /// The first sample description with its boxes.
        package fileprivate(set) var description: [UInt8] = []
        /// The size of each packet in bytes.
        package fileprivate(set) var sizes: [Int] = []
        /// The presentation times of frames, in seconds after the first, ascending; empty for sound.
        package fileprivate(set) var times: [Double] = []

        /// The coded size of a visual sample description.
        package var width: Int { Bytes(description).number(32, 2) }
        package var height: Int { Bytes(description).number(34, 2) }

        /// The content of a box in the sample description.
        package func box(_ kind: String) -> [UInt8]? {
            let name = [UInt8](kind.utf8)
            guard let at = description.indices.first(where: { description[$0...].starts(with: name) }), at >= 4 else {
                return nil
            }
            let size = Bytes(description).number(at - 4, 4)
            return at - 4 + size <= description.count ? Array(description[(at + 4)..<(at - 4 + size)]) : nil
        }

        /// Primaries, transfer and matrix of `colr`, as ITU-T H.273 numbers them.
        package var color: [Int] {
            guard let colr = box("colr"), colr.count >= 10 else { return [] }
            return [4, 6, 8].map { Bytes(colr).number($0, 2) }
        }

        /// Whether `colr` is of type `nclx` and its codes use the full range.
        package var isFullRange: Bool {
            guard let colr = box("colr"), colr.count >= 11, Bytes(colr).text(0) == "nclx" else { return false }
            return colr[10] >> 7 == 1
        }
    }

    package private(set) var tracks: [Track] = []

    package func track(_ handler: String) -> Track? { tracks.first { $0.handler == handler } }

    package init(contentsOf url: URL) throws {
        let bytes = Bytes([UInt8](try Data(contentsOf: url)))
        bytes.walk(into: ["moov"]) { kind, body in if kind == "trak" { tracks.append(Self.track(body)) } }
    }

    private static func track(_ trak: Bytes) -> Track {
        var track = Track()
        var scale = 1
        var durations: [Int] = []
        var offsets: [Int] = []
        trak.walk(into: ["mdia", "minf", "stbl"]) { kind, body in
            switch kind {
            case "hdlr":
                // QuickTime has a second one, for the data reference.
                if track.handler.isEmpty { track.handler = body.text(8) }
            case "mdhd": scale = body.number(body.number(0, 1) == 1 ? 20 : 12, 4)
            case "stts": durations = body.runs
            case "ctts": offsets = body.runs
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
        // Sound may have millions of samples.
        guard track.handler == "vide" else { return track }
        var decoding = 0
        var shown: [Int] = []
        for (index, duration) in durations.enumerated() {
            shown.append(decoding + (index < offsets.count ? offsets[index] : 0))
            decoding += duration
        }
        shown.sort()
        track.times = shown.map { Double($0 - shown[0]) / Double(max(scale, 1)) }
        return track
    }

    private struct Bytes {
        let bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func number(_ offset: Int, _ count: Int) -> Int {
            bytes.dropFirst(offset).prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }

        func text(_ offset: Int) -> String { String(decoding: bytes.dropFirst(offset).prefix(4), as: UTF8.self) }

        /// The values of a run-length table, such as `stts` and `ctts`: pairs of a count and a value.
        var runs: [Int] {
            (0..<number(4, 4)).flatMap { run in
                let value = Int(Int32(truncatingIfNeeded: number(12 + 8 * run, 4)))
                return Array(repeating: value, count: number(8 + 8 * run, 4))
            }
        }

        /// Calls `body` with each box, and descends into those of the kinds in `containers`.
        func walk(into containers: Set<String>, _ body: (String, Bytes) -> Void) {
            var start = 0
            while start + 8 <= bytes.count {
                let short = number(start, 4)
                let header = short == 1 ? 16 : 8
                let size = short == 1 ? number(start + 8, 8) : short == 0 ? bytes.count - start : short
                guard size >= header, start + size <= bytes.count else { return }
                let kind = text(start + 4)
                // The media data are large, and nothing here reads them.
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
