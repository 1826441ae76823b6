import CGStreamer
import CGstHDR
import GstBridge

/// Gives chapters the times that they have in the file: a muxer takes the times of a TOC event as they are, which are
/// those of the source, of which a part may be written. Only the first of several equal events counts to muxers.
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
