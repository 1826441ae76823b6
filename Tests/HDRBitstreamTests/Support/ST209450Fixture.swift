import MetadataTestSupport

@testable import HDRBitstream
@testable import HDRMetadata

/// Messages of ST 2094-50.
enum ST209450Fixture {
    static let prefix = "b500900001"
    /// The syntax of annex C by hand.
    static let minimal = MetadataFixture.bytes(prefix + "00 00")
    static let white = MetadataFixture.bytes(prefix + "00 80 07d0")
    /// A headroom of 2.3004 and the tone map of its reference white.
    static let referenceWhite = MetadataFixture.bytes(prefix + "00 40 59dc 80")
    /// Two images, in custom primaries; the first mixes by weights, with two points and slopes, the second by the
    /// largest component, with one point and without slopes.
    static let images = MetadataFixture.bytes(
        prefix
            + """
             00 c0 03f7 4e20 2c
            80e8 4074 3a98 7530 1d4c 0ea6 3d0e 4042
            0000 e4 1388 2710 08 03e8 07d0 0000 2710 4650 3a98
            3a98 00 04 0bb8 1388
            """.split(separator: "\n").joined())
    /// The same with what images have in common coded once, and data of a later version behind it.
    static let common = MetadataFixture.bytes(
        prefix
            + """
             20 40 4e20 27
            0000 40 0c 03e8 07d0 0000 2710
            3a98 1388 1389 aabb
            """.split(separator: "\n").joined())

    static let messages = [minimal, white, referenceWhite, images, common]
}
