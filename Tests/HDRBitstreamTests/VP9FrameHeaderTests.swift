import MetadataTestSupport
import Testing

@testable import HDRBitstream

@Suite struct VP9FrameHeaderTests {
    typealias Fixture = VP9FrameFixture

    private func read(_ frame: [UInt8]) throws -> VP9FrameHeader? {
        try frame.withRawBytes { (bytes) throws(BitstreamError) in try VP9FrameHeader(bytes) }
    }

    @Test func keyFramesTellTheirPicture() throws {
        let hdr = try #require(try read(Fixture.frame(profile: 2, depth: 0, space: 5)))
        #expect(hdr.profile == 2 && hdr.bitDepth == 10 && hdr.chromaFormat == 1 && hdr.width == 320)
        #expect(hdr.height == 180 && hdr.color == .codes(2, 2, 9, isFullRange: false))
        let deep = try #require(try read(Fixture.frame(profile: 3, depth: 1, space: 2, full: 1, across: 1, down: 0)))
        #expect(deep.bitDepth == 12 && deep.chromaFormat == 2 && deep.color == .codes(2, 2, 1, isFullRange: true))
        let rgb = try #require(try read(Fixture.frame(profile: 1, depth: 0, space: 7)))
        #expect(rgb.bitDepth == 8 && rgb.chromaFormat == 3 && rgb.color == .codes(2, 2, 0, isFullRange: true))
        let plain = try #require(try read(Fixture.frame(profile: 0, depth: 0, space: 3)))
        #expect(plain.color.matrix == 6 && plain.width == 320)
    }

    @Test func otherFramesTellNothing() throws {
        #expect(try read(Fixture.frame(profile: 2, depth: 0, space: 5, key: false)) == nil)
        for bytes in [[], [0], [0x82], Array(Fixture.frame(profile: 2, depth: 0, space: 5).prefix(6))] as [[UInt8]] {
            #expect(throws: BitstreamError.self) { try read(bytes) }
        }
        var damaged = Fixture.frame(profile: 0, depth: 0, space: 1)
        damaged[2] ^= 0xff
        #expect(throws: BitstreamError.self) { try read(damaged) }
    }

    @Test func whatAnInspectionKeeps() throws {
        var inspection = BitstreamInspection(codec: .vp9)
        try inspection.read(accessUnit: Fixture.frame(profile: 2, depth: 0, space: 5))
        try inspection.read(accessUnit: Fixture.frame(profile: 2, depth: 0, space: 5, key: false))
        #expect(inspection.lumaDepth == 10 && inspection.profileName == "profile 2" && inspection.color.matrix == 9)
    }
}
