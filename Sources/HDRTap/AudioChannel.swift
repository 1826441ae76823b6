/// The samples of one channel, planar or interleaved. Valid until `process` returns.
///
/// Reading or writing a sample at an index that is not in `indices` ends the program.
public struct AudioChannel<Sample: AudioSample> {
    @usableFromInline let base: UnsafeMutablePointer<Sample>?
    /// The distance between successive samples of the channel, in samples: 1 in planar formats.
    public let stride: Int
    /// The number of frames. 0 where the format's samples are of another type, where there is no such channel, and
    /// before `pull`.
    public let count: Int

    @inlinable init(base: UnsafeMutablePointer<Sample>?, stride: Int, count: Int) {
        self.base = base
        self.stride = stride
        self.count = base == nil ? 0 : count
    }

    @inlinable public var indices: Range<Int> { 0..<count }

    @inlinable public subscript(frame: Int) -> Sample {
        get {
            precondition(frame >= 0 && frame < count, "There is no such frame")
            return base.unsafelyUnwrapped[frame &* stride]
        }
        nonmutating set {
            precondition(frame >= 0 && frame < count, "There is no such frame")
            base.unsafelyUnwrapped[frame &* stride] = newValue
        }
    }

    /// All samples where they are adjacent in memory, for which the compiler makes faster code; `nil` otherwise.
    @inlinable public var contiguous: UnsafeMutableBufferPointer<Sample>? {
        stride == 1 && count > 0 ? UnsafeMutableBufferPointer(start: base, count: count) : nil
    }
}
