import MetadataTestSupport

@testable import HDRBitstream
@testable import HDRMetadata

/// Short-term reference picture sets of HEVC.
enum ReferenceSetFixture {
    /// Three sets: a list, one coded by its difference to the first, and one by its to the second. Their sizes depend
    /// on which pictures the earlier keep, and on a distance that becomes 0.
    static func predictedSets(_ b: inout BitText) {
        b.ue(3)
        b.ue(2)
        b.ue(1)
        for distance in [1, 3, 2] {
            b.ue(distance - 1)
            b.u(1, 1)
        }
        // -1, -4, +2 shifted by +1: 0 falls away, -3, +3, and +1 of the set itself.
        b.u(1, 1)
        b.u(1, 0)
        b.ue(0)
        b.u(1, 1)
        b.u(1, 1)
        b.u(2, 0b01)
        b.u(1, 1)
        // Three pictures remain, so four flags. One of them is dropped.
        b.u(1, 1)
        b.u(1, 1)
        b.ue(4)
        b.u(2, 0b00)
        b.u(3, 0b111)
    }
}
