import MetadataTestSupport
import Testing

@testable import HDRBitstream

@Suite struct VP9FrameHeaderTests {
    /// Numbers of so many bits, most significant first.
    private static func bits(_ fields: [(value: Int, count: Int)]) -> [UInt8] {
        var bits = fields.flatMap { field in (0..<field.count).reversed().map { UInt8(field.value >> $0 & 1) } }
        while bits.count % 8 != 0 { bits.append(0) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
    }

    /// A key frame of 320x180; `depth` is the bit that distinguishes 10 from 12 bits.
    static func frame(
        profile: Int, depth: Int, space: Int, full: Int = 0, across: Int = 1, down: Int = 1, key: Bool = true
    ) -> [UInt8] {
        var fields: [(Int, Int)] = [(2, 2), (profile & 1, 1), (profile >> 1, 1)]
        if profile == 3 { fields.append((0, 1)) }
        fields += [(0, 1), (key ? 0 : 1, 1), (1, 1), (0, 1), (0x49_8342, 24)]
        if profile >= 2 { fields.append((depth, 1)) }
        fields.append((space, 3))
        if space != 7 { fields.append((full, 1)) }
        if profile & 1 == 1 { fields += space == 7 ? [(0, 1)] : [(across, 1), (down, 1), (0, 1)] }
        return bits(fields + [(319, 16), (179, 16)]) + [UInt8](repeating: 0, count: 30)
    }

    private func read(_ frame: [UInt8]) throws -> VP9FrameHeader? {
        try frame.withRawBytes { (bytes) throws(BitstreamError) in try VP9FrameHeader(bytes) }
    }

    @Test func keyFramesTellTheirPicture() throws {
        let hdr = try #require(try read(Self.frame(profile: 2, depth: 0, space: 5)))
        #expect(hdr.profile == 2 && hdr.bitDepth == 10 && hdr.chromaFormat == 1 && hdr.width == 320)
        #expect(hdr.height == 180 && hdr.color == .codes(2, 2, 9, isFullRange: false))
        let deep = try #require(try read(Self.frame(profile: 3, depth: 1, space: 2, full: 1, across: 1, down: 0)))
        #expect(deep.bitDepth == 12 && deep.chromaFormat == 2 && deep.color == .codes(2, 2, 1, isFullRange: true))
        let rgb = try #require(try read(Self.frame(profile: 1, depth: 0, space: 7)))
        #expect(rgb.bitDepth == 8 && rgb.chromaFormat == 3 && rgb.color == .codes(2, 2, 0, isFullRange: true))
        let plain = try #require(try read(Self.frame(profile: 0, depth: 0, space: 3)))
        #expect(plain.color.matrix == 6 && plain.width == 320)
    }

    @Test func otherFramesTellNothing() throws {
        #expect(try read(Self.frame(profile: 2, depth: 0, space: 5, key: false)) == nil)
        for bytes in [[], [0], [0x82], Array(Self.frame(profile: 2, depth: 0, space: 5).prefix(6))] as [[UInt8]] {
            #expect(throws: BitstreamError.self) { try read(bytes) }
        }
        var damaged = Self.frame(profile: 0, depth: 0, space: 1)
        damaged[2] ^= 0xff
        #expect(throws: BitstreamError.self) { try read(damaged) }
    }

    @Test func whatAnInspectionKeeps() throws {
        var inspection = BitstreamInspection(codec: .vp9)
        try inspection.read(accessUnit: Self.frame(profile: 2, depth: 0, space: 5))
        try inspection.read(accessUnit: Self.frame(profile: 2, depth: 0, space: 5, key: false))
        #expect(inspection.lumaDepth == 10 && inspection.profileName == "profile 2" && inspection.color.matrix == 9)
    }

    @Test func damagedFrames() {
        var state: UInt64 = 1
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        for index in 0..<20_000 {
            var frame = Self.frame(profile: index & 3, depth: 1, space: index >> 2 & 7)
            for _ in 0...next() % 3 { frame[Int(next() % 16)] = UInt8(truncatingIfNeeded: next()) }
            _ = try? read(Array(frame.prefix(Int(next() % 24))))
        }
    }
}
