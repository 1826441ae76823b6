import CGStreamer
import CGstHDR
import GstBridge
import HDRKernels
import HDRMetadata

/// The form of frames that a video output requests. The default requests frames as they are.
///
/// It corresponds to the output settings of AVPlayerItemVideoOutput.
struct OutputSettings: Equatable, Sendable {
    /// A pixel format.
    enum Format: Equatable, Sendable {
        /// A raw video format, by its name in GStreamer.
        case raw(String)
        /// Linear light, RGBA; 1.0 is reference white.
        case light(LightElement)

        /// The format's name in caps; GStreamer knows half floats from 1.30 on.
        var name: String {
            switch self {
            case .raw(let name): name
            case .light(.half): "RGBA_F16LE"
            case .light(.single): "RGBA_F32LE"
            }
        }

        init?(_ name: String) {
            switch name {
            case "RGBA_F16LE", "rgba16f": self = .light(.half)
            case "RGBA_F32LE", "rgba32f": self = .light(.single)
            default:
                guard PixelLayout.byName[name] != nil else { return nil }
                self = .raw(name)
            }
        }
    }

    /// A colour value by its name; several names may stand for the same value.
    struct Named<Value: Equatable & Sendable>: Equatable, Sendable {
        let name: String
        let value: Value
    }

    var format: Format?
    var primaries: Named<GstVideoColorPrimaries>?
    var transfer: Named<GstVideoTransferFunction>?
    var matrix: Named<GstVideoColorMatrix>?
    /// Whether colours outside BT.709, and light above SDR white, are allowed where no colour is requested.
    var allowsWideColor = true

    /// Whether frames are requested as they are.
    var isNothing: Bool { self == OutputSettings() }
}

extension OutputSettings {
    static let primaries: [Named<GstVideoColorPrimaries>] = [
        Named(name: "bt709", value: GST_VIDEO_COLOR_PRIMARIES_BT709),
        Named(name: "display-p3", value: GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432),
        Named(name: "bt2020", value: GST_VIDEO_COLOR_PRIMARIES_BT2020),
        Named(name: "smpte170m", value: GST_VIDEO_COLOR_PRIMARIES_SMPTE170M),
        Named(name: "bt470bg", value: GST_VIDEO_COLOR_PRIMARIES_BT470BG),
        Named(name: "smpteeg432", value: GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432),
    ]
    static let transfers: [Named<GstVideoTransferFunction>] = [
        Named(name: "bt709", value: GST_VIDEO_TRANSFER_BT709),
        Named(name: "srgb", value: GST_VIDEO_TRANSFER_SRGB),
        Named(name: "pq", value: GST_VIDEO_TRANSFER_SMPTE2084),
        Named(name: "hlg", value: GST_VIDEO_TRANSFER_ARIB_STD_B67),
        Named(name: "linear", value: GST_VIDEO_TRANSFER_GAMMA10),
        Named(name: "smpte2084", value: GST_VIDEO_TRANSFER_SMPTE2084),
        Named(name: "arib-std-b67", value: GST_VIDEO_TRANSFER_ARIB_STD_B67),
    ]
    static let matrices: [Named<GstVideoColorMatrix>] = [
        Named(name: "bt709", value: GST_VIDEO_COLOR_MATRIX_BT709),
        Named(name: "bt2020", value: GST_VIDEO_COLOR_MATRIX_BT2020),
        Named(name: "bt601", value: GST_VIDEO_COLOR_MATRIX_BT601),
    ]

    /// Sets a text property; an empty text, or none, requests what the stream has.
    /// - Returns: why the text cannot be used, in which case nothing changes.
    mutating func set(_ property: GstHdrVideoOutputProp, _ text: String?) -> String? {
        let text = text?.isEmpty == true ? nil : text
        switch property {
        case GST_HDR_VIDEO_OUTPUT_PROP_FORMAT:
            guard let text else {
                format = nil
                return nil
            }
            guard let found = Format(text) else {
                let known = PixelLayout.byName.keys.sorted() + ["rgba16f", "rgba32f"]
                return Self.refusal("format", text, known, listed: "rgba16f, rgba32f, and the raw formats of edrsink")
            }
            format = found
            return nil
        case GST_HDR_VIDEO_OUTPUT_PROP_PRIMARIES: return Self.choose(&primaries, "primaries", text, Self.primaries)
        case GST_HDR_VIDEO_OUTPUT_PROP_TRANSFER: return Self.choose(&transfer, "transfer", text, Self.transfers)
        default: return Self.choose(&matrix, "matrix", text, Self.matrices)
        }
    }

    private static func choose<Value>(
        _ setting: inout Named<Value>?, _ property: String, _ text: String?, _ choices: [Named<Value>]
    ) -> String? {
        guard let text else {
            setting = nil
            return nil
        }
        guard let found = choices.first(where: { $0.name == text }) else {
            let names = choices.map(\.name)
            return refusal(property, text, names, listed: names.joined(separator: ", "))
        }
        setting = found
        return nil
    }

    private static func refusal(_ property: String, _ text: String, _ names: [String], listed: String) -> String {
        let near = NearMatches.of(text, in: names)
        let guess = near.isEmpty ? "" : ". Did you mean \(near.prefix(3).joined(separator: " or "))?"
        return "A video output knows no \(property) \"\(text.prefix(64))\": there are \(listed)\(guess)"
    }

    /// The text of a property; `nil` where nothing is requested.
    func text(_ property: GstHdrVideoOutputProp) -> String? {
        switch property {
        case GST_HDR_VIDEO_OUTPUT_PROP_FORMAT: format?.name
        case GST_HDR_VIDEO_OUTPUT_PROP_PRIMARIES: primaries?.name
        case GST_HDR_VIDEO_OUTPUT_PROP_TRANSFER: transfer?.name
        default: matrix?.name
        }
    }
}
