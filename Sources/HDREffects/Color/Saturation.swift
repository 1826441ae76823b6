import HDRColor

/// Colours drawn towards a grey of the same luminance, or away from it.
package struct Saturation: VideoEffect {
    package static let range = 0.0...10.0
    /// The saturation: 0 for greys, 1 for no change.
    package var saturation = 1.0

    package init(saturation: Double = 1) { self.saturation = saturation }

    /// - Parameter primaries: the primaries of the colours.
    package func matrix(_ primaries: Primaries) -> ColorMatrix {
        let luminance = primaries.luminance
        func row(_ own: SIMD3<Double>) -> SIMD3<Double> { own * saturation + luminance * (1 - saturation) }
        return ColorMatrix(Matrix3(row(SIMD3(1, 0, 0)), row(SIMD3(0, 1, 0)), row(SIMD3(0, 0, 1))))
    }

    package func planned(for context: EffectContext) -> PlannedEffect { .matrix(matrix(context.primaries)) }
}
