import CGStreamer
import CGstFormat
import HDRBitstream
import HDRColor
import HDRKernels

/// One side of a conversion.
struct Signal {
    let format: String
    let colorimetry: String

    init(_ format: String, _ colorimetry: String) {
        self.format = format
        self.colorimetry = colorimetry
    }

    /// MPEG-2 siting, as most files have; formats without horizontal chroma subsampling have none.
    private var site: String {
        let pixels = gst_video_format_get_info(hdr_video_format_from_string(format))
        return pixels.map { $0.pointee.w_sub.1 > 0 } ?? false ? ",chroma-site=mpeg2" : ""
    }

    func caps(width: Int, height: Int) -> String {
        "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=60/1,pixel-aspect-ratio=1/1,"
            + "interlace-mode=progressive,colorimetry=(string)\(colorimetry)\(site)"
    }

    /// The colorimetries that have no name in GStreamer are range, matrix, transfer and primaries as numbers.
    var name: String {
        let names = [
            "1:3:5:1": "bt709 full range", "2:4:5:1": "bt709 with the matrix of bt601", "1:1:5:1": "bt709",
        ]
        return "\(format) \(names[colorimetry] ?? colorimetry)"
    }
}

/// A conversion that can be measured.
struct Conversion {
    enum Kind {
        /// Light is computed. `tones` are the tone curves that are measured by default, where the conversion uses one.
        case light(tones: [String])
        /// Samples are only arranged and scaled; light is never computed.
        case samples
    }

    let name: String
    var source: Signal
    var target: Signal
    let kind: Kind
    /// The properties of `hdrconvert`, except for the tone curve.
    var properties: String
    /// The profile of the Dolby Vision metadata on each frame; `nil` for none.
    let profile: DolbyVisionRPU.AuthoredProfile?
    /// Whether `videoconvert` has an equivalent: it knows no peaks, and ignores a change of range alone.
    let hasPeer: Bool
    let isDefault: Bool

    /// The source's signal, and the metadata on it.
    var sourceName: String { source.name + (profile.map { ", Dolby Vision \($0.rawValue)" } ?? "") }

    /// A row of the list.
    var json: JSON {
        .object([
            ("conversion", .string(name)), ("from", .string(sourceName)), ("to", .string(target.name)),
            ("measured-by-default", .bool(isDefault)), ("tones", .array((tones ?? []).map(JSON.string))),
            ("cpus", .array(InstructionSet.supported.map { .string($0.names[0]) })),
        ])
    }

    init(
        _ name: String, _ source: Signal, _ target: Signal, _ kind: Kind, properties: String = "",
        profile: DolbyVisionRPU.AuthoredProfile? = nil, hasPeer: Bool = true, isDefault: Bool = false
    ) {
        self.name = name
        self.source = source
        self.target = target
        self.kind = kind
        self.properties = properties
        self.profile = profile
        self.hasPeer = hasPeer && profile == nil
        self.isDefault = isDefault
    }

    /// The tone curves to measure; `nil` where the conversion uses none.
    var tones: [String]? {
        if case .light(let tones) = kind, !tones.isEmpty { tones } else { nil }
    }

    /// `hdrconvert` as on a launch line: as it is where the tone curve is `auto`, else that curve or none, without
    /// measuring.
    func line(tone: String?, quality: String, threads: Int) -> String {
        var line = "hdrconvert n-threads=\(threads) quality=\(quality)"
        if let tone, tone != "auto" { line += " tone-mapping=\(tone) gamut-mapping=clip" }
        if tone != "auto" { line += " peak-detection=off" }
        if case .samples = kind { line += " dither=none" }
        return properties.isEmpty ? line : line + " " + properties
    }

    /// The equivalent `videoconvert`, without tone mapping; `nil` where it would only copy.
    func peerLine(threads: Int) -> String? {
        guard hasPeer else { return nil }
        return switch kind {
        case .light: "videoconvert n-threads=\(threads) gamma-mode=remap primaries-mode=fast"
        case .samples: "videoconvert n-threads=\(threads) dither=none"
        }
    }
}

