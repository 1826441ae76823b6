import HDRMetadata

/// `speed-preset` of x264enc and x265enc; hardware encoders have steps of their own, and get the nearest.
package enum EncoderSpeed: String, CaseIterable, Sendable {
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo

    package init(named name: String) throws(ExportError) {
        guard let speed = Self(rawValue: name) else {
            throw .unknownSpeed(
                String(name.prefix(64)), near: NearMatches.of(name, in: Self.allCases.map(\.rawValue)))
        }
        self = speed
    }
}
