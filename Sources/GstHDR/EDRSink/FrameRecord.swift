import CGStreamer
import GstBridge
import HDRConcurrency
import HDRPresenter

/// Records when each of the most recent frames was shown, or why it was not.
final class FrameRecord: @unchecked Sendable {
    enum State: String, CaseIterable {
        case pending, presented, repeated, late, dropped
    }

    struct Entry {
        var serial: UInt64
        var pts: UInt64
        /// The buffer's address.
        var buffer: UInt
        /// The time at which the frame is due and the one at which it was seen, in ns of CLOCK_MONOTONIC. `presented`
        /// is 0 until then.
        var target: UInt64
        var presented: UInt64
        var state: State
    }

    private struct Record {
        var entries: [Entry] = []
        /// The number of frames in each state since the start.
        var counts: [State: UInt64] = [:]
        var serial: UInt64 = 0
    }

    /// The number of frames that are recorded.
    private static let length = 240
    private let record = Locked(Record())

    /// Starts a new record; serials go on.
    func reset() { record.withLock { $0 = Record(serial: $0.serial) } }

    /// Records a frame that is handed to the display, to be seen at `target`.
    /// - Returns: its serial.
    func begin(_ buffer: UnsafeMutablePointer<GstBuffer>, target: UInt64) -> UInt64 {
        let (pts, buffer) = (UInt64(buffer.pointee.pts), UInt(bitPattern: buffer))
        return record.withLock { record in
            record.serial += 1
            // A frame that is painted again, such as the one that a pause shows, is one entry. A frame without a time
            // is recognized by its buffer, which the sink keeps until the next one.
            if let last = record.entries.last, last.pts == pts, pts != .max || last.buffer == buffer {
                record.entries[record.entries.count - 1].serial = record.serial
                return record.serial
            }
            record.entries.append(
                Entry(serial: record.serial, pts: pts, buffer: buffer, target: target, presented: 0, state: .pending))
            if record.entries.count > Self.length {
                // An entry that is removed before its feedback arrives counts as dropped.
                if record.entries[0].state == .pending { record.counts[.dropped, default: 0] += 1 }
                record.entries.removeFirst()
            }
            return record.serial
        }
    }

    func note(_ feedback: PresentationFeedback) {
        record.withLock { record in
            guard let index = record.entries.lastIndex(where: { $0.serial == feedback.serial }) else { return }
            var entry = record.entries[index]
            if let time = feedback.time {
                // Late: more than a refresh at 25 Hz after its target.
                let isLate = entry.target > 0 && time > entry.target + 40_000_000
                entry.state = entry.presented != 0 ? .repeated : isLate ? .late : .presented
                entry.presented = time
            } else if entry.presented == 0 {
                entry.state = .dropped
            } else {
                return
            }
            record.counts[entry.state, default: 0] += 1
            record.entries[index] = entry
        }
    }

    /// The time stamp of the frame with a serial; GST_CLOCK_TIME_NONE if it has none or is no longer recorded.
    func pts(_ serial: UInt64) -> UInt64 {
        record.withLock { $0.entries.last { $0.serial == serial }?.pts } ?? UInt64(GstClockTime.max)
    }

    /// The value of the property `frame-record`. The caller owns it.
    func structure() -> Structure.Pointer? {
        let record = record.current
        let pending = record.entries.count { $0.state == .pending }
        var fields: [(String, Structure.Value)] = State.allCases.map { state in
            (state.rawValue, .uint64(state == .pending ? UInt64(pending) : record.counts[state, default: 0]))
        }
        fields.append(("frames", .int(record.entries.count)))
        fields += record.entries.enumerated().map { index, entry in
            let frame = Structure.make(
                "frame",
                [
                    ("pts", .uint64(entry.pts)), ("target-time", .uint64(entry.target)),
                    ("presented-time", .uint64(entry.presented)), ("state", .string(entry.state.rawValue)),
                ])
            return ("\(index)", .structure(frame))
        }
        return Structure.make("frame-record", fields)
    }
}
