import CGStreamer
import GstBridge
import HDRMetadata

/// The way of a sound to the muxer.
struct AudioChain {
    private let plan: AudioPlan
    private let log: Log
    /// What the encoder puts in front of the sound; known once there are links.
    private(set) var priming: AudioPriming?

    init(_ plan: AudioPlan, _ log: Log) {
        self.plan = plan
        self.log = log
    }

    mutating func links() throws(ExportError) -> [Link] {
        if plan.isPassthrough {
            guard plan.codec == .aac || plan.codec == .mp3 || plan.codec == .ac3 || plan.codec == .eac3 else {
                return [try .queue()]
            }
            let parser =
                switch plan.codec {
                case .aac: "aacparse"
                case .mp3: "mpegaudioparse"
                default: "ac3parse"
                }
            return [try Link(parser, package: "gstreamer1.0-plugins-good"), try .queue()]
        }
        var links = [try Link("audioconvert"), try Link("audioresample")]
        let layout = "rate=\(plan.sampleRate), channels=\(plan.channels)"
        if plan.codec == .pcm {
            let format = plan.rawFormat.map { ", format=\($0)" } ?? ""
            links.append(try .caps("audio/x-raw, layout=interleaved, \(layout)\(format)"))
        } else {
            let candidates = EncoderOptions.candidates(for: plan)
            guard let options = candidates.first(where: { Link.exists($0.factory) }) else {
                throw EncoderOptions.missing(candidates, codec: "AAC")
            }
            priming = UInt32(exactly: plan.sampleRate).map { AudioPriming(samples: options.priming, rate: $0) }
            links.append(try .caps("audio/x-raw, \(layout)"))
            links.append(try Link(options, log))
            links.append(try Link("aacparse", package: "gstreamer1.0-plugins-good"))
        }
        links.append(try .queue())
        return links
    }
}
