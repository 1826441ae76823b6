import CGStreamer
import CGstHDR
import GstBridge

/// Notices a stream of which no packet has come to the muxer when it ends, such as a sound of gaps alone. qtmux writes
/// a track without a sample description for it, with which nothing opens the file, and mpegtsmux ends with an error.
final class EmptyStreamFilter: BinFilter, @unchecked Sendable {
    /// Called at the end of a stream without packets.
    private let abandon: () -> Void
    private var isEmpty = true

    init(abandon: @escaping () -> Void) { self.abandon = abandon }

    override func stop() { isEmpty = true }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if isEmpty, CountingFilter.isSample(buffer) { isEmpty = false }
        return push(buffer)
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_EOS, isEmpty { abandon() }
        return push(event)
    }
}
