import HDRMetadata

extension VideoCodec {
    /// The codecs that an export can encode.
    package static let encodable: [VideoCodec] = allCases.filter { $0 == .hevc || $0 == .h264 || $0.isProRes }

    /// The smallest side of an encoded picture in pixels: x265 needs a coding unit of 16 samples, x264enc a macroblock,
    /// and qtmux accepts no smaller ProRes.
    static let minimumSide = 16

    /// The codec for a name or a four-character code, in any letter case.
    package init(named name: String) throws(ExportError) {
        let folded = AppleNames.value(name).lowercased()
        let synonyms: [String: VideoCodec] = [
            "hev1": .hevc, "h265": .hevc, "h.265": .hevc, "avc3": .h264, "avc": .h264, "h.264": .h264,
            "prores422": .proRes422, "prores4444": .proRes4444,
        ]
        let known = Self.encodable.first { $0.rawValue == folded || $0.fourCharacterCode == folded }
        guard let codec = known ?? synonyms[folded] else {
            let names = Self.encodable.flatMap { [$0.rawValue, $0.fourCharacterCode] }
            throw .unknownCodec(String(name.prefix(64)), near: NearMatches.of(name, in: names))
        }
        self = codec
    }
}
