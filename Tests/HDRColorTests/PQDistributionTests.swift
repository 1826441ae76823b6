import Testing

@testable import HDRColor

/// The distribution that HDR10+ is made of.
@Suite struct PQDistributionTests {
    private static func distribution(_ pixels: [SIMD3<UInt16>]) -> PQDistribution {
        var result = PQDistribution()
        pixels.flatMap { [$0.x, $0.y, $0.z, 65535] }.withUnsafeBufferPointer { result.add($0) }
        return result
    }

    @Test func countsTheLargestComponent() {
        let found = Self.distribution([SIMD3(7, 3, 5), SIMD3(1, 9, 2), SIMD3(0, 4, 7), SIMD3(65535, 0, 0)])
        #expect(found.pixels == 4 && found.maximum == SIMD3(65535, 9, 7))
        #expect(found.histogram[7] == 2 && found.histogram[9] == 1 && found.histogram[65535] == 1)
        #expect(found.percentile(0.25) == PQDistribution.light(7) && found.percentile(0.5) == PQDistribution.light(7))
        #expect(found.percentile(0.51) == PQDistribution.light(9) && found.percentile(1) == 10000)
        #expect(found.share(upTo: PQDistribution.light(9)) == 0.75 && found.share(upTo: 10000) == 1)
        let sum = 2 * PQDistribution.light(7) + PQDistribution.light(9) + 10000
        #expect(abs(found.average - sum / 4) < 1e-9)
    }

    @Test func partsAdd() {
        let all = (UInt16(0)..<999).map { (n: UInt16) -> SIMD3<UInt16> in
            let (red, green): (UInt16, UInt16) = (n * 61, 60000 - n * 13)
            return SIMD3(red, green, n)
        }
        var sum = Self.distribution(Array(all.prefix(400)))
        sum.add(Self.distribution(Array(all.dropFirst(400))))
        #expect(sum == Self.distribution(all))
        sum.reset()
        #expect(sum == PQDistribution() && sum.average == 0 && sum.percentile(0.5) == 0 && sum.share(upTo: 1) == 0)
    }
}
