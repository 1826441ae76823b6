import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// The frames that applications can have: the one that is shown, and the one that is shown next.
///
/// A frame gets here when the sink prepares it, before its time: an application that asks for the time of a coming
/// refresh gets the frame that will be seen then. The sink holds both frames in any case, so that a decoder does not
/// wait longer for their memory.
final class FrameStore: @unchecked Sendable {
    struct Frame: @unchecked Sendable {
        /// A reference is owned.
        let sample: OpaquePointer
        /// The running time from which it is seen; `nil` for a frame without a time, which is seen at once.
        let running: UInt64?
        /// The number of the frame; a frame that comes again keeps its number.
        let number: UInt64
    }

    private struct State {
        var current: Frame?
        var next: Frame?
        var number: UInt64 = 0
    }

    private let state = Locked(State())

    deinit { clear() }

    /// Adds a prepared frame, in place of one that was prepared and never shown. The sample is taken over.
    func add(_ sample: OpaquePointer, running: UInt64?) {
        let old: [Frame?] = state.withLock { state in
            // The frame that a pause shows comes again when the pipeline plays.
            if let next = state.next ?? state.current, next.running == running, running != nil,
                gst_sample_get_buffer(next.sample) == gst_sample_get_buffer(sample)
            {
                return [Frame(sample: sample, running: nil, number: 0)]
            }
            state.number += 1
            defer { state.next = Frame(sample: sample, running: running, number: state.number) }
            return [state.next]
        }
        for frame in old { frame.map { gst_sample_unref($0.sample) } }
    }

    /// The prepared frame becomes the one that is shown.
    func advance() {
        let old: Frame? = state.withLock { state in
            guard let next = state.next else { return nil }
            defer { (state.current, state.next) = (next, nil) }
            return state.current
        }
        if let old { gst_sample_unref(old.sample) }
    }

    func clear() {
        let old: [Frame?] = state.withLock { state in
            defer { (state.current, state.next) = (nil, nil) }
            return [state.current, state.next]
        }
        for frame in old { frame.map { gst_sample_unref($0.sample) } }
    }

    /// The newest frame whose time has come by `itemTime`; the caller owns its sample. `nil` if there is none.
    func frame(at itemTime: UInt64) -> Frame? {
        state.withLock { state in
            let frame = [state.next, state.current].compactMap { $0 }.first { ($0.running ?? 0) <= itemTime }
            guard let frame else { return nil }
            gst_sample_ref(frame.sample)
            return frame
        }
    }

    /// The sample of the frame that is shown, which the caller owns.
    func shown() -> OpaquePointer? {
        state.withLock { state in
            guard let current = state.current else { return nil }
            return gst_sample_ref(current.sample)
        }
    }

    /// The number of the frame for a time; `nil` if there is none.
    func number(at itemTime: UInt64) -> UInt64? {
        guard let frame = frame(at: itemTime) else { return nil }
        gst_sample_unref(frame.sample)
        return frame.number
    }
}
