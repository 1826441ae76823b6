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
        let videos = tracks.filter {
            $0["kind"]?.string != "Audio" && Self.schema($0) == "Track" && $0["enabled"] != .bool(false)
        }
        guard let track = videos.first else { throw place.failure("it has no track of video") }
        let full = videos.filter { track in (track["children"]?.array ?? []).contains { Self.schema($0) != "Gap" } }
        guard full.count <= 1 else {
            throw place.failure(
                "it has \(full.count) tracks of video, and one is read: put the clips on one track, and titles into "
                    + "statements of a .timeline file")
        }
        let own = full.first ?? track
        var items = try own.member("children", of: "track").array("track.children").enumerated().map {
            try item($1, "track.children[\($0)]")
        }
        if let range = try timeRange(own["source_range"], "track.source_range") {
            items = try trimmed(items, to: range)
        }
        try add(items)
    }

    /// What lies on a track, each with its length on the track without what transitions add.
    private enum Item {
        case clip(EditClip, path: String)
        case gap(UInt64)
        case transition(into: UInt64, out: UInt64)

        var length: UInt64? {
            switch self {
            case .clip(let clip, _): clip.length
            case .gap(let length): length
            case .transition: 0
            }
        }
    }

    private func item(_ item: JSON, _ path: String) throws -> Item {
        switch Self.schema(item) {
        case "Clip":
            let clip = try clip(item, path)
            guard item["enabled"] == .bool(false) else { return .clip(clip, path: path) }
            guard let length = clip.length else {
                throw place.failure(
                    "\(path) is disabled, and how long it is is not known: give it a source_range, or remove it")
            }
            return .gap(length)
        case "Gap": return .gap(try timeRange(item["source_range"], path)?.length ?? 0)
        case "Transition":
            return .transition(
                into: try time(try item.member("in_offset", of: path), "\(path).in_offset"),
                out: try time(try item.member("out_offset", of: path), "\(path).out_offset"))
        case let other:
            throw place.failure(
                "\(path) is a \(other.isEmpty ? "thing without OTIO_SCHEMA" : other): clips, gaps and transitions "
                    + "are read; flatten the timeline in the editor")
        }
    }

    /// The items within a range of the track, whose first and last ones are cut. Transitions over its ends are left
    /// out.
    private func trimmed(_ items: [Item], to range: (start: UInt64, length: UInt64)) throws -> [Item] {
        let end = range.start.plus(range.length)
        var position: UInt64 = 0
        var result: [Item] = []
        for item in items {
            guard let length = item.length else {
                throw place.failure(
                    "the track has a source_range, and how long one of its clips is is not known: give each clip one")
            }
            let (first, last) = (max(position, range.start), min(position.plus(length), end))
            switch item {
            case .transition:
                if position > range.start, position < end { result.append(item) }
            case .gap:
                if last > first { result.append(.gap(last - first)) }
            case .clip(var clip, let path):
                guard last > first else { break }
                clip.start = (clip.start ?? 0).plus(first - position)
                clip.length = last - first
                result.append(.clip(clip, path: path))
            }
            position = position.plus(length)
        }
        return result
    }

    /// The extents of the transition at an index beside its cut; zero for other items. There is nothing before the
    /// first item and behind the last one that a transition could show.
    private func offsets(_ items: [Item], _ index: Int) -> (into: UInt64, out: UInt64) {
        guard items.indices.contains(index), case .transition(let into, let out) = items[index] else { return (0, 0) }
        return (index == 0 ? 0 : into, index == items.count - 1 ? 0 : out)
    }

    /// Adds the statements for items. A transition shows more of both neighbours than their ranges.
    private mutating func add(_ items: [Item]) throws {
        for (index, item) in items.enumerated() {
            let (before, after) = (offsets(items, index - 1).into, offsets(items, index + 1).out)
            switch item {
            case .clip(var clip, let path):
                guard (clip.start ?? 0) >= before else {
                    throw place.failure(
                        "\(path) begins at \(Time.exact(clip.start ?? 0)) of \(clip.file.shown), and the "
                            + "transition before it needs \(Time.exact(before)) more")
                }
                clip.start = (clip.start ?? 0) - before
                clip.length = clip.length.map { $0.plus(before).plus(after) }
                add(.clip(clip))
            case .gap(let length):
                let whole = length.plus(before).plus(after)
                if whole > 0 { add(.gap(whole)) }
            case .transition:
                let (into, out) = offsets(items, index)
                if into + out > 0 { add(.transition(EditTransition(kind: .dissolve, length: into + out))) }
            }
        }
    }

    private mutating func add(_ kind: EditStatement.Kind) {
        statements.append(EditStatement(kind: kind, place: place))
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
