import CGStreamer

/// A processor of video inside the element.
class VideoProcessor: TapProcessor, @unchecked Sendable {
    final override var forVideo: VideoProcessor? { self }

    /// What it asks for; known after `prepare`.
    var request: VideoRequest { VideoRequest() }

    /// Prepares for a format.
    /// - Returns: `nil`, or why the processor refuses the format.
    func prepare(_ format: VideoFormat) -> String? { nil }

    func unprepare() {}

    /// Processes one frame.
    func process(_ call: FrameCall) -> FrameOutcome { .unchanged }
}

/// What a processor of video asks for.
struct VideoRequest {
    /// Whether it writes to frames.
    var changes = false
    /// `nil` where it sees the stream's planes.
    var light: LightRequest?
}

/// The frame of one process call.
struct FrameCall {
    /// The buffer that holds the frame.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// The frame's planes; mapped for writing where the processor changes planes.
    let frame: UnsafeMutablePointer<GstVideoFrame>
    /// The frame's light, where the processor asks for that.
    let light: LightStage?
    let times: FrameTimes
}

/// When a frame is shown, in ns; `nil` where that is not known.
struct FrameTimes {
    var streamTime: UInt64?
    var runningTime: UInt64?
    var pts: UInt64?
    var duration: UInt64?
    /// Whether the frame does not continue those before.
    var isStart: Bool
}

/// What became of a frame.
enum FrameOutcome {
    /// It was processed in place.
    case done
    /// It passes as it came, and was not written to.
    case unchanged
    /// It is to hold these bytes, in the memory layout that the caps imply. The reference is the receiver's.
    case replaced(OpaquePointer)
    /// The stream ends with an error of this text.
    case failed(String)
}
