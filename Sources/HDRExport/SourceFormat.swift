import HDRMetadata

/// How chroma is sampled.
package enum ChromaSubsampling: String, CaseIterable, Sendable {
    case yuv420 = "4:2:0"
    case yuv422 = "4:2:2"
    case yuv444 = "4:4:4"
    case rgb = "RGB"
}

/// What is known of the video that comes in.
package struct SourceFormat: Equatable, Sendable {
    /// In pixels, as coded: before any rotation.
    package var width: Int
    package var height: Int
    /// Frames a second; `nil`: unknown or variable.
    package var frameRate: Fraction?
    /// Width to height of a pixel.
    package var pixelAspectRatio: Fraction
    /// Bits a component; `nil`: unknown.
    package var bitDepth: Int?
    package var chroma: ChromaSubsampling?
    /// `nil`, or 2/2/2: untagged.
    package var color: ColorDescription?
    package var metadata: StaticMetadata
    /// `nil`: raw video.
    package var codec: VideoCodec?
    /// Degrees by which a player turns the picture clockwise: 0, 90, 180 or 270.
    package var rotation: Int
    /// Whether a player mirrors the picture left to right before it turns it.
    package var isMirrored: Bool
    package var isInterlaced: Bool
    package var hasAlpha: Bool
    /// What its first picture carries.
    package var dynamicMetadata: Set<DynamicMetadataFormat> = []
    /// Whether the light of its pictures has changed since they got these.
    package var hasStaleMetadata = false
    /// Whether its pictures have lost sides since they got these.
    package var hasCroppedMetadata = false
    /// Whether its pictures are, or were, a base layer of Dolby Vision that is no picture: profile 5.
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

    /// SDR where the transfer is unspecified.
    package var dynamicRange: DynamicRange { DynamicRange(transfer: color?.transfer) }

    /// What pictures of Dolby Vision's profile 5 are once their metadata have been applied, whatever caps say of them.
    package mutating func becomesPQ() {
        color = .bt2100PQ
        hadOwnColors = true
    }

    /// With what a hint (AVAssetWriterInput's `sourceFormatHint`) says where this format says nothing. Size, rotation,
    /// scan and alpha are this format's own.
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

    /// Throws where nothing sensible can be computed of it.
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

    /// Frames a second, where sensible.
    var usableFrameRate: Fraction? {
        guard let frameRate, let value = frameRate.value, value <= 1000 else { return nil }
        return frameRate
    }
}

/// What is known of the audio that comes in.
package struct AudioSource: Equatable, Sendable {
    /// Hz.
    package var sampleRate: Int
    package var channels: Int
    /// Bits a sample; `nil`: unknown.
    package var bitDepth: Int?
    /// `nil`: raw audio.
    package var codec: AudioCodec?

    package init(sampleRate: Int, channels: Int, bitDepth: Int? = nil, codec: AudioCodec? = nil) {
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
