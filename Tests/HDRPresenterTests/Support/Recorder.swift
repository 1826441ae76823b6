import Foundation

@testable import HDRPresenter

/// Keeps the events of a presenter, and waits for them.
final class Recorder: PresenterEvents, @unchecked Sendable {
    enum Event: Equatable {
        case display(DisplayState), size(Int, Int), closed, presented(PresentationFeedback), tick(RefreshTick)
        case input(PresenterInput), failed(PresenterError)
    }

    private let condition = NSCondition()
    private var all: [Event] = []
    private var action: (@Sendable (Event) -> Void)?
    /// Runs on the presenter's thread at every event.
    var callback: (@Sendable (Event) -> Void)? {
        get { condition.withLock { action } }
        set { condition.withLock { action = newValue } }
    }

    var events: [Event] { condition.withLock { all } }

    private func add(_ event: Event) {
        condition.withLock {
            all.append(event)
            condition.broadcast()
        }
        callback?(event)
    }

    /// The first event that `match` turns into something, within `seconds`.
    func wait<Found>(_ seconds: Double = 5, for match: (Event) -> Found?) -> Found? {
        let deadline = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while true {
            for event in all {
                if let found = match(event) { return found }
            }
            if !condition.wait(until: deadline) { return all.lazy.compactMap(match).first }
        }
    }

    func feedback(_ serial: UInt64, _ seconds: Double = 5) -> PresentationFeedback? {
        wait(seconds) { if case .presented(let feedback) = $0, feedback.serial == serial { feedback } else { nil } }
    }

    var failure: PresenterError? { wait { if case .failed(let error) = $0 { error } else { nil } } }
    var failures: Int { events.count { if case .failed = $0 { true } else { false } } }

    func displayChanged(_ state: DisplayState) { add(.display(state)) }
    func windowResized(width: Int, height: Int) { add(.size(width, height)) }
    func windowClosed() { add(.closed) }
    func presented(_ feedback: PresentationFeedback) { add(.presented(feedback)) }
    func refreshed(_ tick: RefreshTick) { add(.tick(tick)) }
    func input(_ input: PresenterInput) { add(.input(input)) }
    func failed(_ error: PresenterError) { add(.failed(error)) }
}
