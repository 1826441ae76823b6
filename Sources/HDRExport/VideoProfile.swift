import HDRMetadata

/// A profile of a codec that encoders can be asked for.
package enum VideoProfile: String, CaseIterable, Sendable {
    case hevcMain
    case hevcMain10
    case hevcMain422_10
    case hevcMain444_10
    case h264Baseline
    case h264Main
    case h264High
    case proRes

    /// GStreamer's name in caps, which is also the value of the setting profile-level.
    package var name: String {
        switch self {
        case .hevcMain, .h264Main: "main"
        case .hevcMain10: "main-10"
        case .hevcMain422_10: "main-422-10"
        case .hevcMain444_10: "main-444-10"
        case .h264Baseline: "baseline"
        case .h264High: "high"
        case .proRes: "prores"
        }
    }

    package var bitDepth: Int {
        switch self {
        case .hevcMain, .h264Baseline, .h264Main, .h264High: 8
        case .hevcMain10, .hevcMain422_10, .hevcMain444_10, .proRes: 10
        }
    }

    package var chroma: ChromaSubsampling {
        switch self {
        case .hevcMain422_10, .proRes: .yuv422
        case .hevcMain444_10: .yuv444
        default: .yuv420
        }
    }

    var codec: VideoCodec? {
        switch self {
        case .hevcMain, .hevcMain10, .hevcMain422_10, .hevcMain444_10: .hevc
        case .h264Baseline, .h264Main, .h264High: .h264
        case .proRes: nil
        }
    }

    /// The profiles that the setting profile-level can name.
    package static let settable: [VideoProfile] = allCases.filter { $0.codec != nil }

    package static func settable(for codec: VideoCodec) -> [VideoProfile] { settable.filter { $0.codec == codec } }
}

extension VideoProfile: CustomStringConvertible {
    package var description: String {
        switch self {
        case .hevcMain: "Main"
        case .hevcMain10: "Main 10"
        case .hevcMain422_10: "Main 4:2:2 10"
        case .hevcMain444_10: "Main 4:4:4 10"
        case .h264Baseline: "Baseline"
        case .h264Main: "Main"
        case .h264High: "High"
        case .proRes: "ProRes"
        }
    }
}

/// The setting profile-level: a profile's name, and a level where one is demanded.
///
/// Written as GStreamer's profile (`main-10`, `high`), with a level behind it (`high-4.1`), or as Apple's constants
/// write it: `HEVC_Main10_AutoLevel`, `H264_High_4_1`.
package struct ProfileLevel: Equatable, Sendable {
    /// GStreamer's name of the profile.
    package let name: String
    /// The level, such as `4.1`; `nil` where the encoder chooses it.
    package let level: String?
    /// The codec where the text names it; `nil` otherwise.
    let codec: VideoCodec?

    package init(_ text: String) throws(ExportError) {
        let text = AppleNames.profile(text)
        func unknown() -> ExportError {
            let apple = [
                "HEVC_Main_AutoLevel", "HEVC_Main10_AutoLevel", "HEVC_Main42210_AutoLevel", "H264_High_AutoLevel",
            ]
            return .unknownProfile(
                String(text.prefix(64)), near: NearMatches.of(text, in: VideoProfile.settable.map(\.name) + apple))
        }
        guard text.utf8.count <= 64 else { throw unknown() }
        if text.hasPrefix("HEVC_") || text.hasPrefix("H264_") {
            let parts = text.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
            let names = [
                "HEVC_Main": "main", "HEVC_Main10": "main-10", "HEVC_Main42210": "main-422-10",
                "HEVC_Main44410": "main-444-10", "H264_Baseline": "baseline", "H264_Main": "main", "H264_High": "high",
            ]
            guard parts.count >= 3, let name = names[parts.prefix(2).joined(separator: "_")] else { throw unknown() }
            codec = text.hasPrefix("HEVC_") ? .hevc : .h264
            self.name = name
            let rest = parts.dropFirst(2)
            let levelText = rest.joined(separator: ".")
            level =
                levelText == "AutoLevel" ? nil : levelText.hasSuffix(".0") ? String(levelText.dropLast(2)) : levelText
        } else {
            codec = nil
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            if parts.count > 1, let last = parts.last, Self.looksLikeLevel(last) {
                level = String(last)
                name = parts.dropLast().joined(separator: "-")
            } else {
                level = nil
                name = text
            }
        }
        let profiles = VideoProfile.settable.filter { $0.name == name && (codec == nil || $0.codec == codec) }
        let levels = profiles.compactMap(\.codec).flatMap { CodecLevel.all(of: $0).map(\.name) }
        guard !profiles.isEmpty, level.map(levels.contains) ?? true else { throw unknown() }
    }

    /// Whether a part is one digit, or a digit, a point and a digit, which no part of a profile's name is.
    private static func looksLikeLevel(_ part: Substring) -> Bool {
        let bytes = Array(part.utf8)
        let digit = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard bytes.count == 1 || bytes.count == 3, let first = bytes.first, let last = bytes.last else { return false }
        return digit.contains(first) && digit.contains(last) && (bytes.count == 1 || part.dropFirst().hasPrefix("."))
    }

    /// The profile with this name for a codec.
    func profile(of codec: VideoCodec) throws(ExportError) -> VideoProfile {
        guard self.codec == nil || self.codec == codec,
            let profile = VideoProfile.settable(for: codec).first(where: { $0.name == name })
        else { throw .profileCodec(text, codec) }
        return profile
    }

    /// The text of the setting, with Apple's prefix where it came with one, since that names the codec.
    package var text: String {
        guard let codec else { return name + (level.map { "-" + $0 } ?? "") }
        let apple = [
            "main": "Main", "main-10": "Main10", "main-422-10": "Main42210", "main-444-10": "Main44410",
            "baseline": "Baseline", "high": "High",
        ]
        let levelText = level.map { String($0.map { $0 == "." ? "_" : $0 }) } ?? "AutoLevel"
        return "\(codec == .hevc ? "HEVC" : "H264")_\(apple[name] ?? name)_\(levelText)"
    }
}
