/// What happens to the color.
public enum ColorAction: String, Sendable {
    /// The source's tags are written; light and colors stay.
    case keep
    /// The source is untagged: what the settings say, or what is chosen for RGB, is written, nothing is computed.
    case tag
    /// Computed, then tagged.
    case convert
    /// Neither the source nor the settings say anything, and neither does the output.
    case untagged
}

/// The color of the output.
public struct ColorPlan: Equatable, Sendable {
    public var action: ColorAction
    /// As tagged; `nil`: untagged.
    public var source: ColorDescription?
    /// What to tag; `nil`: nothing. Encoders write narrow range, so that a full-range source is brought to it in any case.
    public var target: ColorDescription?
    /// What a source's caps are taken for where they say nothing; `nil`: for nothing.
    public var assumed: ColorDescription?

    public var dynamicRange: DynamicRange { DynamicRange(transfer: target?.transfer) }
}

/// What light levels are written.
public enum LightLevelPlan: Equatable, Sendable {
    case none
    case fixed(ContentLightLevel)
    /// Known at the end of the stream.
    case measured
}

/// What becomes of metadata that changes from frame to frame: HDR10+, Dolby Vision.
public enum DynamicMetadataPlan: String, Sendable {
    case preserve
    case recompute
    case strip
}

/// HDR metadata of the output: the same in the bitstream and in the container.
public struct MetadataPlan: Equatable, Sendable {
    public var masteringDisplay: MasteringDisplay?
    public var contentLightLevel: LightLevelPlan
    public var dynamic: DynamicMetadataPlan
    public var ambientViewing: AmbientViewing?

    /// What is known before the first frame.
    public var known: StaticMetadata {
        if case .fixed(let level) = contentLightLevel {
            return StaticMetadata(
                masteringDisplay: masteringDisplay, contentLightLevel: level, ambientViewing: ambientViewing)
        }
        return StaticMetadata(masteringDisplay: masteringDisplay, ambientViewing: ambientViewing)
    }

    public static let none = MetadataPlan(masteringDisplay: nil, contentLightLevel: .none, dynamic: .strip)
}

/// A video track to be.
public struct VideoPlan: Equatable, Sendable {
    public var codec: VideoCodec
    /// `nil`: copied as it is.
    public var profile: VideoProfile?
    /// `nil`: the encoder chooses.
    public var level: String?
    public var fileType: FileType
    /// The sample entry's four-character code, or Matroska's CodecID.
    public var sampleEntry: String
    /// GStreamer's name of the format to feed the encoder; `nil`: copied.
    public var rawFormat: String?
    public var geometry: FrameGeometry
    public var cleanAperture: CleanAperture?
    /// Frames a second of the output; `nil`: unknown or variable.
    public var frameRate: Fraction?
    /// Whether frames are dropped and repeated to have ``frameRate``.
    public var resamplesFrames = false
    public var deinterlaces: Bool
    public var color: ColorPlan
    public var metadata: MetadataPlan
    /// ISO/IEC 23091-2 ChromaSampleLocType to signal; `nil`: none.
    public var chromaLocation: UInt8?
    public var rate: RateControl
    /// bit/s; of ``RateControl/averageBitRate(_:)`` exactly that. 0: copied.
    public var expectedBitRate: Int
    /// Frames from one key frame to the next at most; 0: copied, or each is one.
    public var keyFrameInterval: Int
    public var bFrames: Int
    /// What a user should know, a sentence each.
    public var warnings: [String]

    public var isPassthrough: Bool { profile == nil }
    /// Bits a component that the encoder is fed with; `nil`: copied.
    public var bitDepth: Int? { profile?.bitDepth }
}

/// An audio track to be.
public struct AudioPlan: Equatable, Sendable {
    public var codec: AudioCodec
    public var isPassthrough: Bool
    /// Hz.
    public var sampleRate: Int
    public var channels: Int
    /// bit/s.
    public var bitRate: Int
    /// PCM: GStreamer's name of the format; `nil`: the encoder's choice.
    public var rawFormat: String?
}

/// An exported file to be.
public struct ExportPlan: Equatable, Sendable {
    public var fileType: FileType
    public var video: VideoPlan?
    public var audio: [AudioPlan]

    /// Line by line, for people.
    public var summary: [String] {
        ["\(fileType.title) file by \(fileType.muxer)"] + (video?.summary ?? []) + audio.map(\.summary)
    }
}
