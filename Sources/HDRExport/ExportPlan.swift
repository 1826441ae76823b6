import HDRMetadata

/// How the color of the source is treated.
package enum ColorAction: String, Sendable {
    /// The source's tags are written; light and colors stay.
    case keep
    /// The source is untagged: the color of the settings, or the one chosen for RGB, is written without conversion.
    case tag
    /// The picture is converted, and the result is tagged.
    case convert
    /// Neither the source nor the settings specify a color, and the output is untagged.
    case untagged
}

/// The color of the output.
package struct ColorPlan: Equatable, Sendable {
    package var action: ColorAction
    /// The source's tagged color; `nil` where it is untagged.
    package var source: ColorDescription?
    /// The color to tag; `nil` for none. Encoders write narrow range, so a full-range source is converted to it in any
    /// case.
    package var target: ColorDescription?
    /// The color that is assumed where a source's caps specify none; `nil`: none is assumed.
    package var assumed: ColorDescription?

    package var dynamicRange: DynamicRange { DynamicRange(transfer: target?.transfer) }
}

/// Which light levels (MaxCLL and MaxFALL) are written.
package enum LightLevelPlan: Equatable, Sendable {
    case none
    case fixed(ContentLightLevel)
    /// Measured levels, which are known at the end of the stream.
    case measured
}

/// HDR metadata of the output, identical in the bitstream and in the container.
package struct MetadataPlan: Equatable, Sendable {
    package var masteringDisplay: MasteringDisplay?
    package var contentLightLevel: LightLevelPlan
    package var dynamic: DynamicMetadataPlan
    package var ambientViewing: AmbientViewing?

    /// The metadata that are known before the first frame.
    package var known: StaticMetadata {
        if case .fixed(let level) = contentLightLevel {
            return StaticMetadata(
                masteringDisplay: masteringDisplay, contentLightLevel: level, ambientViewing: ambientViewing)
        }
        return StaticMetadata(masteringDisplay: masteringDisplay, ambientViewing: ambientViewing)
    }

    package static let none = MetadataPlan(masteringDisplay: nil, contentLightLevel: .none, dynamic: .strip)
}

/// The plan of a video track.
package struct VideoPlan: Equatable, Sendable {
    package var codec: VideoCodec
    /// The profile; `nil` where the stream is copied.
    package var profile: VideoProfile?
    /// The level; `nil` where the encoder chooses it.
    package var level: String?
    package var fileType: FileType
    /// The sample entry's four-character code, or Matroska's CodecID.
    package var sampleEntry: String
    /// GStreamer's name of the encoder's input format; `nil` where the stream is copied.
    package var rawFormat: String?
    package var geometry: FrameGeometry
    package var cleanAperture: CleanAperture?
    /// The output's frames per second; `nil` where it is unknown or variable.
    package var frameRate: Fraction?
    /// Whether frames are dropped and repeated to reach ``frameRate``.
    package var resamplesFrames = false
    package var deinterlaces: Bool
    package var color: ColorPlan
    package var metadata: MetadataPlan
    /// The ChromaSampleLocType (ISO/IEC 23091-2) to signal; `nil` for none.
    package var chromaLocation: UInt8?
    package var rate: RateControl
    /// The expected bit rate in bit/s; for ``RateControl/averageBitRate(_:)`` exactly that. 0 where the stream is
    /// copied.
    package var expectedBitRate: Int
    /// The maximum distance of key frames in frames; 0 where the stream is copied, or every frame is a key frame.
    package var keyFrameInterval: Int
    package var bFrames: Int
    /// Warnings for the user, one sentence each.
    package var warnings: [String]

    package var isPassthrough: Bool { profile == nil }
    /// The bits per component of the encoder's input; `nil` where the stream is copied.
    package var bitDepth: Int? { profile?.bitDepth }
}

/// The plan of an audio track.
package struct AudioPlan: Equatable, Sendable {
    package var codec: AudioCodec
    package var isPassthrough: Bool
    /// The sample rate in Hz.
    package var sampleRate: Int
    package var channels: Int
    /// The bit rate in bit/s.
    package var bitRate: Int
    /// GStreamer's name of the PCM format; `nil` for the encoder's choice.
    package var rawFormat: String?
    /// A bit for each channel's GstAudioChannelPosition; 0 for one channel, and where channels have no positions.
    package var channelMask: UInt64 = 0
    /// How the source's channels come into those of the plan; `nil` where all stay as they are.
    package var placement: ChannelPlacement?
    /// The bits of a sample, 32 or 64, where floats are copied as they are; `nil` for everything else.
    package var floatBits: Int?
}

/// The plan of an exported file.
package struct ExportPlan: Equatable, Sendable {
    package var fileType: FileType
    package var video: VideoPlan?
    package var audio: [AudioPlan]

    /// A readable summary, line by line.
    package var summary: [String] {
        ["\(fileType.title) file by \(fileType.muxer)"] + (video?.summary ?? []) + audio.map(\.summary)
    }
}
