import Glibc

/// The reason why a still was not written.
package struct StillError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A text that says what is wrong, and what to do about it where something can be done.
    package let message: String

    package init(_ message: String) {
        self.message = message
    }

    /// An error of a system call, with the system's text for it.
    init(_ what: String, errno code: Int32) {
        var text = [CChar](repeating: 0, count: 256)
        let known = strerror_r(code, &text, text.count) == 0
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.init("\(what): \(known ? words : "error \(code)")")
    }

    package var description: String { message }
}
