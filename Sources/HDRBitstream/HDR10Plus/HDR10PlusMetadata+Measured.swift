import HDRColor

extension HDR10PlusMetadata {
    /// Makes profile A metadata from measured pixels: without a curve, which is an artist's choice, and with
    /// fraction_bright_pixels 0, as the profiles require.
    package init(_ light: PQDistribution) {
        self.init()
        func steps(_ light: Double) -> UInt32 { UInt32((min(max(light, 0), PQ.peak) * 10).rounded()) }
        windows[0].maxSCL = SIMD3(
            steps(PQDistribution.light(light.maximum.x)), steps(PQDistribution.light(light.maximum.y)),
            steps(PQDistribution.light(light.maximum.z)))
        windows[0].averageMaxRGB = steps(light.average)
        windows[0].distributionMaxRGB = Self.profilePercentages.map { percentage in
            let value =
                switch percentage {
                case 5: steps(light.percentile(0.9999))
                case 10: UInt32((light.share(upTo: 100) * 100).rounded())
                case 99: steps(light.percentile(0.9998))
                default: steps(light.percentile(Double(percentage) / 100))
                }
            return Percentile(percentage: percentage, percentile: value)
        }
    }
}
