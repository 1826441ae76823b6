import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Counts the packets that the muxer gets.
final class CountingFilter: BinFilter, @unchecked Sendable {
    private let packets: Locked<PacketCount>

    init(_ packets: Locked<PacketCount>) {
        self.packets = packets
        packets.withLock { $0.isCountable = true }
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        // Packets that are flushed behind this filter are not in the file, and no warning is due.
        if event.pointee.type == GST_EVENT_FLUSH_STOP { packets.withLock { $0.isCountable = false } }
        return push(event)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if Self.isSample(buffer) { packets.withLock { $0.given += 1 } }
        return push(buffer)
    }

    /// Whether a buffer becomes a sample of the file. Header buffers, as of FLAC, become part of the file's header.
    /// Video parsers set the flag on pictures that begin with parameter sets too, but those have a timestamp.
    static func isSample(_ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_HEADER.rawValue == 0
            || buffer.pointee.pts != GstClockTime.max
    }
}
