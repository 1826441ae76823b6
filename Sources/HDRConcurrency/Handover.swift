import Synchronization

/// Makes an order that one of GLib's locks guarantees visible to ThreadSanitizer, which does not see GLib's locks: what
/// one thread has done before ``give()`` happens before what another does after ``take()``. It costs an atomic
/// instruction.
package struct Handover: ~Copyable, Sendable {
    private let count = Atomic<Int>(0)

    package init() {}

    package func give() { count.wrappingAdd(1, ordering: .releasing) }
    package func take() { _ = count.load(ordering: .acquiring) }
}
