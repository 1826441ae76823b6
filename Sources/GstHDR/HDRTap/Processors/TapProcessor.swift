import CGStreamer

/// What is attached to the element: an application's callbacks, its signals, or an effect.
///
/// It has a side for each kind of stream that it takes. `prepare`, `process` and `unprepare` of a side are called in
/// this order on the streaming thread (`unprepare` also on the thread that stops the element), `finalize` once
/// afterwards on another thread.
class TapProcessor: @unchecked Sendable {
    /// What processes raw audio; `nil` where that passes.
    var forAudio: AudioProcessor? { nil }
    /// What processes raw video; `nil` where that passes.
    var forVideo: VideoProcessor? { nil }

    func finalize() {}
}

/// A processor that an application has attached with user data, by which it detaches it.
protocol AttachedProcessor: TapProcessor {
    func belongs(to userData: gpointer) -> Bool
}
