/// Why a bitstream cannot be parsed or rewritten.
package struct BitstreamError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, and how to fix it where that is known.
    package let message: String
    /// The byte offset at which it was noticed, in the buffer, record or NAL unit that was passed.
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
    /// The bytes of the part of a range that lies inside.
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range.clamped(to: 0..<count)])
    }
}
