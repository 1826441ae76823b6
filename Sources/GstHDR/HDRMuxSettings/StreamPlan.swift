import GstBridge
import HDRContainer
import HDRExport
import HDRMetadata

/// What the file's header will say of one stream: made when the stream's first data have come, and the same from then on.
struct StreamPlan: Sendable {
    enum Media: Sendable {
        case video(VideoTrackMetadata)
        /// With what the encoder puts in front of the sound; `nil`: nothing.
        case sound(AudioPriming?)
    }

    let media: Media
    /// Matroska's own default language is what a Matroska source has said that names none.
    let isFromMatroska: Bool
}

extension VideoTrackMetadata {
    /// - Parameters:
    ///   - header: what the source says of itself beside its caps. A copy's stream is more exact than caps from a demuxer.
    ///   - insertsMetadata: whether HDR metadata are written at all.
    init(_ plan: VideoPlan, _ header: SourceHeader, insertsMetadata: Bool) {
        self.init(insertion: insertsMetadata ? .auto : .none)
        switch plan.color.action {
        case .untagged: color = plan.isPassthrough ? .keep : .remove
        default: color = plan.color.target.map { .set($0) } ?? .keep
        }
        if plan.geometry.displayRotation != 0 { rotation = .set(plan.geometry.displayRotation) }
        let known = plan.metadata.known
        // What is copied may say it in the stream alone.
        let isCopy = plan.isPassthrough
        hdr.ambientViewing = known.ambientViewing.map { .set($0) } ?? (isCopy ? .keep : .remove)
        // Matroska has no place for it, and HEVC's own messages have it.
        if plan.fileType == .matroska, plan.codec == .hevc { hdr.ambientViewing = .keep }
        hdr.masteringDisplay = known.masteringDisplay.map { .set($0) } ?? (isCopy ? .keep : .remove)
        switch plan.metadata.contentLightLevel {
        case .measured: hdr.contentLightLevel = .set(ContentLightLevel(maximum: 0, frameAverage: 0))
        case .fixed(let level): hdr.contentLightLevel = .set(level)
        case .none: hdr.contentLightLevel = isCopy ? .keep : .remove
        }
        guard isCopy, let stream = header.stream else { return }
        if case .keep = color, stream.color.isComplete { color = .set(stream.color) }
        if let record = header.dolbyVision(keptBy: plan) { hdr.dolbyVision = .set(record) }
        guard insertsMetadata else { return }
        if plan.metadata.masteringDisplay == nil, let display = stream.masteringDisplay {
            hdr.masteringDisplay = .set(display)
        }
        if plan.metadata.contentLightLevel == .none, let level = stream.contentLightLevel {
            hdr.contentLightLevel = .set(level)
        }
    }
}

/// How many packets of a stream have come, and how many of them were given to the muxer.
struct PacketCount: Sendable {
    var given: UInt64 = 0
    /// Left out before the muxer, which would refuse them.
    var dropped: UInt64 = 0
    /// Whether each packet is a sample of the file, and nothing has been flushed.
    var isCountable = false

    var came: UInt64 { given + dropped }
}
