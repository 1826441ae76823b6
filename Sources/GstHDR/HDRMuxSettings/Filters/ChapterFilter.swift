import CGStreamer
import CGstHDR
import GstBridge

/// Converts the times of chapters in TOC events from times of the source to times of the file: muxers write them
/// unchanged, and only a part of the source may be exported. Of several equal events, muxers use only the first.
final class ChapterFilter: BinFilter, @unchecked Sendable {
    /// Called with the number of chapters that the file type has no place for.
    private let lost: ((Int) -> Void)?
    private var segment = GstSegment()
    /// The event, until it is known in which segment the stream begins.
    private var held: UnsafeMutablePointer<GstEvent>?
    private var hasBegun = false

    /// - Parameter lost: `nil` where the file type has chapters.
    init(lost: ((Int) -> Void)?) { self.lost = lost }

    deinit { drop() }

    override func stop() {
        drop()
        hasBegun = false
    }

    private func drop() {
        if let held { gst_mini_object_unref(held.asMiniObject) }
        held = nil
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        switch event.pointee.type {
        case GST_EVENT_SEGMENT: gst_event_copy_segment(event, &segment)
        case GST_EVENT_TOC:
            drop()
            held = event
            if hasBegun { send() }
            return true
        case GST_EVENT_GAP, GST_EVENT_EOS: begin()
        default: break
        }
        return push(event)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        begin()
        return push(buffer)
    }

    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        send()
    }

    private func send() {
        guard let event = held else { return }
        defer { drop() }
        if let lost {
            let count = Chapters.count(event)
            if count > 0 { lost(count) }
            return
        }
        guard segment.format == GST_FORMAT_TIME, segment.rate > 0 else { return }
        if let moved = Chapters.moved(event, to: segment) { push(moved) }
    }
}
