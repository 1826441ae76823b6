/// A wrapper for a value that the compiler cannot prove safe, so that it can be passed through a lock, which makes it
/// safe.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package var value: Value
    package init(_ value: Value) { self.value = value }
}
