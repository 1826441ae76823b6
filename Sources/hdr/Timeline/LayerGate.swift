import HDRConcurrency

/// Keeps pictures back until all layers that belong into them are there: the compositor does not wait for pads that it
/// does not have yet.
final class LayerGate: Sendable {
    private struct State {
        /// Beginnings of the layers that are not there yet, by their numbers.
        var missing: [Int: Int]
        var isStopped = false
        var failure: (any Error)?

        /// The first picture that has to wait; `Int.max` where none has.
        var first: Int { missing.values.min() ?? .max }
    }

    private let state: Monitor<State>

    /// - Parameter starts: the first picture of each layer, by its number.
    init(_ starts: [Int: Int]) { state = Monitor(State(missing: starts)) }

    /// The first picture that has to wait.
    var first: Int { state.withLock { $0.first } }

    /// Whether all is over: what fails from now on follows from that.
    var isStopped: Bool { state.withLock(\.isStopped) }

    /// A layer is there.
    func open(_ number: Int) { state.change { _ = $0.missing.removeValue(forKey: number) } }

    /// Waits until a picture may pass.
    /// - Returns: whether it may; `false` where all is over.
    func pass(_ frame: Int) -> Bool {
        state.wait { state in state.isStopped ? false : state.first > frame ? true : nil } ?? false
    }

    /// Wakes all that wait; nothing passes any more.
    func stop() { state.change { $0.isStopped = true } }

    /// Notes why it cannot go on, and lets nothing pass any more. The first reason counts.
    func fail(_ error: any Error) {
        state.change { state in
            state.failure = state.failure ?? error
            state.isStopped = true
        }
    }

    /// Throws where something has failed.
    func check() throws { if let failure = state.withLock({ $0.failure }) { throw failure } }
}
