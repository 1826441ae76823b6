/// Audio processing by an application, inside an element `hdrtap`.
///
///     struct Gain: ~Copyable, AudioProcessor {
///         let volume: AudioParameter
///
///         @_noLocks mutating func process(_ context: inout AudioContext) {
///             context.pull()
///             let volume = volume.value
///             for channel in 0..<context.format.channels {
///                 let samples = context.samples(channel)
///                 for frame in samples.indices { samples[frame] *= volume }
///             }
///         }
///     }
///
///     let volume = AudioParameter(0.5)
///     let tap = try AudioTap(Gain(volume: volume.share()), on: element)
///     volume.value = 0.8
///     tap.detach()
///
/// The calls come in the order `(prepare process* unprepare)*`, from one thread at a time. The processor is released
/// after the last of them, on a thread that does not stream.
///
/// `process` runs in real time. **Write `@_noLocks` before your `process`**: the compiler then rejects all in it
/// that may allocate, lock or count references, in debug builds as in release builds. The mark on the requirement
/// here does not reach your function, and without one of its own nothing is checked.
///
/// What lives in the processor should be numbers, pointers and the like, without arrays, strings, closures and
/// objects: to read those counts references. Memory is allocated in `prepare`, and given back in `unprepare` or in
/// the processor's `deinit`, which only types that are `~Copyable` have. What crosses threads goes through
/// `AudioParameter` and `AudioQueue`.
public protocol AudioProcessor: ~Copyable, SendableMetatype {
    /// Whether the processor supports this format. Where it does not, the stream ends with an error that says how to
    /// convert. The default supports 32-bit float samples.
    static func accepts(_ format: AudioFormat) -> Bool

    /// Prepares for a format that begins. May allocate and lock.
    /// - Parameter maxFrames: The maximum number of frames that one `process` call requests.
    /// - Returns: The latency and the tail in frames.
    /// - Throws: To end the stream with an error; a warning on the pipeline's bus carries the text.
    mutating func prepare(_ format: AudioFormat, maxFrames: Int) throws -> AudioDelay

    /// Outputs `context.frames` frames.
    @_noLocks mutating func process(_ context: inout AudioContext)

    /// Called when the format, or streaming, has ended. May allocate and lock.
    mutating func unprepare()
}

extension AudioProcessor where Self: ~Copyable {
    public static func accepts(_ format: AudioFormat) -> Bool { format.sample == .float32 }
    public mutating func prepare(_ format: AudioFormat, maxFrames: Int) throws -> AudioDelay { .none }
    public mutating func unprepare() {}
}

/// The latency and the tail of a processor.
public struct AudioDelay: Sendable, Equatable {
    /// The number of frames by which the output is delayed. The element drops as many at the start and reports them to
    /// the pipeline.
    public var latency: Int
    /// The number of frames that are output after the source's last one. The element's property `max-tail` limits it.
    public var tail: Int

    public init(latency: Int = 0, tail: Int = 0) {
        self.latency = latency
        self.tail = tail
    }

    public static let none = AudioDelay()
    /// The tail of a processor whose output never becomes silent by itself.
    public static let infiniteTail = Int.max
}
