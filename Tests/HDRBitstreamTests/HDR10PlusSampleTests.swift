import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

/// The HDR10+ messages of real files.
@Suite(Samples.areThere) struct HDR10PlusSampleTests {
    /// Access units of an MP4 file, and whole elementary streams.
    private static func streams(_ name: String) throws -> (units: [[UInt8]], framing: NALFraming) {
        if name.hasSuffix(".h265") { return ([try Samples.bytes(name)], .byteStream) }
        let movie = try BitstreamMovie(name, record: "hvcC")
        return (movie.accessUnits, .lengthPrefixed(.four))
    }

    @Test(arguments: [
        ("hdr10-plus-no-colr.mp4", 28), ("tears-of-steel-street.h265", 1), ("tears-of-steel-neon.h265", 9),
    ]) func messagesAreWrittenByteForByte(name: String, count: Int) throws {
        let (units, framing) = try Self.streams(name)
        let editor = UserDataEditor(.hdr10Plus, in: .hevc(framing))
        var found = 0
        for unit in units {
            let payloads = try editor.payloads(in: unit)
            for payload in payloads { #expect(try HDR10PlusMetadata(payload: payload).payload == payload) }
            found += payloads.count
        }
        #expect(found == count)
    }

    @Test func messagesAreReplacedAndPutBack() throws {
        let (units, framing) = try Self.streams("hdr10-plus-no-colr.mp4")
        let editor = UserDataEditor(.hdr10Plus, in: .hevc(framing))
        for unit in units {
            let payload = try #require(try editor.payloads(in: unit).first)
            var metadata = try HDR10PlusMetadata(payload: payload)
            #expect(metadata.profile == .b && metadata.findings.isEmpty)
            metadata.windows[0].toneMapping = nil
            metadata.targetedSystemDisplayMaximumLuminance = 0
            let changed = try #require(try editor.setting(metadata.payload, in: unit))
            #expect(try editor.payloads(in: changed) == [metadata.payload])
            #expect(try editor.setting(payload, in: changed) == unit)
            let removed = try #require(try editor.setting(nil, in: unit))
            #expect(try editor.payloads(in: removed).isEmpty && removed.count < changed.count)
            #expect(try editor.setting(nil, in: removed) == nil)
        }
    }
}
