import HDRMetadata

/// The subsampling of chroma.
package enum ChromaSubsampling: String, CaseIterable, Sendable {
    case yuv420 = "4:2:0"
    case yuv422 = "4:2:2"
    case yuv444 = "4:4:4"
    case rgb = "RGB"
}

/// The known properties of a video source.
package struct SourceFormat: Equatable, Sendable {
    /// The coded size in pixels, before any rotation.
    package var width: Int
    package var height: Int
    /// The frames per second; `nil` where it is unknown or variable.
    package var frameRate: Fraction?
    /// The pixel aspect ratio, width over height.
    package var pixelAspectRatio: Fraction
    /// The bits per component; `nil` where it is unknown.
    package var bitDepth: Int?
    package var chroma: ChromaSubsampling?
    /// The colour; `nil`, or 2/2/2, where it is untagged.
    package var color: ColorDescription?
    package var metadata: StaticMetadata
    /// The codec; `nil` for raw video.
    package var codec: VideoCodec?
    /// The degrees by which a player rotates the picture clockwise: 0, 90, 180 or 270.
    package var rotation: Int
    /// Whether a player mirrors the picture left to right before it rotates it.
    package var isMirrored: Bool
    package var isInterlaced: Bool
    package var hasAlpha: Bool
    /// The dynamic metadata of its first pictures.
    package var dynamicMetadata: Set<DynamicMetadataFormat> = []
    /// Whether the light of its pictures has changed since the metadata were made.
    package var hasStaleMetadata = false
    /// Whether its pictures were cropped since the metadata were made.
    package var hasCroppedMetadata = false
    /// Whether its pictures are, or were, a profile 5 base layer (IPTPQc2), which cannot be shown without its RPU.
    package var hadOwnColors = false

    package init(
        width: Int, height: Int, frameRate: Fraction? = nil, pixelAspectRatio: Fraction = .one, bitDepth: Int? = nil,
        chroma: ChromaSubsampling? = nil, color: ColorDescription? = nil, metadata: StaticMetadata = .none,
        codec: VideoCodec? = nil, rotation: Int = 0, isMirrored: Bool = false,
        isInterlaced: Bool = false, hasAlpha: Bool = false
    ) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        self.pixelAspectRatio = pixelAspectRatio
        self.bitDepth = bitDepth
        self.chroma = chroma
        self.color = color
        self.metadata = metadata
        self.codec = codec
        self.rotation = rotation
        self.isMirrored = isMirrored
        self.isInterlaced = isInterlaced
        self.hasAlpha = hasAlpha
    }

    /// The dynamic range; SDR where the transfer is unspecified.
    package var dynamicRange: DynamicRange { DynamicRange(transfer: color?.transfer) }

    /// Sets the colour of profile 5 pictures after their RPUs were applied, whatever the caps describe.
    package mutating func becomesPQ() {
        color = .bt2100PQ
        hadOwnColors = true
    }

    /// This format completed by a hint (AVAssetWriterInput's `sourceFormatHint`) where it is unspecified. Size,
    /// rotation, scan and alpha are always this format's own.
    package func completed(by hint: SourceFormat) -> SourceFormat {
        var result = self
        result.frameRate = frameRate ?? hint.frameRate
        result.bitDepth = bitDepth ?? hint.bitDepth
        result.chroma = chroma ?? hint.chroma
        if ColorProperties(color) == nil { result.color = hint.color ?? color }
        result.metadata = hint.metadata.replaced(by: metadata)
        result.codec = codec ?? hint.codec
        return result
    }

    /// Throws where the values are out of range.
    func check() throws(ExportError) {
        let sides = 1...65535
        guard sides.contains(width), sides.contains(height) else {
            throw .sourceNotUsable("its size is \(width)x\(height); a side may have 1 to 65535 pixels")
        }
        guard let shape = pixelAspectRatio.value, shape >= 0.01, shape <= 100 else {
            throw .sourceNotUsable("its pixel aspect ratio is \(pixelAspectRatio)")
        }
        guard [0, 90, 180, 270].contains(rotation) else {
            throw .sourceNotUsable("its rotation is \(rotation) degrees; only quarter turns are possible")
        }
    }

    /// The frames per second; `nil` where the value is out of range.
    var usableFrameRate: Fraction? {
        guard let frameRate, let value = frameRate.value, value <= 1000 else { return nil }
        return frameRate
    }
}

/// The known properties of an audio source.
package struct AudioSource: Equatable, Sendable {
    /// The sample rate in Hz.
    package var sampleRate: Int
    package var channels: Int
    /// The bits per sample; `nil` where it is unknown.
    package var bitDepth: Int?
    /// The codec; `nil` for raw audio.
    package var codec: AudioCodec?
    /// A bit for each channel's GstAudioChannelPosition; 0 for one channel, and where channels have no positions.
    package var channelMask: UInt64
    /// Whether raw audio has floats as samples.
    package var isFloat: Bool
    /// Whether raw audio of more than 8 bits is big-endian.
    package var isBigEndian: Bool

    package init(
        sampleRate: Int, channels: Int, bitDepth: Int? = nil, codec: AudioCodec? = nil, channelMask: UInt64 = 0,
        isFloat: Bool = false, isBigEndian: Bool = false
    ) {
        self.channelMask = channelMask
        self.isFloat = isFloat
        self.isBigEndian = isBigEndian
        self.sampleRate = sampleRate
        self.channels = channels
        self.bitDepth = bitDepth
        self.codec = codec
    }

    func check() throws(ExportError) {
        guard (1...768_000).contains(sampleRate) else { throw .sourceNotUsable("its sample rate is \(sampleRate) Hz") }
        guard (1...64).contains(channels) else { throw .sourceNotUsable("it has \(channels) audio channels") }
    }
}
