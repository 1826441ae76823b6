import HDRMetadata

/// An edit of one kind of metadata in a file's header.
package enum ContainerEdit<Value: Equatable & Sendable>: Equatable, Sendable {
    /// The muxer's value is kept, or stays absent.
    case keep
    case remove
    /// The value is written, and replaces the muxer's.
    case set(Value)
}

/// The edits of a file's header.
package struct ContainerMetadata: Equatable, Sendable {
    /// Edits of the video tracks, in the file's order. Tracks behind the last one stay as the muxer wrote them.
    package var video: [VideoTrackMetadata]
    /// Edits of the audio tracks, in the file's order. Tracks behind the last one stay as the muxer wrote them.
    package var audio: [AudioTrackMetadata] = []
    /// The times in ns that the video tracks are shown, in the tracks' order, where QuickTime and MP4 files say more;
    /// `nil` where it is not known.
    package var shownDurations: [UInt64?] = []
    /// The times in ns at the start of the video tracks that are not shown, in the tracks' order, for QuickTime and MP4
    /// files. They count in `shownDurations`.
    package var hiddenStarts: [UInt64] = []
    /// Whether tracks of QuickTime and MP4 files that have neither a sample description nor a sample are removed.
    package var removesEmptyTracks = false
    /// Whether tracks without a sample are removed that have a sample description too, unless the file is in fragments.
    package var removesUnusedTracks = false
    /// The tracks, counted from 0 among all, whose language is written as undetermined where they state none:
    /// Matroska's default is English (RFC 9559 section 5.1.4.1.19).
    package var undeterminedLanguages: Set<Int> = []

    package init(video: [VideoTrackMetadata] = []) { self.video = video }

    package static let nothing = ContainerMetadata()

    /// Whether nothing is to be edited.
    package var asksForNothing: Bool {
        video.allSatisfy(\.asksForNothing) && audio.isEmpty && undeterminedLanguages.isEmpty
    }

    /// Whether a Dolby Vision record is written into the header.
    var hasDolbyVision: Bool {
        video.contains { track in
            if case .set = track.effective.dolbyVision { true } else { false }
        }
    }

    /// The edits of a video track, counted from 0 among the video tracks; `nil` where it is not edited.
    func video(_ index: Int) -> VideoTrackMetadata? {
        guard video.indices.contains(index), !video[index].asksForNothing else { return nil }
        return video[index].effective
    }

    /// - Parameter found: the video tracks of the file.
    /// - Throws: where there are edits of a track that does not exist.
    func check(found: Int) throws(ContainerError) {
        guard let last = video.lastIndex(where: { !$0.asksForNothing }), last >= found else { return }
        throw .noVideoTrack(index: found == 0 ? nil : last)
    }
}

/// The edits of a video track's header. The edits of its HDR boxes are members too, such as `masteringDisplay`.
@dynamicMemberLookup
package struct VideoTrackMetadata: Equatable, Sendable {
    /// The counterpart of AVFoundation's HDRMetadataInsertionMode.
    package enum Insertion: Equatable, Sendable {
        case auto
        /// HDR metadata are not written: boxes that would be set are removed, except for the colour description.
        case none
    }

    package var color: ContainerEdit<ColorDescription> = .keep
    package var hdr = HDRBoxEdits()
    /// The angle in degrees by which players turn the picture clockwise: 0, 90, 180 or 270. QuickTime and MP4 only.
    package var rotation: ContainerEdit<Int> = .keep
    /// The payload that replaces the codec configuration: that of `hvcC`, `avcC` or `av1C`, or CodecPrivate.
    package var codecConfiguration: [UInt8]?
    package var insertion = Insertion.auto

    package init(insertion: Insertion = .auto) { self.insertion = insertion }

    package static let nothing = VideoTrackMetadata()

    /// Whether nothing is to be edited.
    package var asksForNothing: Bool { effective == Self.nothing }

    /// The edits after `insertion` has been applied to them.
    var effective: VideoTrackMetadata {
        var result = self
        result.insertion = .auto
        if insertion == .none {
            for box in HDRBox.all { box.withhold(&result.hdr) }
        }
        return result
    }

    package subscript<Value>(dynamicMember edit: WritableKeyPath<HDRBoxEdits, Value>) -> Value {
        get { hdr[keyPath: edit] }
        set { hdr[keyPath: edit] = newValue }
    }
}
