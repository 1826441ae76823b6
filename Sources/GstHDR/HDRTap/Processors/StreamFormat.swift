import CGStreamer
import HDRAudio

/// The format of a stream of raw audio.
struct StreamFormat {
    let info: GstAudioInfo
    let sample: SampleFormat
    /// The sample rate in frames per second.
    let rate: Int
    let channels: Int
    let isPlanar: Bool
    /// The number of bytes of a frame within a plane.
    let frameBytes: Int
    /// The number of planes: one per channel in planar formats, otherwise one.
    let planeCount: Int

    /// The maximum number of channels that are processed.
    static let maximumChannels = 64

    /// The format of raw audio; `nil` for formats that are not linear PCM.
    init?(_ info: GstAudioInfo) {
        guard let details = info.finfo?.pointee, info.rate > 0, info.channels > 0,
            let sample = SampleFormat(
                bytes: Int(details.width) / 8, depth: Int(details.depth),
                isSigned: details.flags.rawValue & GST_AUDIO_FORMAT_FLAG_SIGNED.rawValue != 0,
                isFloat: details.flags.rawValue & GST_AUDIO_FORMAT_FLAG_FLOAT.rawValue != 0,
                isBigEndian: details.endianness == 4321)
        else { return nil }
        self.info = info
        self.sample = sample
        rate = Int(info.rate)
        channels = Int(info.channels)
        isPlanar = info.layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED
        planeCount = isPlanar ? channels : 1
        frameBytes = Int(details.width) / 8 * (isPlanar ? 1 : Int(info.channels))
    }

    /// Writes silence to `frames` frames of every plane, from frame `first` on.
    @_noLocks func silence(_ planes: UnsafePointer<UnsafeMutableRawPointer>, from first: Int, frames: Int) {
        for plane in 0..<planeCount { silence(planes[plane] + first &* frameBytes, frames: frames) }
    }

    /// Writes silence to `frames` frames of one plane.
    @_noLocks func silence(_ memory: UnsafeMutableRawPointer, frames: Int) {
        sample.fillSilence(memory, stride: 1, count: frames &* (isPlanar ? 1 : channels))
    }
}
