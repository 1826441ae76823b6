import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Keeps in mind how long packets take before a parser changes that.
final class PacketDurationFilter: BinFilter, @unchecked Sendable {
    private let durations: PacketDurations

    init(_ durations: PacketDurations) { self.durations = durations }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        durations.note(buffer)
        return push(buffer)
    }
}

/// How long the packets before a parser take, by their times: a parser puts the frame rate of the stream in their place,
/// which the container may contradict.
final class PacketDurations: Sendable {
    private let known = Locked<[GstClockTime: GstClockTime]>([:])

    func note(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let (time, duration) = (buffer.pointee.pts, buffer.pointee.duration)
        guard time != GstClockTime.max, duration != GstClockTime.max, duration > 0 else { return }
        known.withLock { known in
            // Parsers hold a few packets; what none of them gives back must not pile up.
            if known.count >= 1024 { known = [:] }
            known[time] = duration
        }
    }

    func take(_ time: GstClockTime) -> GstClockTime? { known.withLock { $0.removeValue(forKey: time) } }
}
