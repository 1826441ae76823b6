import CGStreamer
import CGstHDR

/// The signals prepare, process and unprepare, for languages that cannot provide C callbacks.
final class SignalProcessor: TapProcessor, @unchecked Sendable {
    private let audio: AudioSignalProcessor
    private let video: VideoSignalProcessor

    /// - Parameters:
    ///   - element: outlives this object.
    ///   - silenced: called with the number of audio frames that a handler's answer lacked.
    init(
        _ element: UnsafeMutablePointer<GstHdrTap>, warn: @escaping (String) -> Void, silenced: @escaping (Int) -> Void
    ) {
        audio = AudioSignalProcessor(element, warn: warn, silenced: silenced)
        video = VideoSignalProcessor(element, warn: warn)
    }

    override var forAudio: AudioProcessor? { audio }
    override var forVideo: VideoProcessor? { video }
}
