import Testing

@testable import HDRBitstream

@Suite struct AccessUnitDelimiterTests {
    @Test func beginnings() {
        func begins(_ delimiter: AccessUnitDelimiter, _ bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { delimiter.begins($0) }
        }
        #expect(begins(.hevc, AccessUnitDelimiter.hevc.bytes))
        #expect(begins(.h264, AccessUnitDelimiter.h264.bytes))
        #expect(begins(.hevc, [0, 0, 1, 0x46, 1, 0x10]))
        // A parameter set, a picture, and what is no byte stream.
        #expect(!begins(.hevc, [0, 0, 0, 1, 0x40, 1, 12]))
        #expect(!begins(.h264, [0, 0, 0, 1, 0x67, 100, 0]))
        #expect(!begins(.hevc, [0, 0, 0, 3, 0x46, 1, 0x50]))
        #expect(!begins(.hevc, [1, 0x46, 1]))
        #expect(!begins(.hevc, [0, 0, 1]) && !begins(.hevc, [0, 0, 0, 0]) && !begins(.hevc, []))
    }
}
