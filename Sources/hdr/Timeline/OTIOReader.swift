import HDRJSON
import HDRPipeline

/// Reads timelines of OpenTimelineIO: the clips, gaps and transitions of the first track of video.
///
/// Source: https://opentimelineio.readthedocs.io/en/latest/tutorials/otio-serialized-schema.html and, for what
/// transitions mean, .../time-ranges.html: clips lie one behind another, and a transition shows `in_offset` of the
/// second one before the cut and `out_offset` of the first one behind it.
struct OTIOReader {
    private let file: FileName
    private var statements: [EditStatement] = []

    static func statements(_ bytes: [UInt8], of file: FileName) throws -> [EditStatement] {
        var reader = OTIOReader(file: file)
        do {
            try reader.read(try JSON(bytes))
        } catch let error as JSONError {
            throw Failure("\(file.shown) cannot be read as OpenTimelineIO: \(error.description)")
        }
        return reader.statements
    }

    private var place: EditPlace { EditPlace(file: file) }

    private static func schema(_ value: JSON) -> String {
        String((value["OTIO_SCHEMA"]?.string ?? "").prefix { $0 != "." })
    }

    private mutating func read(_ document: JSON) throws {
        guard Self.schema(document) == "Timeline" else {
            throw place.failure("there is no Timeline in it: export one from the editor, not a part of it")
        }
        let tracks = try document.member("tracks", of: "").member("children", of: "tracks").array("tracks.children")
        let videos = tracks.filter { $0["kind"]?.string != "Audio" && Self.schema($0) == "Track" }
        guard let track = videos.first else { throw place.failure("it has no track of video") }
        let full = videos.filter { track in (track["children"]?.array ?? []).contains { Self.schema($0) != "Gap" } }
        guard full.count <= 1 else {
            throw place.failure(
                "it has \(full.count) tracks of video, and one is read: put the clips on one track, and titles into "
                    + "statements of a .timeline file")
        }
        try read(items: try (full.first ?? track).member("children", of: "track").array("track.children"))
    }

    private struct Offsets {
        var into: UInt64 = 0
        var out: UInt64 = 0
        var length: UInt64 { into + out }
    }

    private mutating func read(items: [JSON]) throws {
        for (index, item) in items.enumerated() {
            let path = "track.children[\(index)]"
            switch Self.schema(item) {
            case "Clip":
                var clip = try clip(item, path)
                // A transition shows more of both than their ranges.
                if index > 0 {
                    let more = try offsets(items[index - 1]).into
                    guard (clip.start ?? 0) >= more else {
                        throw place.failure(
                            "\(path) begins at \(Time.exact(clip.start ?? 0)) of \(clip.file.shown), and the "
                                + "transition before it needs \(Time.exact(more)) more")
                    }
                    clip.start = (clip.start ?? 0) - more
                    clip.length = clip.length.map { $0 + more }
                }
                if index + 1 < items.count {
                    let more = try offsets(items[index + 1]).out
                    clip.length = clip.length.map { $0 + more }
                }
                add(.clip(clip))
            case "Gap":
                guard let range = try timeRange(item["source_range"], path) else { continue }
                var length = range.length
                if index > 0 { length += try offsets(items[index - 1]).into }
                if index + 1 < items.count { length += try offsets(items[index + 1]).out }
                if length > 0 { add(.gap(length)) }
            case "Transition":
                let length = try offsets(item).length
                if length > 0 { add(.transition(EditTransition(kind: .dissolve, length: length))) }
            case let other:
                throw place.failure(
                    "\(path) is a \(other.isEmpty ? "thing without OTIO_SCHEMA" : other): clips, gaps and transitions "
                        + "are read; flatten the timeline in the editor")
            }
        }
    }

    private mutating func add(_ kind: EditStatement.Kind) {
        statements.append(EditStatement(kind: kind, place: place))
    }

    /// The extents of a transition beside the cut; zero for other items.
    private func offsets(_ item: JSON) throws -> Offsets {
        guard Self.schema(item) == "Transition" else { return Offsets() }
        return Offsets(
            into: try time(try item.member("in_offset", of: "transition"), "in_offset"),
            out: try time(try item.member("out_offset", of: "transition"), "out_offset"))
    }

    private func clip(_ item: JSON, _ path: String) throws -> EditClip {
        let key = item["active_media_reference_key"]?.string ?? "DEFAULT_MEDIA"
        let reference = item["media_reference"] ?? item["media_references"]?[key]
        guard let reference, let address = reference["target_url"]?.string else {
            throw place.failure(
                "\(path) names no file (target_url): link the clip \(item["name"]?.string ?? "") to its media")
        }
        var clip = EditClip(file: try fileName(of: address))
        let available = try timeRange(reference["available_range"], path)
        guard let range = try timeRange(item["source_range"], path) ?? available else { return clip }
        // Times of the media may begin with those of its time code; a file's begin at 0.
        let origin = available.map(\.start) ?? 0
        clip.start = range.start >= origin ? range.start - origin : range.start
        clip.length = range.length
        return clip
    }

    /// The file that an address or a path names.
    private func fileName(of address: String) throws -> FileName {
        var text = address
        if text.hasPrefix("file://") {
            text = String(text.dropFirst(7))
            if let slash = text.firstIndex(of: "/") { text = String(text[slash...]) }
            var bytes: [UInt8] = []
            var rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "%"), rest.count >= 2,
                    let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            return FileName(bytes: bytes)
        }
        let name = FileName(text)
        guard !name.isAddress else {
            throw place.failure("\(name.shown) is an address: save it as a file first")
        }
        return name.resolved(in: file.folder)
    }

    // MARK: Times

    private func timeRange(_ value: JSON?, _ path: String) throws -> (start: UInt64, length: UInt64)? {
        guard let value, value != .null else { return nil }
        return (
            try time(try value.member("start_time", of: path), "\(path).start_time"),
            try time(try value.member("duration", of: path), "\(path).duration")
        )
    }

    /// A RationalTime in ns: so many units of `rate` a second.
    private func time(_ value: JSON, _ path: String) throws -> UInt64 {
        guard let units = number(value["value"]), let rate = number(value["rate"]), rate > 0 else {
            throw place.failure("\(path) in the JSON is no time: it has a value, and a rate above 0")
        }
        let nanoseconds = (units / rate * 1e9).rounded()
        guard nanoseconds >= 0, nanoseconds < 1e18 else {
            throw place.failure(
                "\(path) in the JSON is \(nanoseconds < 0 ? "negative" : "too long"): times are 0 or more")
        }
        return UInt64(nanoseconds)
    }

    private func number(_ value: JSON?) -> Double? {
        if case .number(let digits)? = value { Double(digits) } else { nil }
    }
}
