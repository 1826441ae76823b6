import CGStreamer
import GstBridge
import HDRContainer
import HDRExport
import HDRMetadata

extension HDRSrc {
    /// The contents of the property `source-info`, except for what later packets may add.
    struct Facts: Sendable {
        var duration: UInt64?
        var timescale: Int
        var transfer: String?
        var colorimetry: String?
        var orientation: String?
        var ambientViewing: String?
        var codec: String?
        var sound: [String]
        var leftOut: Int
        var undecodable: Int
        var container: String
        var hasTimecode: Bool
        var hasDolbyVision: Bool
        var hasHDR10Plus: Bool
        var metadata: DynamicMetadata?

        /// The names of the dynamic metadata formats.
        var dynamicMetadata: [String] {
            let found = [
                ("Dolby Vision", hasDolbyVision || metadata?.hasDolbyVision == true),
                ("HDR10+", hasHDR10Plus || metadata?.hasHDR10Plus == true),
                ("SMPTE ST 2094-50", metadata?.hasST209450 == true),
            ]
            return found.filter(\.1).map(\.0)
        }
    }

    /// A new structure, which the caller owns; `nil` before the pads are there.
    func sourceInfo() -> Structure.Pointer? {
        guard let facts = facts.current else { return nil }
        var fields: [(String, Structure.Value)] = []
        if let duration = facts.duration ?? readerDuration { fields.append(("duration", .uint64(duration))) }
        fields.append(("timescale", .int(facts.timescale)))
        let texts = [
            ("transfer", facts.transfer), ("colorimetry", facts.colorimetry), ("orientation", facts.orientation),
            ("ambient-viewing", facts.ambientViewing ?? facts.metadata?.ambientViewing?.text), ("codec", facts.codec),
        ]
        for (name, text) in texts { if let text { fields.append((name, .string(text))) } }
        fields += [
            ("dynamic-metadata", .texts(facts.dynamicMetadata)), ("sound", .texts(facts.sound)),
            ("left-out", .int(facts.leftOut)), ("undecodable", .int(facts.undecodable)),
            ("chapters", .int(chapters.current)), ("timecode", .bool(facts.hasTimecode)),
            ("container", .string(facts.container)),
        ]
        return Structure.make("source-info", fields)
    }

    /// Collects the facts that are known once all pads have data.
    func gatherFacts(_ file: SourceFile, _ plan: Plan, _ video: VideoFacts?, _ metadata: DynamicMetadata?) {
        let exit = branches.first(where: \.isVideo)
        let caps = exit.flatMap { gst_pad_get_current_caps($0.source) }
        defer { if let caps { gst_caps_unref(caps) } }
        let structure = caps.flatMap { gst_caps_get_structure($0, 0) }
        let effective = structure.flatMap { Caps.string($0, "colorimetry") }
        let orientation = exit?.exit.orientation.current ?? video?.header?.orientation?.tag
        facts.withLock {
            $0 = Facts(
                duration: file.duration,
                timescale: MediaTimescale.of(
                    source: video?.header?.timescale.map { Int($0) },
                    frameRate: structure.flatMap { Fraction($0, "framerate") }),
                transfer: video?.transferName(effective, inStream: metadata?.color), colorimetry: effective,
                orientation: orientation == PictureOrientation.upright.tag ? nil : orientation,
                ambientViewing: video?.header?.ambientViewing?.text, codec: video.map { Decoders.codecName($0.media) },
                sound: plan.audio.map { Caps.description($0.caps.pointer) }, leftOut: plan.leftOut,
                undecodable: plan.undecodable, container: file.container.rawValue, hasTimecode: file.hasTimecode,
                hasDolbyVision: video?.header?.dolbyVision != nil,
                hasHDR10Plus: video?.header.map { file.hdr10PlusTracks.contains($0.identifier) } ?? false,
                metadata: metadata)
        }
    }

    /// The duration that the demuxer reports, in ns. Some demuxers know it only after they have read a part of the
    /// file.
    private var readerDuration: UInt64? {
        guard let plan = waiting.current?.plan, let track = plan.video ?? plan.audio.first else { return nil }
        var time: gint64 = 0
        guard gst_pad_query_duration(track.pad, GST_FORMAT_TIME, &time) != 0, time > 0 else { return nil }
        return UInt64(time)
    }

    /// Answers a duration query with the file's real duration.
    func answer(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        guard query.pointee.type == GST_QUERY_DURATION, let duration = facts.current?.duration else { return false }
        var format = GST_FORMAT_UNDEFINED
        gst_query_parse_duration(query, &format, nil)
        guard format == GST_FORMAT_TIME else { return false }
        gst_query_set_duration(query, GST_FORMAT_TIME, gint64(clamping: duration))
        return true
    }
}
