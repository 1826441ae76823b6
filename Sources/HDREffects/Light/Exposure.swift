import HDRColor

/// More or less light, as by a camera's exposure time.
package struct Exposure: VideoEffect {
    /// Each stop doubles the light.
    package static let stopsRange = -20.0...20.0
    package var stops = 0.0

    package init(stops: Double = 0) { self.stops = stops }

    package var matrix: ColorMatrix { ColorMatrix(.diagonal(SIMD3(repeating: Double.pow(2, stops)))) }

    package func planned(for context: EffectContext) -> PlannedEffect { .matrix(matrix) }
}
