import HDRMetadata

/// What happens to the color.
package enum ColorAction: String, Sendable {
    /// The source's tags are written; light and colors stay.
    case keep
    /// The source is untagged: the color of the settings, or the one chosen for RGB, is written without conversion.
    case tag
    /// Computed, then tagged.
    case convert
    /// Neither the source nor the settings specify a color, and the output is untagged.
    case untagged
}

/// The color of the output.
package struct ColorPlan: Equatable, Sendable {
    package var action: ColorAction
    /// As tagged; `nil`: untagged.
    package var source: ColorDescription?
    /// What to tag; `nil`: nothing. Encoders write narrow range, so that a full-range source is brought to it in any
    /// case.
    package var target: ColorDescription?
    /// The color that is assumed where a source's caps specify none; `nil`: none is assumed.
    package var assumed: ColorDescription?

    package var dynamicRange: DynamicRange { DynamicRange(transfer: target?.transfer) }
}

/// What light levels are written.
package enum LightLevelPlan: Equatable, Sendable {
    case none
    case fixed(ContentLightLevel)
    /// Known at the end of the stream.
    case measured
}

/// HDR metadata of the output: the same in the bitstream and in the container.
package struct MetadataPlan: Equatable, Sendable {
    package var masteringDisplay: MasteringDisplay?
    package var contentLightLevel: LightLevelPlan
    package var dynamic: DynamicMetadataPlan
    package var ambientViewing: AmbientViewing?

    /// What is known before the first frame.
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
    /// `nil`: copied as it is.
    package var profile: VideoProfile?
    /// `nil`: the encoder chooses.
    package var level: String?
    package var fileType: FileType
    /// The sample entry's four-character code, or Matroska's CodecID.
    package var sampleEntry: String
    /// GStreamer's name of the format to feed the encoder; `nil`: copied.
    package var rawFormat: String?
    package var geometry: FrameGeometry
    package var cleanAperture: CleanAperture?
    /// Frames a second of the output; `nil`: unknown or variable.
    package var frameRate: Fraction?
    /// Whether frames are dropped and repeated to have ``frameRate``.
    package var resamplesFrames = false
    package var deinterlaces: Bool
    package var color: ColorPlan
    package var metadata: MetadataPlan
    /// ISO/IEC 23091-2 ChromaSampleLocType to signal; `nil`: none.
    package var chromaLocation: UInt8?
    package var rate: RateControl
    /// bit/s; of ``RateControl/averageBitRate(_:)`` exactly that. 0: copied.
    package var expectedBitRate: Int
    /// Maximum distance of key frames in frames; 0: copied, or every frame is a key frame.
    package var keyFrameInterval: Int
    package var bFrames: Int
    /// Warnings for the user, one sentence each.
    package var warnings: [String]

    package var isPassthrough: Bool { profile == nil }
    /// Bits a component that the encoder is fed with; `nil`: copied.
    package var bitDepth: Int? { profile?.bitDepth }
}

/// The plan of an audio track.
package struct AudioPlan: Equatable, Sendable {
    package var codec: AudioCodec
    package var isPassthrough: Bool
    /// Hz.
    package var sampleRate: Int
    package var channels: Int
    /// bit/s.
    package var bitRate: Int
    /// PCM: GStreamer's name of the format; `nil`: the encoder's choice.
    package var rawFormat: String?
}

/// The plan of an exported file.
package struct ExportPlan: Equatable, Sendable {
    package var fileType: FileType
    package var video: VideoPlan?
    package var audio: [AudioPlan]

    /// Line by line, for people.
    package var summary: [String] {
        ["\(fileType.title) file by \(fileType.muxer)"] + (video?.summary ?? []) + audio.map(\.summary)
    }
}