extension Conversion {
    private static let pq = "bt2100-pq"
    private static let hlg = "bt2100-hlg"
    private static let sdr = "bt709"
    private static let toSDR = Kind.light(tones: ["auto"])
    private static let level = Kind.light(tones: [])

    static let all: [Conversion] = [
        Conversion(
            "pq-sdr", Signal("P010_10LE", pq), Signal("NV12", sdr), .light(tones: ["auto", "bt2390", "bt2446a"]),
            isDefault: true),
        Conversion("pq-sdr-planar", Signal("I420_10LE", pq), Signal("I420", sdr), toSDR),
        Conversion("pq-sdr10", Signal("P010_10LE", pq), Signal("P010_10LE", sdr), toSDR),
        Conversion("pq-sdr-422", Signal("I422_10LE", pq), Signal("Y42B", sdr), toSDR),
        Conversion("pq-sdr-444", Signal("Y444_10LE", pq), Signal("Y444", sdr), toSDR),
        Conversion("pq-sdr-v210", Signal("v210", pq), Signal("v210", sdr), toSDR),
        Conversion("pq-rgb", Signal("P010_10LE", pq), Signal("RGBA", "sRGB"), toSDR, isDefault: true),
        Conversion("pq-rgb16", Signal("P010_10LE", pq), Signal("RGBA64_LE", "sRGB"), toSDR),
        Conversion(
            "pq-600", Signal("P010_10LE", pq), Signal("P010_10LE", pq), .light(tones: ["bt2390"]),
            properties: "source-peak=1000 target-peak=600", hasPeer: false),
        Conversion("pq-hlg", Signal("P010_10LE", pq), Signal("P010_10LE", hlg), level, isDefault: true),
        Conversion("hlg-sdr", Signal("P010_10LE", hlg), Signal("NV12", sdr), toSDR, isDefault: true),
        Conversion("dv81-sdr", Signal("P010_10LE", pq), Signal("NV12", sdr), toSDR, profile: .profile81),
        Conversion("dv5-sdr", Signal("P010_10LE", pq), Signal("NV12", sdr), toSDR, profile: .profile5),
        Conversion("dv84-sdr", Signal("P010_10LE", hlg), Signal("NV12", sdr), toSDR, profile: .profile84),
        Conversion("hlg-rgb", Signal("P010_10LE", hlg), Signal("RGBA", "sRGB"), toSDR),
        Conversion("hlg-pq", Signal("P010_10LE", hlg), Signal("P010_10LE", pq), level),
        Conversion("sdr-pq", Signal("NV12", sdr), Signal("P010_10LE", pq), level, isDefault: true),
        Conversion("sdr-hlg", Signal("NV12", sdr), Signal("P010_10LE", hlg), level),
        Conversion("rgb-pq", Signal("RGBA", "sRGB"), Signal("P010_10LE", pq), level),
        Conversion("primaries", Signal("NV12", sdr), Signal("NV12", "bt601"), level),
        Conversion("depth", Signal("P010_10LE", sdr), Signal("NV12", sdr), .samples, isDefault: true),
        Conversion("depth-up", Signal("NV12", sdr), Signal("P010_10LE", sdr), .samples),
        Conversion("shuffle", Signal("I420_10LE", pq), Signal("P010_10LE", pq), .samples, isDefault: true),
        Conversion("range", Signal("NV12", sdr), Signal("NV12", "1:3:5:1"), .samples, hasPeer: false),
        Conversion("matrix", Signal("NV12", sdr), Signal("NV12", "2:4:5:1"), .samples),
        Conversion("yuv-rgb", Signal("NV12", sdr), Signal("RGBA", "1:1:5:1"), .samples),
    ]

    /// Values of `hdrconvert`'s properties `tone-mapping` and `quality`.
    static let toneNames = ["auto"] + ToneCurve.choices.map(\.name)
    static let qualityNames = ["fast", "balanced", "reference"]
}
