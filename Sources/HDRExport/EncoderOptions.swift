/// An encoder element and the properties to set for a plan. Values are those of GStreamer 1.22 and later.
package struct EncoderOptions: Equatable, Sendable {
    /// The element's factory name.
    package var factory: String
    /// The properties in the order in which they must be set.
    package var properties: [EncoderProperty]
    /// GStreamer's name of the input format.
    package var rawFormat: String
    /// The caps to request behind the encoder, so that it makes the plan's profile.
    package var sourceCaps: String
    /// The caps to add to the encoder's for a muxer that requires them; empty for none.
    package var muxerCaps = ""
    /// The encoder delay in samples, which is not contained in its timestamps.
    package var priming: UInt32 = 0
    /// Whether it needs a device, which may refuse formats that the element accepts.
    package var isHardware = false

    /// The element in the syntax of a launch line, without the caps.
    package var launchDescription: String { ([factory] + properties.map(\.launchText)).joined(separator: " ") }

    /// The factory names of all encoders that may be used for video, whatever the codec.
    package static let videoFactories =
        ["h265", "h264"].flatMap { ["nv\($0)enc", "nvcuda\($0)enc", "va\($0)enc", "va\($0)lpenc", "qsv\($0)enc"] }
        + ["hdrx265enc", "x265enc", "x264enc", "avenc_prores_ks"]

    /// The encoders to try, the best first, hardware before software; empty where nothing is encoded.
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

    /// The candidate that the user has named; all candidates where none is named.
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
        func encoder(
            _ factory: String, _ rawFormat: String, priming: UInt32, _ others: EncoderProperty...
        ) -> EncoderOptions {
            EncoderOptions(
                factory: factory, properties: [EncoderProperty("bitrate", .int(plan.bitRate))] + others,
                rawFormat: rawFormat, sourceCaps: "audio/mpeg, mpegversion=(int)4", priming: priming)
        }
        let all = [
            encoder("fdkaacenc", "S16LE", priming: 2048),
            // Forced mid/side coding, which is the element's default, loses the side signal of sound that is on one
            // side only: it then comes out of both.
            encoder("avenc_aac", "F32LE", priming: 1024, EncoderProperty("aac-ms", .bool(false))),
        ]
        // voaacenc takes one or two channels and at most 320 kbit/s.
        return plan.channels > 2
            ? all : all + [encoder("voaacenc", "S16LE", priming: 1600)]
    }

    /// The error where none of the candidates is installed.
    package static func missing(_ candidates: [EncoderOptions], codec: String) -> ExportError {
        refused(candidates.map { EncoderRefusal($0, .missing) }, of: candidates, codec: codec)
    }

    /// This project's encoder, which is in a plugin of its own.
    package static let own = "hdrx265enc"
    package static let ownPlugin = "libgsthdrx265.so"

    /// The error where none of the encoders can be used.
    /// - Parameter instead: another installed encoder of the codec.
    package static func refused(
        _ refusals: [EncoderRefusal], of candidates: [EncoderOptions], codec: String, instead: String? = nil
    ) -> ExportError {
        // Only software can be installed; fdkaacenc is in no package of Debian's main section, and hdrx265enc in one of
        // this project's.
        let unpackaged = ["fdkaacenc", own]
        let best = candidates.first { !$0.isHardware && !unpackaged.contains($0.factory) } ?? candidates.first
        return .missingEncoder(
            codec: codec, refusals: refusals, package: DebianPackage.of(element: best?.factory ?? "x265enc"),
            instead: instead)
    }

    /// A bit rate in kbit/s.
    static func kilobits(_ bitRate: Int) -> Int { max(1, min(bitRate, 2_000_000_000) / 1000) }
}
