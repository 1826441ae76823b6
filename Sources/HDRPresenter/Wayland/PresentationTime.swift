import CWayland
import Glibc
import HDRConcurrency

/// The report on one commit, by wp_presentation_feedback.
final class PresentationReport {
    private enum Event { static let presented: UInt32 = 1, discarded: UInt32 = 2 }

    /// The picture's serial; `nil` for a commit that only requests the time.
    let serial: UInt64?
    private var proxy: Proxy?

    /// The handler of a report. It is passed the time on CLOCK_MONOTONIC, the number and the interval of the refresh;
    /// `nil` if the picture was not shown.
    typealias Finish = (PresentationReport, (time: UInt64, sequence: UInt64, interval: UInt64)?) -> Void

    init(_ feedback: OpaquePointer?, serial: UInt64?, clock: Int32, finish: @escaping Finish) {
        self.serial = serial
        proxy = Proxy(feedback, destroyedBy: wp_presentation_feedback_destroy) { [weak self] opcode, arguments in
            guard let self else { return }
            switch opcode {
            case Event.presented:
                let seconds = arguments.wide(high: 0, low: 1)
                let time = seconds &* MonotonicClock.second &+ UInt64(arguments.uint(2))
                finish(
                    self,
                    (Self.onMonotonicClock(time, clock), arguments.wide(high: 4, low: 5), UInt64(arguments.uint(3))))
            case Event.discarded: finish(self, nil)
            default: break
            }
        }
    }

    func destroy() { proxy?.destroy() }

    /// Times of another clock are shifted by the present difference of the clocks.
    static func onMonotonicClock(_ time: UInt64, _ clock: Int32) -> UInt64 {
        guard clock != CLOCK_MONOTONIC else { return time }
        let there = MonotonicClock.now(clock)
        return there == 0 ? MonotonicClock.now() : time &- there &+ MonotonicClock.now()
    }
}
