import Testing

@testable import HDRContainer

@Suite struct DolbyVisionRecordTests {
    /// The `dvvC` boxes of two phones.
    @Test(arguments: [(0x25, 4), (0x15, 2)] as [(UInt8, UInt8)])
    func phones(byte: UInt8, level: UInt8) throws {
        let payload = [0x01, 0x00, 0x10, byte, 0x40] + [UInt8](repeating: 0, count: 19)
        let record = try #require(DolbyVisionRecord(payload: payload))
        #expect(record == DolbyVisionRecord(profile: 8, level: level, compatibility: 4))
        #expect(record.hasRPU && record.hasBaseLayer && !record.hasEnhancementLayer)
        #expect(record.payload == payload)
        #expect(record.boxType == "dvvC")
    }

    @Test func everyFieldSurvives() {
        for profile: UInt8 in [4, 5, 7, 8, 9, 10, 20] {
            let record = DolbyVisionRecord(
                profile: profile, level: 13, compatibility: 6, hasRPU: profile != 4, hasEnhancementLayer: true,
                hasBaseLayer: profile == 7, compression: 3, majorVersion: 2, minorVersion: 1)
            #expect(DolbyVisionRecord(payload: record.payload) == record)
            #expect(record.payload.count == 24)
        }
        #expect(DolbyVisionRecord(profile: 7, level: 1, compatibility: 6).boxType == "dvcC")
        #expect(DolbyVisionRecord(profile: 20, level: 1, compatibility: 0).boxType == "dvwC")
        #expect(DolbyVisionRecord(payload: [1, 0, 16, 21]) == nil)
    }
}
