/// The edits of an audio track's header.
package struct AudioTrackMetadata: Equatable, Sendable {
    /// The encoder delay that players skip at the start of the track; `nil` for none.
    package var priming: AudioPriming?
    /// What PCM is, for QuickTime files; `nil` for other codecs, and for PCM that stays as the muxer described it.
    package var pcm: PCMDescription?
    /// The sample rate of compressed sound in Hz, for QuickTime and MP4 files; `nil` for that of the muxer.
    package var sampleRate: UInt32?

    package init(priming: AudioPriming? = nil, pcm: PCMDescription? = nil, sampleRate: UInt32? = nil) {
        self.priming = priming
        self.pcm = pcm
        self.sampleRate = sampleRate
    }
}

/// What the header of a QuickTime file says of PCM, as far as GStreamer's muxer does not.
package struct PCMDescription: Equatable, Sendable {
    /// The sample rate in Hz.
    package var sampleRate: UInt32
    /// The loudspeakers of the channels as `kAudioChannelLayoutTag_UseChannelBitmap` numbers them; 0 where they are not
    /// known.
    package var speakers: UInt32
    /// The bits of a sample, 32 or 64, where samples are floats; `nil` for integers. GStreamer's muxer gets floats as
    /// integers of 32 bits, of 64 bits as two of them.
    package var floatBits: UInt16?

    package init(sampleRate: UInt32, speakers: UInt32, floatBits: UInt16? = nil) {
        self.sampleRate = sampleRate
        self.speakers = speakers
        self.floatBits = floatBits
    }

    /// - Parameters:
    ///   - channelMask: a bit for each channel's GstAudioChannelPosition; 0 where positions are not known.
    ///   - floatBits: 32 or 64 for floats.
    package init(sampleRate: UInt32, channelMask: UInt64, floatBits: UInt16? = nil) {
        self.init(sampleRate: sampleRate, speakers: Self.speakers(channelMask), floatBits: floatBits)
    }

    /// The bit of each GstAudioChannelPosition in a bitmap of loudspeakers, in GStreamer's order, which is that of the
    /// samples; `nil` for positions that a bitmap does not have.
    private static let bits: [UInt32?] = [0, 1, 2, 3, 4, 5, 6, 7, 8, nil, 9, 10, 12, 14, 13, 11, 15, 17]

    /// The mask of channels that are numbered as in a bitmap, in the order of their samples.
    /// - Returns: `nil` where a number stands for none of GStreamer's positions, or GStreamer has another order.
    static func channelMask(_ numbers: [UInt32]) -> UInt64? {
        var mask: UInt64 = 0
        for number in numbers {
            guard let position = bits.firstIndex(of: number), mask >> UInt64(position) == 0 else { return nil }
            mask |= 1 << UInt64(position)
        }
        return mask
    }

    /// The mask of a QuickTime file's channels with the names that other readers give them: qtdemux of GStreamer 1.26
    /// calls the channels at the sides (LeftSurroundDirect, RightSurroundDirect) surround left and surround right.
    package static func withSides(_ channelMask: UInt64) -> UInt64 {
        let (sides, surround): (UInt64, UInt64) = (3 << 10, 3 << 26)
        // Positions between them would come in another order.
        let between: UInt64 = (1 << 26) - (1 << 10)
        guard channelMask & surround == surround, channelMask & between == 0 else { return channelMask }
        return channelMask & ~surround | sides
    }

    /// A bitmap has its channels in the order of its bits; positions that it would put in another order than the
    /// samples' are not written.
    private static func speakers(_ mask: UInt64) -> UInt32 {
        let channelMask = withSides(mask)
        var result: UInt32 = 0
        for position in 0..<64 where channelMask >> UInt64(position) & 1 == 1 {
            guard position < bits.count, let bit = bits[position], result >> bit == 0 else { return 0 }
            result |= 1 << bit
        }
        return result
    }
}
