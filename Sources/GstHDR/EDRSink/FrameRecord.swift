import CGStreamer
import GstBridge
import HDRPresenter

/// What became of each of the last frames.
final class FrameRecord: @unchecked Sendable {
    enum State: String, CaseIterable {
        case pending, presented, repeated, late, dropped
    }

    struct Entry {
        var serial: UInt64
        var pts: UInt64
        /// Its address.
        var buffer: UInt
        /// CLOCK_MONOTONIC, ns.
        var target: UInt64
        var presented: UInt64
        var state: State
    }

    private static let length = 240
    private let lock = Mutex()
    private var entries: [Entry] = []
    /// Since the start.
    private var counts: [State: UInt64] = [:]
    private var serial: UInt64 = 0

    func reset() {
        lock.lock()
        entries = []
        counts = [:]
        lock.unlock()
    }

    /// A frame is handed to the display, to be seen at `target`.
    func begin(_ buffer: UnsafeMutablePointer<GstBuffer>, target: UInt64) -> UInt64 {
        let (pts, buffer) = (UInt64(buffer.pointee.pts), UInt(bitPattern: buffer))
        lock.lock()
        defer { lock.unlock() }
        serial += 1
        // A frame that is painted again, as the one that a pause has shown, is one entry. One without a time is known by its
        // buffer, which the sink keeps until the next.
        if let last = entries.indices.last, entries[last].pts == pts, pts != .max || entries[last].buffer == buffer {
            entries[last].serial = serial
            return serial
        }
        entries.append(Entry(serial: serial, pts: pts, buffer: buffer, target: target, presented: 0, state: .pending))
        if entries.count > Self.length {
            // What is told of it later finds it no more.
            if entries[0].state == .pending { counts[.dropped, default: 0] += 1 }
            entries.removeFirst()
        }
        return serial
    }

    func note(_ feedback: PresentationFeedback) {
        lock.lock()
        defer { lock.unlock() }
        guard let index = entries.lastIndex(where: { $0.serial == feedback.serial }) else { return }
        guard let time = feedback.time else {
            if entries[index].presented == 0 {
                entries[index].state = .dropped
                counts[.dropped, default: 0] += 1
            }
            return
        }
        let isAgain = entries[index].presented != 0
        entries[index].presented = time
        let entry = entries[index]
        // Later than a refresh of 25 Hz after its time.
        let isLate = entry.target > 0 && time > entry.target + 40_000_000
        entries[index].state = isAgain ? .repeated : isLate ? .late : .presented
        counts[entries[index].state, default: 0] += 1
    }

    /// The time of the frame with a serial; GST_CLOCK_TIME_NONE where it has none or is not among the last.
    func pts(_ serial: UInt64) -> UInt64 {
        lock.lock()
        defer { lock.unlock() }
        return entries.last { $0.serial == serial }?.pts ?? UInt64(GstClockTime.max)
    }

    /// The caller owns it.
    func structure() -> Structure.Pointer? {
        lock.lock()
        let (entries, counts) = (entries, counts)
        lock.unlock()
        let pending = entries.count { $0.state == .pending }
        var fields: [(String, Structure.Value)] = State.allCases.map { state in
            (state.rawValue, .uint64(state == .pending ? UInt64(pending) : counts[state, default: 0]))
        }
        fields.append(("frames", .int(entries.count)))
        guard let result = Structure.make("frame-record", fields) else { return nil }
        for (index, entry) in entries.enumerated() {
            let frame = Structure.make(
                "frame",
                [
                    ("pts", .uint64(entry.pts)), ("target-time", .uint64(entry.target)),
                    ("presented-time", .uint64(entry.presented)), ("state", .string(entry.state.rawValue)),
                ])
            Structure.set(result, "\(index)", .structure(frame))
        }
        return result
    }
}
