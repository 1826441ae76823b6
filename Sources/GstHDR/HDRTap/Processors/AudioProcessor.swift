import CGStreamer

/// A processor of audio inside the element: an application's callbacks, its signals, or an effect.
///
/// Subclasses override what they need: a processor without a state of its own has nothing to prepare.
class AudioProcessor: TapProcessor, @unchecked Sendable {
    final override var forAudio: AudioProcessor? { self }

    /// The number of frames by which the output is delayed; known after `prepare`.
    var latency: Int { 0 }
    /// The number of frames that the processor outputs after the source's last frame.
    var tail: UInt64 { 0 }

    /// Prepares for a format.
    /// - Parameter maxFrames: the maximum number of frames of a `process` call.
    /// - Returns: `nil`, or why the processor refuses the format.
    func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? { nil }

    func unprepare() {}

    /// Begins a run: the frames of the next call do not continue the previous ones.
    func begin(_ run: ContinuousRun) {}

    /// Processes frames in place. The default implementation changes nothing.
    /// - Returns: the number of output frames, after which there is silence, and whether the processor's output has
    ///   ended.
    func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) { (call.frames, false) }

    /// Ends a run.
    func end(_ run: ContinuousRun) {}
}
