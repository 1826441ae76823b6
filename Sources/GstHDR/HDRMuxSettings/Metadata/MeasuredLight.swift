import HDRBitstream
import HDRColor

/// The light of pictures as level 1 of Dolby Vision has it: measured in each picture, smoothed within a shot, and new
/// at a cut.
struct MeasuredLight {
    /// In PQ, 0...1.
    struct Light: Equatable {
        /// What a thousandth of the pixels does not exceed, the mean of all, and what 99.9 % do not exceed. A single
        /// bright pixel is no highlight; phones count alike.
        var minimum: Double
        var average: Double
        var maximum: Double

        init(_ statistics: LightStatistics) {
            minimum = statistics.percentile(0.001)
            average = statistics.mean(above: 0)
            maximum = statistics.percentile(0.999)
        }
    }

    /// Seconds in which a shot's light follows what is measured, by 63 %.
    private static let time = 0.25
    private let weight: Double
    private var shots = ShotDetector()
    private(set) var light: Light?
    /// Whether the last picture is the first one of a shot.
    private(set) var beginsShot = false

    /// - Parameter interval: seconds from one picture to the next.
    init(interval: Double) {
        weight = min(interval / Self.time, 1)
    }

    /// - Parameters:
    ///   - structure: what the picture shows; `nil`: unknown.
    ///   - isJoint: another source begins with it.
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
        light?.average = mixed(\.average)
        light?.maximum = mixed(\.maximum)
    }
}

extension DolbyVisionRPU.Level1 {
    init(_ light: MeasuredLight.Light, for version: DolbyVisionRPU.ContentMapping) {
        func code(_ signal: Double) -> UInt16 { UInt16(min(max(signal, 0), 1) * 4095 + 0.5) }
        self.init(
            measured: Self(
                minimumPQ: code(light.minimum), maximumPQ: code(light.maximum), averagePQ: code(light.average)),
            for: version)
    }
}
