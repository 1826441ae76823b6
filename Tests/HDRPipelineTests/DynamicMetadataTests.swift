import Testing

@testable import HDRPipeline

@Suite struct DynamicMetadataTests {
    @Test func buffersCarryThem() throws {
        let plain = try Buffer(count: 4, time: 40) { $0.copyBytes(from: [1, 2, 3, 4]) }
        #expect(plain.dynamicMetadata == [])
        let message = DynamicMetadata(.hdr10Plus, [0xB5, 0, 0x3C])
        let both = try plain.with([message, DynamicMetadata(.dolbyVision, [25, 8, 9], isStale: true)])
        #expect(both.dynamicMetadata == [DynamicMetadata(.dolbyVision, [25, 8, 9], isStale: true), message])
        #expect(plain.dynamicMetadata == [], "the buffer that it was made of has changed")
        #expect(both.time == 40 && both.withBytes { Array($0) } == [1, 2, 3, 4])
        // They stay on a buffer whose time changes, and are replaced by others.
        let later = try both.retimed(time: 80, duration: nil)
        #expect(later.dynamicMetadata.count == 2)
        let replaced = try later.with([DynamicMetadata(.hdr10Plus, [0xB5, 1])])
        #expect(replaced.dynamicMetadata == [DynamicMetadata(.hdr10Plus, [0xB5, 1])])
        #expect(try replaced.with([]).dynamicMetadata == [])
    }
}
