import GstBridge
import HDRContainer
import HDRExport
import HDRMetadata

/// The data of one stream for the file's header. Made when the stream opens: at its first buffer, or at a gap in audio
/// once there are caps; immutable from then on.
struct StreamPlan: Sendable {
    enum Media: Sendable {
        case video(VideoTrackMetadata)
        case sound(AudioTrackMetadata)
    }

    let media: Media
    /// In Matroska a track without a language is English (RFC 9559 section 5.1.4.1.19), so a copy from Matroska leaves
    /// the language out where the source did.
    let isFromMatroska: Bool
}

extension VideoTrackMetadata {
    /// - Parameters:
    ///   - header: the metadata of the source's container and bitstream. In a copy, the bitstream is more exact than a
    ///     demuxer's caps.
    ///   - insertsMetadata: whether HDR metadata are written at all.
    init(_ plan: VideoPlan, _ header: SourceHeader, insertsMetadata: Bool) {
        self.init(insertion: insertsMetadata ? .auto : .none)
        switch plan.color.action {
        case .untagged: color = plan.isPassthrough ? .keep : .remove
        default: color = plan.color.target.map { .set($0) } ?? .keep
        }
        if plan.geometry.displayRotation != 0 { rotation = .set(plan.geometry.displayRotation) }
        let known = plan.metadata.known
        let isCopy = plan.isPassthrough
        // In a copy, the muxer may write the metadata of the source's caps.
        let keepsOwn = isCopy && insertsMetadata
        if !insertsMetadata { hdr.dolbyVision = .remove }
        // A copied bitstream may carry it without the container.
        hdr.ambientViewing = known.ambientViewing.map { .set($0) } ?? (keepsOwn ? .keep : .remove)
        // Matroska has no element for it; HEVC carries it as an SEI message.
        if plan.fileType == .matroska, plan.codec == .hevc { hdr.ambientViewing = .keep }
        hdr.masteringDisplay = known.masteringDisplay.map { .set($0) } ?? (keepsOwn ? .keep : .remove)
        switch plan.metadata.contentLightLevel {
        // Reserves room in the header, which `HDRMuxSettings.fileMetadata()` fills at the end of the stream.
        case .measured: hdr.contentLightLevel = .set(ContentLightLevel(maximum: 0, frameAverage: 0))
        case .fixed(let level): hdr.contentLightLevel = .set(level)
        case .none: hdr.contentLightLevel = keepsOwn ? .keep : .remove
        }
        let made = plan.color.target.flatMap { target in
            DolbyVisionRecord(
                profile: 8, transfer: target.transfer, width: plan.geometry.frame.width,
                height: plan.geometry.frame.height, framesPerSecond: plan.frameRate?.value)
        }
        if !isCopy, plan.metadata.dynamic.formats.contains(.dolbyVision), let made { hdr.dolbyVision = .set(made) }
        guard isCopy, let stream = header.stream else { return }
        if case .keep = color, stream.color.isComplete { color = .set(stream.color) }
        guard insertsMetadata else { return }
        if let record = header.dolbyVision(keptBy: plan) {
            hdr.dolbyVision = .set(record)
        } else if plan.color.action == .tag {
            hdr.dolbyVision = .remove
        }
        if plan.metadata.masteringDisplay == nil, let display = stream.masteringDisplay {
            hdr.masteringDisplay = .set(display)
        }
        if plan.metadata.contentLightLevel == .none, let level = stream.contentLightLevel {
            hdr.contentLightLevel = .set(level)
        }
    }
}

extension PCMDescription {
    /// - Returns: `nil` for other codecs.
    init?(_ plan: AudioPlan) {
        guard plan.codec == .pcm, let rate = UInt32(exactly: plan.sampleRate) else { return nil }
        self.init(
            sampleRate: rate, channelMask: plan.channelMask, floatBits: plan.floatBits.flatMap { UInt16(exactly: $0) })
    }
}

/// The number of packets of a stream that arrived, and of those that the muxer got.
struct PacketCount: Sendable {
    var given: UInt64 = 0
    /// The number of packets dropped before the muxer, which would refuse them.
    var dropped: UInt64 = 0
    /// Whether each packet becomes one sample of the file. False for PCM, and after a flush.
    var isCountable = false

    var came: UInt64 { given + dropped }
}
