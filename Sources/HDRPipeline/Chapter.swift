import CGStreamer

/// A named part of a file, from its table of contents.
public struct Chapter: Equatable, Sendable {
    /// The start in ns.
    public var start: UInt64
    /// The end in ns; `nil` where the file does not state it.
    public var end: UInt64?
    /// The title; empty where there is none.
    public var title: String

    public init(start: UInt64, end: UInt64?, title: String) {
        self.start = start
        self.end = end
        self.title = title
    }

    /// The maximum number of entries that are read, a limit against damaged files.
    private static let limit = 10_000

    /// The chapters of a table of contents, from its first edition, sorted by start. A chapter with subchapters counts
    /// as one.
    static func read(_ contents: OpaquePointer) -> [Chapter] {
        var chapters: [Chapter] = []
        collect(gst_toc_get_entries(contents), into: &chapters, depth: 0)
        return chapters.sorted { $0.start < $1.start }
    }

    private static func collect(
        _ entries: UnsafeMutablePointer<GList>?, into chapters: inout [Chapter], depth: Int
    ) {
        var item = entries
        while let node = item, chapters.count < limit {
            defer { item = node.pointee.next }
            guard let data = node.pointee.data else { continue }
            let entry = OpaquePointer(data)
            if gst_toc_entry_get_entry_type(entry) == GST_TOC_ENTRY_TYPE_CHAPTER {
                if let chapter = Chapter(entry) { chapters.append(chapter) }
            } else if depth < 4, chapters.isEmpty {
                collect(gst_toc_entry_get_sub_entries(entry), into: &chapters, depth: depth + 1)
            }
        }
    }

    private init?(_ entry: OpaquePointer) {
        var (start, stop): (gint64, gint64) = (-1, -1)
        guard gst_toc_entry_get_start_stop_times(entry, &start, &stop) != 0, start >= 0 else { return nil }
        let title = gst_toc_entry_get_tags(entry).flatMap { Tags(retaining: $0)["title"] }
        self.init(start: UInt64(start), end: stop > start ? UInt64(stop) : nil, title: title ?? "")
    }
}
