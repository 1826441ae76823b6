import CGStreamer

/// A processor of audio inside the element: an application's callbacks, its signals, or an effect.
///
/// Subclasses override what they need: a processor without a state of its own has nothing to prepare.
class AudioProcessor: TapProcessor, @unchecked Sendable {
    final override var forAudio: AudioProcessor? { self }

    /// Frames by which the output is late; known after `prepare`.
    var latency: Int { 0 }
    /// Frames that the processor still gives after the source's last frame.
    var tail: UInt64 { 0 }

    /// Prepares for a format.
    /// - Parameter maxFrames: the maximum number of frames of a `process` call.
    /// - Returns: `nil`, or why the processor refuses the format.
    func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? { nil }

    func unprepare() {}

    /// A run begins: the frames of the next call do not continue those before.
    func begin(_ run: ContinuousRun) {}

    /// Processes frames in place. This is the passthrough of a processor that changes nothing.
    /// - Returns: the number of frames made, after which there is silence, and whether the processor's output has
    ///   ended.
    func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) { (call.frames, false) }

    /// A run has ended.
    func end(_ run: ContinuousRun) {}
}
