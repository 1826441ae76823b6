import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Gives packets of sound without a timestamp the end of the packet before. Drops those that come before any timestamp:
/// `matroskamux` would write them at a wrong time, and `qtmux` would end the stream.
final class SoundTimingFilter: BinFilter, @unchecked Sendable {
    /// Where dropped packets are counted.
    private let packets: Locked<PacketCount>
    /// The end of the last packet in ns; `nil` where it is not known.
    private var end: GstClockTime?

    init(_ packets: Locked<PacketCount>) { self.packets = packets }

    override func stop() { end = nil }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_FLUSH_STOP || event.pointee.type == GST_EVENT_SEGMENT { end = nil }
        return push(event)
    }

    override func chain(_ given: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        var buffer = given
        if buffer.pointee.pts == GstClockTime.max {
            // Headers, as of FLAC, have none.
            if buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_HEADER.rawValue != 0 { return push(buffer) }
            guard let end else {
                packets.withLock { $0.dropped += 1 }
                gst_buffer_unref(buffer)
                return GST_FLOW_OK
            }
            guard let changed = buffer.writable() else { return GST_FLOW_ERROR }
            buffer = changed
            buffer.pointee.pts = end
        }
        let duration = buffer.pointee.duration
        end = duration == GstClockTime.max ? nil : buffer.pointee.pts &+ duration
        return push(buffer)
    }
}
