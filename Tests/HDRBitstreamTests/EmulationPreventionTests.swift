import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream

@Suite struct EmulationPreventionTests {
    private func removed(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { EmulationPrevention.removed(from: $0) }
    }

    @Test(
        arguments: [
            ([0, 0, 0], [0, 0, 3, 0, 3]), ([0, 0, 1], [0, 0, 3, 1]), ([0, 0, 2], [0, 0, 3, 2]),
            ([0, 0, 3], [0, 0, 3, 3]), ([0, 0, 4], [0, 0, 4]), ([0, 0, 0, 0, 1], [0, 0, 3, 0, 0, 3, 1]),
            ([0, 1, 0, 0], [0, 1, 0, 0, 3]), ([], []), ([3], [3]),
        ] as [([UInt8], [UInt8])]) func goldenBytes(payload: [UInt8], escaped: [UInt8])
    {
        #expect(EmulationPrevention.inserted(into: payload) == escaped)
    }

    /// Random bytes with many zeros and small values, which is where it matters.
    @Test func everyPayloadComesBack() {
        var random = SeededGenerator(seed: 11)
        for round in 0..<20000 {
            let values: [UInt8] = round % 2 == 0 ? [0, 0, 0, 1, 2, 3, 4, 255] : [0, 1, 3]
            var payload = (0..<random.below(40)).map { _ in values[random.below(values.count)] }
            if round % 3 == 0 { payload += [0, 0, UInt8(random.below(4))] }
            payload.append(0x80)
            let escaped = EmulationPrevention.inserted(into: payload)
            #expect(removed(escaped) == payload)
            for index in 0..<max(escaped.count - 2, 0) where escaped[index] == 0 && escaped[index + 1] == 0 {
                #expect(escaped[index + 2] > 2)
            }
            #expect(escaped == MetadataTestSupport.escaped(payload))
        }
    }

    @Test func aUnitNeverEndsInZero() {
        for zeros in 1...6 {
            let payload = [1] + [UInt8](repeating: 0, count: zeros)
            #expect(EmulationPrevention.inserted(into: payload).last == 3)
        }
    }

    @Test func theLimitCountsPayload() {
        let escaped: [UInt8] = [0, 0, 3, 1, 0, 0, 3, 0, 5]
        #expect(escaped.withUnsafeBytes { EmulationPrevention.removed(from: $0, limit: 4) } == [0, 0, 1, 0])
        #expect(escaped.withUnsafeBytes { EmulationPrevention.removed(from: $0, limit: 0) } == [])
    }
}
