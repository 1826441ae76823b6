/// Why bytes cannot be read or rewritten.
package struct BitstreamError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, and what to do about it where something can be done.
    package let message: String
    /// The byte where it was noticed, from the start of the buffer, record or NAL unit that was given.
    package let offset: Int?

    package init(_ message: String, at offset: Int? = nil) {
        self.message = message
        self.offset = offset
    }

    package var description: String { offset.map { "\(message) (at byte \($0))" } ?? message }
}

extension Array where Element == UInt8 {
    func withRawBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes of a range, less what of it lies outside.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range.clamped(to: 0..<count)])
    }
}
