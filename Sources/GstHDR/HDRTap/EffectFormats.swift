import HDRKernels

/// The video formats that a chain of effects accepts and outputs.
enum EffectFormats: Sendable {
    /// There are no effects on video: all streams pass.
    case all
    /// Every format that can be converted to linear light; frames keep their format.
    case kept
    /// Formats with alpha, for effects that make pixels transparent.
    case withAlpha

    /// The formats that frames of any of these formats become.
    func outputs(_ inputs: [String]?) -> [String] {
        let known = (inputs ?? Self.names).filter { PixelLayout.byName[$0] != nil }
        guard self == .withAlpha else { return known }
        var found: [String] = []
        for name in known.map({ Self.withAlpha($0) ?? $0 }) where !found.contains(name) { found.append(name) }
        return found
    }

    /// The formats whose frames become any of these formats, those that stay as they are first.
    func inputs(_ outputs: [String]?) -> [String] {
        guard let outputs else { return Self.names }
        let same = outputs.filter { PixelLayout.byName[$0] != nil }
        guard self == .withAlpha else { return same }
        let kept = same.filter { Self.withAlpha($0) == nil }
        return kept + Self.names.filter { name in Self.withAlpha(name).map { outputs.contains($0) } ?? false }
    }

    private static let names = PixelLayout.byName.keys.sorted()

    /// The format with alpha that represents all that frames of a format contain; `nil` where their alpha has as many
    /// bits as their colours, and for formats that are not converted.
    static func withAlpha(_ name: String) -> String? {
        guard let layout = PixelLayout.byName[name] else { return nil }
        // Two bits of alpha, as in RGB10A2, cannot express soft edges.
        guard !layout.hasAlpha || layout.alphaBits < layout.bits else { return nil }
        return switch (layout.isRGB, layout.bits, layout.horizontalShift, layout.verticalShift) {
        case (true, 8, _, _): "RGBA"
        case (true, _, _, _): "RGBA64_LE"
        case (false, 8, 1, 1): "A420"
        case (false, 8, _, _): "AYUV"
        case (false, 10, 1, 1): "A420_10LE"
        case (false, 10, 1, 0): "A422_10LE"
        case (false, 10, _, _): "A444_10LE"
        default: "AYUV64"
        }
    }
}
