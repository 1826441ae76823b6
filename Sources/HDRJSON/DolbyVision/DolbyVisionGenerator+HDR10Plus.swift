import HDRBitstream

extension DolbyVisionGenerator {
    /// The HDR10+ value that a picture's peak is taken from, by the names of dovi_tool.
    package enum PeakSource: String, CaseIterable, Sendable {
        /// The largest value of the distribution.
        case histogram
        /// The last value of the distribution, mostly the 99.98th percentile.
        case histogram99
        /// The largest component of MaxSCL.
        case maxSCL = "max-scl"
        /// The luminance of MaxSCL as a colour in BT.2020 primaries.
        case maxSCLLuminance = "max-scl-luminance"

        /// The peak in cd/m².
        func peak(_ window: HDR10PlusMetadata.Window) -> Double {
            let steps: Double =
                switch self {
                case .histogram: Double(window.distributionMaxRGB.map(\.percentile).max() ?? window.maxSCL.max())
                case .histogram99: Double(window.distributionMaxRGB.last?.percentile ?? window.maxSCL.max())
                case .maxSCL: Double(window.maxSCL.max())
                case .maxSCLLuminance:
                    0.2627 * Double(window.maxSCL.x) + 0.678 * Double(window.maxSCL.y)
                        + 0.0593 * Double(window.maxSCL.z)
                }
            return steps / 10
        }
    }

    /// Takes shots, and level 1 of each, from HDR10+ metadata: the scenes, and the light of the first picture of each.
    /// The shots that were there before pass their other blocks on to the new shots with the same index.
    package mutating func take(_ document: HDR10PlusDocument, peak: PeakSource) {
        let old = shots
        shots = document.scenes.enumerated().map { number, scene in
            var shot = Shot(duration: scene.count)
            if let window = document.frames[scene.lowerBound].windows.first {
                shot.blocks = [
                    .level1(
                        .init(
                            minimumPQ: 0, maximumPQ: Self.code(peak.peak(window)),
                            averagePQ: Self.code(Double(window.averageMaxRGB) / 10)))
                ]
            }
            if old.indices.contains(number) {
                shot.blocks += old[number].blocks.filter { $0.level != 1 }
                shot.edits = old[number].edits.map { edit in
                    (edit.offset, edit.blocks.filter { $0.level != 1 })
                }
            }
            return shot
        }
        length = 0
    }

    /// The PQ code of light that is rounded to whole cd/m².
    private static func code(_ light: Double) -> UInt16 { DolbyVisionLight.code(light.rounded()) }
}
