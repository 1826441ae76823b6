import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Notes the durations of packets before a parser changes them.
final class PacketDurationFilter: BinFilter, @unchecked Sendable {
    private let durations: PacketDurations

    init(_ durations: PacketDurations) { self.durations = durations }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        durations.note(buffer)
        return push(buffer)
    }
}

/// Gives packets behind a parser the durations that they had before it.
final class RestoredDurationFilter: BinFilter, @unchecked Sendable {
    private let durations: PacketDurations

    init(_ durations: PacketDurations) { self.durations = durations }

    override func chain(_ given: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard let duration = durations.take(given.pointee.pts), duration != given.pointee.duration,
            let buffer = given.writable()
        else { return push(given) }
        buffer.pointee.duration = duration
        return push(buffer)
    }
}

/// The durations of packets before a parser, by PTS. A parser replaces them by the frame rate of the bitstream, which
/// the container may contradict.
final class PacketDurations: Sendable {
    private let known = Locked<[GstClockTime: GstClockTime]>([:])

    func note(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        let (time, duration) = (buffer.pointee.pts, buffer.pointee.duration)
        guard time != GstClockTime.max, duration != GstClockTime.max, duration > 0 else { return }
        known.withLock { known in
            // Parsers hold a few packets only; entries that are never taken must not accumulate.
            if known.count >= 1024 { known = [:] }
            known[time] = duration
        }
    }

    func take(_ time: GstClockTime) -> GstClockTime? { known.withLock { $0.removeValue(forKey: time) } }
}
