/// The bit rates of Dolby Vision's levels ("Dolby Vision Profiles and Levels", version 1.3.3, table 2), main tier.
package enum DolbyVisionRate {
    /// Samples of luma in a second, the widest picture, and kbit/s.
    private static let levels: [(samples: Double, width: Int, rate: Int32)] = [
        (22_118_400, 1280, 20_000), (27_648_000, 1280, 20_000), (49_766_400, 1920, 20_000),
        (62_208_000, 2560, 20_000), (124_416_000, 3840, 20_000), (199_065_600, 3840, 25_000),
        (248_832_000, 3840, 25_000), (398_131_200, 3840, 40_000), (497_664_000, 3840, 40_000),
        (995_328_000, 3840, 60_000), (995_328_000, 7680, 60_000), (1_990_656_000, 7680, 120_000),
        (3_981_312_000, 7680, 240_000),
    ]

    /// The highest rate of the lowest level that has room for the pictures, in kbit/s.
    package static func highest(width: Int, height: Int, framesPerSecond: Double) -> Int32 {
        let samples = Double(width) * Double(height) * framesPerSecond
        return (levels.first { samples <= $0.samples && width <= $0.width } ?? levels[levels.count - 1]).rate
    }
}
