import CGStreamer
import GstBridge

/// The chapters in a TOC event.
enum Chapters {
    /// The depth to which chapters in chapters are read: a file may nest them without end.
    private static let deepest = 32

    /// The number of chapters; 0 for other events.
    static func count(_ event: UnsafeMutablePointer<GstEvent>) -> Int {
        read(event) { toc, _ in items(gst_toc_get_entries(toc)).reduce(0) { $0 + count($1, at: 0) } } ?? 0
    }

    private static func count(_ entry: OpaquePointer, at depth: Int) -> Int {
        guard depth < deepest else { return 0 }
        let inside = items(gst_toc_entry_get_sub_entries(entry)).reduce(0) { $0 + count($1, at: depth + 1) }
        return inside + (gst_toc_entry_get_entry_type(entry) == GST_TOC_ENTRY_TYPE_CHAPTER ? 1 : 0)
    }

    /// The event with chapters in the running time of a segment, in which a muxer takes them; those outside the segment
    /// are left out, and others begin and end with it.
    /// - Parameter event: a TOC event, which stays the caller's.
    /// - Returns: a new event; `nil` where no chapter is left.
    static func moved(
        _ event: UnsafeMutablePointer<GstEvent>, to segment: GstSegment
    ) -> UnsafeMutablePointer<GstEvent>? {
        let clock = Clock(segment: segment)
        return read(event) { toc, isUpdated in
            guard let new = gst_toc_new(gst_toc_get_scope(toc)) else { return nil }
            defer { unref(new) }
            var isEmpty = true
            for entry in items(gst_toc_get_entries(toc)) {
                guard let moved = moved(entry, clock, at: 0) else { continue }
                gst_toc_append_entry(new, moved)
                isEmpty = false
            }
            return isEmpty ? nil : gst_event_new_toc(new, isUpdated)
        } ?? nil
    }

    private static func moved(_ entry: OpaquePointer, _ clock: Clock, at depth: Int) -> OpaquePointer? {
        guard depth < deepest else { return nil }
        let type = gst_toc_entry_get_entry_type(entry)
        let inside = items(gst_toc_entry_get_sub_entries(entry))
        let kept = inside.compactMap { moved($0, clock, at: depth + 1) }
        var (start, stop): (gint64, gint64) = (0, 0)
        let hasTimes = gst_toc_entry_get_start_stop_times(entry, &start, &stop) != 0
        let range = hasTimes ? clock.range(start, stop) : nil
        // An edition has its chapters alone.
        let isKept = type == GST_TOC_ENTRY_TYPE_CHAPTER ? range != nil || !hasTimes : !kept.isEmpty
        guard isKept, let new = gst_toc_entry_new(type, gst_toc_entry_get_uid(entry)) else {
            kept.forEach(unref)
            return nil
        }
        if let range { gst_toc_entry_set_start_stop_times(new, range.start, range.stop) }
        if let tags = gst_toc_entry_get_tags(entry) { gst_toc_entry_set_tags(new, gst_tag_list_copy(tags)) }
        for sub in kept { gst_toc_entry_append_sub_entry(new, sub) }
        return new
    }

    /// Times of a stream in the running time of its segment.
    private struct Clock {
        let segment: GstSegment

        /// - Returns: `nil` where nothing of the range is in the segment. A range may be without an end, which is -1.
        func range(_ start: gint64, _ stop: gint64) -> (start: gint64, stop: gint64)? {
            let end = segment.stop == guint64.max ? nil : runningTime(position: segment.stop)
            let (from, to) = (runningTime(start) ?? 0, runningTime(stop))
            let last = [to, end].compactMap { $0 }.min()
            guard last.map({ $0 > from }) ?? true else { return nil }
            return (from, to == nil && end == nil ? -1 : last ?? -1)
        }

        private func runningTime(_ time: gint64) -> gint64? {
            guard time >= 0 else { return nil }
            var segment = segment
            var position: guint64 = 0
            switch gst_segment_position_from_stream_time_full(&segment, GST_FORMAT_TIME, guint64(time), &position) {
            case 1: return runningTime(position: position)
            case -1: return 0
            default: return nil
            }
        }

        private func runningTime(position: guint64) -> gint64? {
            var segment = segment
            var time: guint64 = 0
            switch gst_segment_to_running_time_full(&segment, GST_FORMAT_TIME, position, &time) {
            case 1: return gint64(clamping: time)
            case -1: return 0
            default: return nil
            }
        }
    }

    // MARK: GstToc

    private static func read<Value>(
        _ event: UnsafeMutablePointer<GstEvent>, _ body: (OpaquePointer, gboolean) -> Value
    ) -> Value? {
        guard event.pointee.type == GST_EVENT_TOC else { return nil }
        var toc: OpaquePointer?
        var isUpdated: gboolean = 0
        gst_event_parse_toc(event, &toc, &isUpdated)
        guard let toc else { return nil }
        defer { unref(toc) }
        return body(toc, isUpdated)
    }

    private static func items(_ list: UnsafeMutablePointer<GList>?) -> [OpaquePointer] {
        var result: [OpaquePointer] = []
        var node = list
        while let item = node {
            if let data = item.pointee.data { result.append(OpaquePointer(data)) }
            node = item.pointee.next
        }
        return result
    }

    private static func unref(_ object: OpaquePointer) {
        gst_mini_object_unref(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GstMiniObject.self))
    }
}
