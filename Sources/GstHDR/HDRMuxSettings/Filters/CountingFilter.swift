import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Counts the packets that are given to the muxer.
final class CountingFilter: BinFilter, @unchecked Sendable {
    private let packets: Locked<PacketCount>

    init(_ packets: Locked<PacketCount>) {
        self.packets = packets
        packets.withLock { $0.isCountable = true }
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        // What was flushed behind this filter is neither in the file nor lost.
        if event.pointee.type == GST_EVENT_FLUSH_STOP { packets.withLock { $0.isCountable = false } }
        return push(event)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        // Muxers take headers that come as buffers into their own.
        if buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_HEADER.rawValue == 0 || !isHeaderOnly(buffer) {
            packets.withLock { $0.given += 1 }
        }
        return push(buffer)
    }

    /// Parsers of video mark pictures that begin with parameter sets as headers too.
    private func isHeaderOnly(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        buffer.pointee.pts == GstClockTime.max
    }
}
