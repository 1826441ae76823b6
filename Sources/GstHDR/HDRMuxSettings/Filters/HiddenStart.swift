import CGStreamer

/// Packets before a stream's first segment that are decoded but not shown. The first segment is extended to start with
/// them, the bases of later segments grow by the same duration, and the edit list in the file's header makes up for it.
struct HiddenStart {
    /// In ns.
    private let duration: UInt64
    private var isFirst = true

    init(_ duration: UInt64) { self.duration = duration }

    mutating func restart() { isFirst = true }

    /// - Returns: whether the segment has changed.
    mutating func open(_ segment: inout GstSegment) -> Bool {
        guard duration > 0, segment.format == GST_FORMAT_TIME, segment.rate > 0 else { return false }
        guard isFirst else {
            let (base, overflow) = UInt64(segment.base).addingReportingOverflow(duration)
            if !overflow { segment.base = guint64(base) }
            return !overflow
        }
        isFirst = false
        segment.start = guint64(UInt64(segment.start) - min(duration, UInt64(segment.start)))
        segment.position = segment.start
        return true
    }
}
