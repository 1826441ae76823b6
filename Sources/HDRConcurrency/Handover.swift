import Synchronization

/// Tells ThreadSanitizer of an order that a lock of GLib's makes, which it does not see: what one thread has done
/// before ``give()`` is done before what another does after ``take()``. Costs an atomic instruction.
package struct Handover: ~Copyable, Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package func give() { count.wrappingAdd(1, ordering: .releasing) }
    package func take() { _ = count.load(ordering: .acquiring) }
}
