import HDRMetadata

/// What becomes of one kind of metadata in a file's header.
package enum ContainerEdit<Value: Equatable & Sendable>: Equatable, Sendable {
    /// It stays as the muxer wrote it, or absent.
    case keep
    case remove
    /// It is written, in place of what the muxer wrote.
    case set(Value)
}

/// What the header of a file shall say about its video, and where its sound begins.
package struct ContainerMetadata: Equatable, Sendable {
    /// AVFoundation's HDRMetadataInsertionMode.
    package enum Insertion: Equatable, Sendable {
        case auto
        /// No HDR metadata: what would be set, the colour description excepted, is removed.
        case none
    }

    package var color: ContainerEdit<ColorDescription> = .keep
    package var masteringDisplay: ContainerEdit<MasteringDisplay> = .keep
    /// Levels of 0 are not known yet: the header keeps room for them, which later levels fill.
    package var contentLightLevel: ContainerEdit<ContentLightLevel> = .keep
    /// Matroska has no place for it.
    package var ambientViewing: ContainerEdit<AmbientViewing> = .keep
    package var dolbyVision: ContainerEdit<DolbyVisionRecord> = .keep
    /// Degrees by which players turn the picture clockwise: 0, 90, 180 or 270. QuickTime and MP4 only.
    package var rotation: ContainerEdit<Int> = .keep
    /// What players leave out at the start of the sound tracks, in their order; `nil` and what is not there: nothing.
    package var audioPriming: [AudioPriming?] = []
    /// Whether tracks that name no language are said to be of an undetermined one: Matroska has English for those.
    package var writesUndeterminedLanguage = false
    /// The payload that replaces the codec configuration: that of `hvcC`, `avcC` or `av1C`, or CodecPrivate.
    package var codecConfiguration: [UInt8]?
    package var insertion = Insertion.auto

    package init(insertion: Insertion = .auto) { self.insertion = insertion }

    package static let nothing = ContainerMetadata()

    /// The file stays as it is.
    package var asksForNothing: Bool { effective == Self.nothing }

    /// With `insertion` worked into the single edits.
    var effective: ContainerMetadata {
        var result = self
        result.insertion = .auto
        if insertion == .none {
            result.masteringDisplay = Self.withheld(masteringDisplay)
            result.contentLightLevel = Self.withheld(contentLightLevel)
            result.ambientViewing = Self.withheld(ambientViewing)
            result.dolbyVision = Self.withheld(dolbyVision)
        }
        return result
    }

    private static func withheld<Value>(_ edit: ContainerEdit<Value>) -> ContainerEdit<Value> {
        if case .set = edit { return .remove }
        return edit
    }
}

/// Which video tracks are meant.
package enum VideoTrackSelection: Equatable, Sendable {
    case all
    /// Counted from 0 among the video tracks.
    case index(Int)

    func contains(_ index: Int) -> Bool {
        switch self {
        case .all: true
        case .index(let wanted): wanted == index
        }
    }
}
