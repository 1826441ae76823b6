/// Limits of AAC-LC (ISO/IEC 14496-3).
enum AAC {
    /// A channel configuration (ISO/IEC 14496-3 table 1.19).
    struct Layout: Equatable, Sendable {
        let name: String
        let channels: Int
        /// A bit for each channel's GstAudioChannelPosition; 0 for one channel.
        let channelMask: UInt64
    }

    /// The channel configurations up to 5.1, by their number of channels: all encoders except fdkaacenc have no larger
    /// one. Decoders do not know what the channels of a stream in any other layout are, and many do not play it.
    static let layouts = [
        Layout(name: "mono", channels: 1, channelMask: 0), stereo,
        Layout(name: "3.0", channels: 3, channelMask: 0x7), Layout(name: "4.0", channels: 4, channelMask: 0x107),
        Layout(name: "5.0", channels: 5, channelMask: 0x37), surround,
    ]

    static let stereo = Layout(name: "stereo", channels: 2, channelMask: 0x3)
    static let surround = Layout(name: "5.1", channels: 6, channelMask: 0x3f)

    static let sampleRates = [
        8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
    ]

    /// The sample rate in Hz that AAC uses for a rate: the same where it exists; above 96 kHz, 44.1 kHz for its
    /// multiples and 48 kHz for all others; otherwise the nearest one below, but at least 8 kHz.
    static func sampleRate(for rate: Int) -> Int {
        if sampleRates.contains(rate) { return rate }
        if rate > 96000 { return rate % 44100 == 0 ? 44100 : 48000 }
        return sampleRates.last { $0 <= rate } ?? 8000
    }

    /// The default bit rate in bit/s: 96 000 for one channel, 160 000 for two, 64 000 a channel above, all at 44.1 kHz
    /// and higher; less in proportion below. At most 6 bits per sample and channel, the codec's limit.
    static func bitRate(channels: Int, sampleRate: Int) -> Int {
        let full = channels <= 1 ? 96_000 : channels == 2 ? 160_000 : 64_000 * channels
        let scaled = sampleRate >= 44100 ? full : full * sampleRate / 44100
        return min(scaled / 1000 * 1000, 6 * sampleRate * max(1, channels))
    }
}
