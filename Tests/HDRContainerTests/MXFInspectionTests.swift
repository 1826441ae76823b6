import MetadataTestSupport
import Testing

@testable import HDRContainer
@testable import HDRMetadata

@Suite struct MXFInspectionTests {
    private func inspect(_ bytes: [UInt8]) throws -> ContainerInspection {
        try ContainerInspection(ArrayByteSource(bytes))
    }

    @Test func everythingInADescriptor() throws {
        let file = try inspect(MXFBuilder.file())
        #expect(file.format == .mxf && file.tracks.count == 1 && file.duration == 2_002_000_000)
        let track = try #require(file.tracks.first)
        #expect(track.width == 1280 && track.height == 720 && track.identifier == 7)
        #expect(track.frameRate == FrameRate(24000, 1001) && track.bitDepth == 10 && track.chromaFormat == 2)
        #expect(track.color == .codes(9, 16, 9, isFullRange: false) && track.masteringDisplay == .p3)
        #expect(track.contentLightLevel == ContentLightLevel(maximum: 1000, frameAverage: 400))
    }

    @Test(arguments: [(11, 18), (10, 16), (2, 1), (9, 14), (8, 11), (200, 2)] as [(UInt8, UInt8)])
    func transfers(_ code: UInt8, _ expected: UInt8) throws {
        var items = MXFBuilder.hdr.filter { $0.0 < 0x3210 }
        items.append((0x3210, MXFBuilder.value(1, code)))
        items.append((0x3219, MXFBuilder.value(3, 6)))
        let track = try #require(try inspect(MXFBuilder.file(items)).tracks.first)
        #expect(track.color == .codes(12, expected, 2))
    }

    @Test func aDescriptorWithoutColour() throws {
        let track = try #require(try inspect(MXFBuilder.file(MXFBuilder.hdr.filter { $0.0 < 0x3210 })).tracks.first)
        #expect(track.color == nil && track.masteringDisplay == nil && track.contentLightLevel == nil)
        // An incomplete mastering display counts as missing.
        let part = try #require(
            try inspect(MXFBuilder.file(MXFBuilder.hdr.filter { $0.0 != 0xfff1 })).tracks.first)
        #expect(part.hasMasteringItems && part.masteringDisplay == nil)
    }

    /// A file that is written in one go says at its end what it did not know at its start; a run-in may stand before
    /// it.
    @Test func theFooterOfAnOpenFileAndARunIn() throws {
        let open = MXFBuilder.hdr.filter { $0.0 != 0x3002 }
        var file = MXFBuilder.partition(status: 1) + MXFBuilder.primer + MXFBuilder.set(0x28, open) + MXFBuilder.essence
        let footer = UInt64(file.count)
        file = MXFBuilder.partition(status: 1, footer: footer) + file.dropFirst(MXFBuilder.partition().count)
        #expect(try inspect(file).duration == nil)
        let last = MXFBuilder.partition(kind: 4) + MXFBuilder.primer + MXFBuilder.set(0x28, MXFBuilder.hdr)
        #expect(try inspect(file + last).duration == 2_002_000_000)
        let run = [UInt8](repeating: 0x06, count: 1000)
        let moved = try inspect(run + file + last)
        #expect(moved.headerPosition == 1000 && moved.duration == 2_002_000_000)
    }

    /// A track is there once its descriptor is whole, and until then an error or none.
    @Test func cutAnywhere() throws {
        let file = MXFBuilder.file()
        let tracks = try inspect(file).tracks
        let end = file.count - MXFBuilder.fill.count - MXFBuilder.essence.count
        for count in 0..<file.count {
            do {
                let found = try inspect(Array(file.prefix(count))).tracks
                #expect(found == (count < end ? [] : tracks), "\(count) bytes")
            } catch {
                #expect(error is ContainerError && count < end, "\(count) bytes: \(error)")
            }
        }
    }
}
