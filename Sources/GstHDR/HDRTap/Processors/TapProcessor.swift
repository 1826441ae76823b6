import CGStreamer

/// A processor attached to the element: an application's callbacks, its signals, or effects.
///
/// It has a part for each kind of stream that it processes. `prepare`, `process` and `unprepare` of a part are called
/// in this order on the streaming thread (`unprepare` also on the thread that stops the element), `finalize` once
/// afterwards on another thread.
class TapProcessor: @unchecked Sendable {
    /// The part that processes raw audio; `nil` where audio passes unchanged.
    var forAudio: AudioProcessor? { nil }
    /// The part that processes raw video; `nil` where video passes unchanged.
    var forVideo: VideoProcessor? { nil }

    func finalize() {}
}

/// A processor that an application has attached with user data, by which it can be detached.
protocol AttachedProcessor: TapProcessor {
    func belongs(to userData: gpointer) -> Bool
}
