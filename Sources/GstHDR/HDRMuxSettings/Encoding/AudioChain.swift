import CGStreamer
import GstBridge
import HDRConcurrency
import HDRContainer
import HDRExport

/// The chain of elements from an audio pad to the muxer.
struct AudioChain {
    private let plan: AudioPlan
    private let log: Log
    private let fileType: FileType
    private let packets: Locked<PacketCount>
    /// The time in ns before the first segment that is decoded and not played.
    private let lead: UInt64
    /// The encoder delay; known after `links`.
    private(set) var priming: AudioPriming?

    init(
        _ plan: AudioPlan, _ fileType: FileType, _ log: Log, _ packets: Locked<PacketCount>, lead: UInt64
    ) {
        self.lead = lead
        self.plan = plan
        self.fileType = fileType
        self.packets = packets
        self.log = log
    }

    mutating func links() throws(ExportError) -> [Link] {
        if plan.isPassthrough {
            let parser: String? =
                switch plan.codec {
                case .aac: "aacparse"
                case .mp3: "mpegaudioparse"
                case .ac3, .eac3: "ac3parse"
                default: nil
                }
            var links: [Link] = []
            if let format = plan.rawFormat {
                links += [try Link("audioconvert"), try .caps("audio/x-raw, format=\(format)")]
            }
            if fileType.isMovie, plan.floatBits != nil { links.append(try Link("floats", FloatSampleFilter())) }
            links += try unpositioned()
            if let parser { links.append(try Link(parser)) }
            links.append(try timing())
            // A muxer cuts and joins raw samples as it likes.
            if plan.codec != .pcm { links.append(try .counting(packets)) }
            return links + [try .queue()]
        }
        let placement = plan.placement
        var links: [Link] = []
        let converter = try Link("audioconvert")
        if let placement, placement.takenFor != nil || placement.matrix != nil {
            links.append(try Link("positions", ChannelPositionFilter(placement, converter)))
        }
        links += [converter, try Link("audioresample")]
        let layout = "rate=\(plan.sampleRate), channels=\(plan.channels)"
        if plan.codec == .pcm {
            let format = plan.rawFormat.map { ", format=\($0)" } ?? ""
            links.append(try .caps("audio/x-raw, layout=interleaved, \(layout)\(format)"))
            links += try unpositioned()
            links.append(try timing())
        } else {
            let candidates = EncoderOptions.candidates(for: plan)
            guard let options = candidates.first(where: { Link.exists($0.factory) }) else {
                throw EncoderOptions.missing(candidates, codec: "AAC")
            }
            priming = UInt32(exactly: plan.sampleRate).map { AudioPriming(samples: options.priming, rate: $0) }
            let mask = plan.channelMask == 0 ? "" : ", channel-mask=(bitmask)0x\(String(plan.channelMask, radix: 16))"
            links.append(try .caps("audio/x-raw, \(layout)\(mask)"))
            links.append(try Link(options, log))
            links.append(try Link("priming", PrimingFilter()))
            links.append(try Link("aacparse"))
            links.append(try .counting(packets))
        }
        links.append(try .queue())
        return links
    }

    /// Removes the positions of PCM, of which qtmux accepts more than two channels only without them; the header's
    /// channel layout is written behind it.
    private func unpositioned() throws(ExportError) -> [Link] {
        guard plan.codec == .pcm, fileType.isMovie, plan.channels > 2 else { return [] }
        return [try Self.positions("0")]
    }

    private func timing() throws(ExportError) -> Link {
        let isCompressed = plan.isPassthrough && plan.codec != .pcm
        return try Link("timing", SoundTimingFilter(packets, isCompressed: isCompressed, hidden: lead))
    }

    /// Replaces the channel mask, given in hexadecimal digits.
    private static func positions(_ mask: String) throws(ExportError) -> Link {
        try Link(
            "capssetter", [("caps", "audio/x-raw, channel-mask=(bitmask)0x\(mask)"), ("join", "true")])
    }
}
