/// An encoder element and what to set on it, for a plan. Values are those of GStreamer 1.22 and later.
package struct EncoderOptions: Equatable, Sendable {
    /// The element's factory name.
    package var factory: String
    /// In the order in which to set them.
    package var properties: [EncoderProperty]
    /// The format to feed, GStreamer's name.
    package var rawFormat: String
    /// Caps to demand behind the encoder, so that it makes the plan's profile.
    package var sourceCaps: String
    /// Caps to merge into the encoder's before the muxer, which asks for them; empty: none.
    package var muxerCaps = ""
    /// Encoder delay in samples, which is not in its timestamps.
    package var priming: UInt32 = 0
    /// Whether it needs a device, which may refuse what the element takes.
    package var isHardware = false

    /// As a launch line writes it, without the caps.
    package var launchDescription: String { ([factory] + properties.map(\.launchText)).joined(separator: " ") }

    /// The factory names of all that may encode video, whatever the codec.
    package static let videoFactories =
        ["h265", "h264"].flatMap { ["nv\($0)enc", "nvcuda\($0)enc", "va\($0)enc", "va\($0)lpenc", "qsv\($0)enc"] }
        + ["hdrx265enc", "x265enc", "x264enc", "avenc_prores_ks"]

    /// The encoders to try, the best first: hardware before software. Empty where nothing is encoded.
    package static func candidates(
        for plan: VideoPlan, speed: EncoderSpeed = .medium, withHardware: Bool = true
    ) -> [EncoderOptions] {
        guard let profile = plan.profile, let rawFormat = plan.rawFormat else { return [] }
        let software: [EncoderOptions]
        switch plan.codec {
        case .hevc:
            software = ["hdrx265enc", "x265enc"].map {
                x265($0, plan, profile: profile, rawFormat: rawFormat, speed: speed)
            }
        case .h264: software = [x264(plan, profile: profile, rawFormat: rawFormat, speed: speed)]
        default: return plan.codec.proResVariant.map { [proRes(plan, variant: $0, rawFormat: rawFormat)] } ?? []
        }
        return (withHardware ? hardware(plan, profile: profile, rawFormat: rawFormat, speed: speed) : []) + software
    }

    /// The one of these that a user has named; all of them where none is named.
    package static func named(
        _ name: String, of candidates: [EncoderOptions], codec: String
    ) throws(ExportError) -> [EncoderOptions] {
        let found = candidates.filter { name.isEmpty || $0.factory == name }
        if found.isEmpty { throw .unknownEncoder(name, codec: codec, choices: candidates.map(\.factory)) }
        return found
    }

    /// The encoders to try, the best first; empty where nothing is encoded.
    package static func candidates(for plan: AudioPlan) -> [EncoderOptions] {
        guard !plan.isPassthrough, plan.codec == .aac else { return [] }
        func encoder(_ factory: String, _ rawFormat: String, priming: UInt32) -> EncoderOptions {
            EncoderOptions(
                factory: factory, properties: [EncoderProperty("bitrate", .int(plan.bitRate))], rawFormat: rawFormat,
                sourceCaps: "audio/mpeg, mpegversion=(int)4", priming: priming)
        }
        let all = [
            encoder("fdkaacenc", "S16LE", priming: 2048),
            encoder("avenc_aac", "F32LE", priming: 1024),
        ]
        // voaacenc takes one or two channels and at most 320 kbit/s.
        return plan.channels > 2
            ? all : all + [encoder("voaacenc", "S16LE", priming: 1600)]
    }

    /// The error for a system that has none of them.
    package static func missing(_ candidates: [EncoderOptions], codec: String) -> ExportError {
        refused(candidates.map { EncoderRefusal($0, .missing) }, of: candidates, codec: codec)
    }

    /// This project's encoder, and the plugin that it is in alone.
    package static let own = "hdrx265enc"
    package static let ownPlugin = "libgsthdrx265.so"

    /// The error for a system where none of them can be used.
    /// - Parameter instead: an encoder that is installed and is none of them.
    package static func refused(
        _ refusals: [EncoderRefusal], of candidates: [EncoderOptions], codec: String, instead: String? = nil
    ) -> ExportError {
        // What can be installed is software; fdkaacenc is in no package of Debian's main section, and hdrx265enc in one
        // of this project's.
        let unpackaged = ["fdkaacenc", own]
        let best = candidates.first { !$0.isHardware && !unpackaged.contains($0.factory) } ?? candidates.first
        return .missingEncoder(
            codec: codec, refusals: refusals, package: DebianPackage.of(element: best?.factory ?? "x265enc"),
            instead: instead)
    }

    /// kbit/s.
    static func kilobits(_ bitRate: Int) -> Int { max(1, min(bitRate, 2_000_000_000) / 1000) }
}
