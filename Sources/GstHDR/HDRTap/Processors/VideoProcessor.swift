import CGStreamer

/// A processor of video inside the element.
class VideoProcessor: TapProcessor, @unchecked Sendable {
    final override var forVideo: VideoProcessor? { self }

    /// The access and view that it requests; known after `prepare`.
    var request: VideoRequest { VideoRequest() }

    /// Prepares for a format.
    /// - Returns: `nil`, or why the processor refuses the format.
    func prepare(_ format: VideoFormat) -> String? { nil }

    func unprepare() {}

    /// Processes one frame.
    func process(_ call: FrameCall) -> FrameOutcome { .unchanged }
}

/// The access and view that a processor of video requests.
struct VideoRequest {
    /// Whether it writes to frames.
    var changes = false
    /// The light that it requests; `nil` where it sees the stream's planes.
    var light: LightRequest?
}

/// The frame of one process call.
struct FrameCall {
    /// The buffer that holds the frame.
    let buffer: UnsafeMutablePointer<GstBuffer>
    /// The frame's planes; mapped for writing where the processor changes planes.
    let frame: UnsafeMutablePointer<GstVideoFrame>
    /// The frame's light, where the processor requests light.
    let light: LightStage?
    let times: FrameTimes
}

/// The times at which a frame is shown, in ns; `nil` where they are not known.
struct FrameTimes {
    var streamTime: UInt64?
    var runningTime: UInt64?
    var pts: UInt64?
    var duration: UInt64?
    /// Whether the frame does not continue the previous ones.
    var isStart: Bool
}

/// The result of processing a frame.
enum FrameOutcome {
    /// The frame was processed in place.
    case done
    /// The frame passes unchanged, and was not written to.
    case unchanged
    /// The frame's bytes are replaced by these, in the memory layout that the caps imply. The receiver owns the
    /// reference.
    case replaced(OpaquePointer)
    /// The stream ends with an error that has this text.
    case failed(String)
}
