import HDRBitstream
import HDRColor

/// The light of pictures for level 1 of Dolby Vision: measured in each picture, smoothed within a shot, and reset at a
/// cut.
struct MeasuredLight {
    /// Light as PQ values from 0 to 1.
    struct Light: Equatable {
        /// The 0.1th percentile of the pixels, their mean, and their 99.9th percentile, so that a single bright pixel
        /// does not count as a highlight.
        var minimum: Double
        var average: Double
        var maximum: Double

        init(_ statistics: LightStatistics) {
            minimum = statistics.percentile(0.001)
            average = statistics.mean(above: 0)
            maximum = statistics.percentile(0.999)
        }
    }

    /// The time constant in s with which a shot's light follows the measurements (63 % of a step).
    private static let time = 0.25
    /// The largest deviation of the smoothed light from the picture's own, as a fraction of that: of the average both
    /// ways, of the maximum upwards only. In a fade, displays would otherwise clip highlights or darken the picture.
    private static let averageTolerance = 0.015, maximumTolerance = 0.04
    private let weight: Double
    private var shots = ShotDetector()
    private(set) var light: Light?
    /// Whether the last picture is the first one of a shot.
    private(set) var beginsShot = false

    /// - Parameter interval: the time from one picture to the next, in s.
    init(interval: Double) {
        weight = min(interval / Self.time, 1)
    }

    /// - Parameters:
    ///   - structure: the structure of the picture; `nil` where it is unknown.
    ///   - isJoint: whether another source begins with this picture.
    mutating func add(_ statistics: LightStatistics, _ structure: PictureStructure? = nil, isJoint: Bool = false) {
        let new = Light(statistics)
        beginsShot = shots.begins(SceneSample(statistics), structure, isJoint: isJoint)
        guard let old = light, !beginsShot else {
            light = new
            return
        }
        func mixed(_ path: KeyPath<Light, Double>) -> Double {
            old[keyPath: path] + weight * (new[keyPath: path] - old[keyPath: path])
        }
        light?.minimum = mixed(\.minimum)
        light?.average = min(
            max(mixed(\.average), new.average * (1 - Self.averageTolerance)),
            new.average * (1 + Self.averageTolerance))
        light?.maximum = min(max(mixed(\.maximum), new.maximum), new.maximum * (1 + Self.maximumTolerance))
    }
}

extension DolbyVisionRPU.Level1 {
    init(_ light: MeasuredLight.Light, for version: DolbyVisionRPU.ContentMapping) {
        self.init(
            measured: Self(
                minimumPQ: DolbyVisionLight.code(signal: light.minimum),
                maximumPQ: DolbyVisionLight.code(signal: light.maximum),
                averagePQ: DolbyVisionLight.code(signal: light.average)),
            for: version)
    }
}
