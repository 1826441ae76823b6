/// Lets a value that the compiler cannot prove safe go through a lock, which makes it safe.
package struct UncheckedSendable<Value>: @unchecked Sendable {
    package var value: Value
    package init(_ value: Value) { self.value = value }
}
