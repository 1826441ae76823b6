import HDRColor

/// Changes the amount of light, as a camera's exposure time does.
package struct Exposure: VideoEffect {
    /// The range of the exposure in stops; each stop doubles the light.
    package static let stopsRange = -20.0...20.0
    package var stops = 0.0

    package init(stops: Double = 0) { self.stops = stops }

    package var matrix: ColorMatrix { ColorMatrix(.diagonal(SIMD3(repeating: Double.pow(2, stops)))) }

    package func planned(for context: EffectContext) -> PlannedEffect { .matrix(matrix) }
}
