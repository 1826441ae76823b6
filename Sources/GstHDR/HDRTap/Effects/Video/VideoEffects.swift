import HDREffects

/// The effects on video.
enum VideoEffects {
    static let kinds: [EffectKind] = [
        exposure, colorMatrix, whiteBalance, saturation, sepia, invert, highlight, chromaKey, vignette, gaussianBlur,
        zoomBlur, lut, StatisticsEffect.kind,
    ]

    /// - Parameters:
    ///   - parameters: the initial parameters of an effect.
    ///   - list: its properties.
    ///   - addsAlpha: whether it makes pixels transparent.
    ///   - missing: which parameters must be set before use; `nil` where none are missing.
    static func kind<Parameters: VideoEffect>(
        _ name: String, _ typeName: String, _ parameters: Parameters, _ list: [EffectParameter<Parameters>],
        addsAlpha: Bool = false, missing: @escaping @Sendable (Parameters) -> String? = { _ in nil }
    ) -> EffectKind {
        EffectKind(
            name: name, media: .video, typeName: typeName, properties: list.map(\.property),
            addsAlpha: addsAlpha, make: { ParametricEffect($0, name, parameters, list, missing) })
    }
}
