import HDRColor

/// The brown of old photographs.
package struct Sepia: VideoEffect {
    package enum Form: CaseIterable, Sendable {
        /// The tone keeps the luminance of the original colour.
        case luminance
        /// The matrix in common use. Its rows have the sums 1.351, 1.203 and 0.937, so white becomes brighter than
        /// before, which only signals that are clipped at 1 hide.
        case classic
    }

    package static let intensityRange = 0.0...1.0
    /// The intensity; 0 for no change.
    package var intensity = 1.0
    package var form = Form.luminance

    package init(intensity: Double = 1, form: Form = .luminance) {
        self.intensity = intensity
        self.form = form
    }

    /// The tone in linear light in BT.709: the tint of greys where the common matrix is applied to signals, as it is
    /// meant.
    private static let tone = SIMD3(1.351, 1.203, 0.937).map { Double.pow($0, 2.4) }

    private static let classic = Matrix3(
        SIMD3(0.393, 0.769, 0.189), SIMD3(0.349, 0.686, 0.168), SIMD3(0.272, 0.534, 0.131))

    /// - Parameter primaries: the primaries of the colours.
    package func matrix(_ primaries: Primaries) -> ColorMatrix {
        let full: Matrix3<Double>
        switch form {
        case .classic: full = Self.classic
        case .luminance:
            let luminance = primaries.luminance
            let tone = Primaries.bt709.matrix(to: primaries) * Self.tone
            let unit = tone / luminance.dot(tone)
            full = Matrix3(luminance * unit.x, luminance * unit.y, luminance * unit.z)
        }
        func row(_ own: SIMD3<Double>, _ row: SIMD3<Double>) -> SIMD3<Double> {
            own * (1 - intensity) + row * intensity
        }
        return ColorMatrix(
            Matrix3(row(SIMD3(1, 0, 0), full.row0), row(SIMD3(0, 1, 0), full.row1), row(SIMD3(0, 0, 1), full.row2)))
    }

    package func planned(for context: EffectContext) -> PlannedEffect { .matrix(matrix(context.primaries)) }
}
