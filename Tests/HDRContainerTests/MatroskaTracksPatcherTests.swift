import MetadataTestSupport
import Testing

@testable import HDRContainer
@testable import HDRMetadata

@Suite struct MatroskaTracksPatcherTests {
    typealias Build = MatroskaBuilder

    private func track(_ tracks: [UInt8], _ metadata: ContainerMetadata) throws -> VideoTrack {
        let bytes = try MatroskaTracksPatcher(metadata: metadata).patch(tracks)
        return try #require(try MatroskaInspection.tracks(bytes).first)
    }

    /// The wrong value and the right one of muxers with and without the bug both become the right one.
    @Test func luminanceIsExactWhateverTheMuxerWrote() throws {
        let once = try MatroskaTracksPatcher(metadata: .everything).patch(Build.tracks(Build.videoTrack()))
        for tracks in [Build.tracks(Build.videoTrack()), once, Build.tracks(Build.videoTrack(colour: []))] {
            let track = try track(tracks, .everything)
            #expect(track.masteringValues?.maximum == 1000 && track.masteringValues?.minimum == 0.005)
            // Readers that cut the rest off get the step that is meant.
            let white = try #require(track.masteringValues?.whiteX)
            #expect(abs(white - 0.3127) < 1e-12 && Int(white * 50000) == 15635)
            #expect(track.masteringValues?.redY == 0.32)
            #expect(track.masteringDisplay == .p3)
            #expect(track.contentLightLevel == ContentLightLevel(maximum: 987, frameAverage: 321))
            #expect(track.color == .pq)
            #expect(track.dolbyVision == DolbyVisionRecord(profile: 8, level: 4, compatibility: 1))
            #expect(track.width == 640 && track.configuration?.bytes == [1, 2, 3, 4])
        }
        #expect(try MatroskaTracksPatcher(metadata: .everything).patch(once) == once)
    }

    @Test func nothingAskedForIsNothingChanged() throws {
        let tracks = Build.tracks(Build.audioTrack, Build.videoTrack())
        #expect(try MatroskaTracksPatcher(metadata: .nothing).patch(tracks) == tracks)
    }

    /// The element has the same length for all values and for none, so that later values fit in its place.
    @Test func theLengthDependsOnNoValue() throws {
        let tracks = Build.tracks(Build.videoTrack())
        var counts: Set<Int> = []
        for (maximum, average) in [(0, 0), (1, 0), (0, 1), (255, 256), (10000, 65535)] as [(UInt16, UInt16)] {
            var metadata = ContainerMetadata.everything
            metadata.first.contentLightLevel = .set(ContentLightLevel(maximum: maximum, frameAverage: average))
            let bytes = try MatroskaTracksPatcher(metadata: metadata).patch(tracks)
            counts.insert(bytes.count)
            let level = try MatroskaInspection.tracks(bytes).first?.contentLightLevel
            let wanted = ContentLightLevel(maximum: maximum, frameAverage: average)
            #expect(level == (maximum == 0 && average == 0 ? nil : wanted))
        }
        #expect(counts.count == 1)
    }

    @Test(
        arguments: [
            (0, 1, 2), (1, 2, 2), (2, 1, 1), (3, 2, 1),
        ] as [(UInt8, UInt64, UInt64)])
    func chromaSiting(location: UInt8, horizontal: UInt64, vertical: UInt64) throws {
        var metadata = ContainerMetadata()
        metadata.first.color = .set(.codes(9, 16, 9, chromaLocation: location))
        let bytes = try MatroskaTracksPatcher(metadata: metadata).patch(Build.tracks(Build.videoTrack(colour: [])))
        let expected = Build.number(0x55b7, horizontal) + Build.number(0x55b8, vertical)
        #expect(bytes.indices.contains { bytes[$0...].starts(with: expected) })
        #expect(try MatroskaInspection.tracks(bytes).first?.color?.chromaLocation == location)
    }

    @Test func sitingsThatMatroskaLacksAreLeftOut() throws {
        var metadata = ContainerMetadata()
        metadata.first.color = .set(.codes(9, 16, 9, chromaLocation: 4))
        #expect(try track(Build.tracks(Build.videoTrack(colour: [])), metadata).color?.chromaLocation == nil)
    }

    @Test func whatIsNotAboutItStays() throws {
        let bits = Build.number(0x55b2, 10)
        let colour = Build.element(0x55b0, bits, Build.number(0x55b9, 2))
        let tracks = Build.tracks(Build.audioTrack, Build.videoTrack(colour: colour))
        var metadata = ContainerMetadata()
        metadata.first.color = .set(.codes(9, 16, 9))
        let bytes = try MatroskaTracksPatcher(metadata: metadata).patch(tracks)
        #expect(bytes.indices.contains { bytes[$0...].starts(with: bits) })
        #expect(bytes.indices.contains { bytes[$0...].starts(with: Build.audioTrack) })
        #expect(try MatroskaInspection.tracks(bytes).first?.color == .codes(9, 16, 9, isFullRange: true))
    }

    @Test func removalLeavesNoEmptyElement() throws {
        var metadata = ContainerMetadata()
        metadata.first.color = .remove
        metadata.first.masteringDisplay = .remove
        metadata.first.contentLightLevel = .remove
        let bytes = try MatroskaTracksPatcher(metadata: metadata).patch(Build.tracks(Build.videoTrack()))
        #expect(bytes == Build.tracks(Build.videoTrack(colour: [])))
    }

    @Test func codecConfigurationOfOneTrack() throws {
        let tracks = Build.tracks(Build.videoTrack(1), Build.videoTrack(3))
        var configured = VideoTrackMetadata.nothing
        configured.codecConfiguration = [UInt8](0..<200)
        var metadata = ContainerMetadata(video: [.nothing, configured])
        let bytes = try MatroskaTracksPatcher(metadata: metadata).patch(tracks)
        let result = try MatroskaInspection.tracks(bytes)
        #expect(result.map { $0.configuration?.bytes.count } == [4, 200])
        metadata.video.insert(.nothing, at: 0)
        #expect(throws: ContainerError.noVideoTrack(index: 2)) {
            try MatroskaTracksPatcher(metadata: metadata).patch(tracks)
        }
    }

    @Test func checksumsAreRenewed() throws {
        let entry = Build.videoTrack()
        let crc = Build.element(0xbf, Self.crc(entry))
        let result = try MatroskaTracksPatcher(metadata: .everything).patch(Build.tracks(crc + entry))
        var elements = EBML.elements(result, in: 0..<result.count)
        let tracks = try #require(try elements.next())
        let data = Array(result[tracks.data])
        #expect(Array(data.prefix(6)) == [0xbf, 0x84] + Self.crc(Array(data.dropFirst(6))))
    }

    /// CRC-32 by its table, lowest byte first.
    static func crc(_ bytes: [UInt8]) -> [UInt8] {
        var sum = UInt32.max
        for byte in bytes {
            var entry = (sum ^ UInt32(byte)) & 0xff
            for _ in 0..<8 { entry = entry & 1 == 1 ? (entry >> 1) ^ 0xedb8_8320 : entry >> 1 }
            sum = entry ^ (sum >> 8)
        }
        return bigEndian(~sum).reversed()
    }

    @Test func theChecksumIsTheUsualOne() {
        #expect(EBML.crc32(Array("123456789".utf8)) == [0x26, 0x39, 0xf4, 0xcb])
    }

    /// An element that grows beyond its size field gets a longer one.
    @Test func sizeFieldsGrow() throws {
        let video = Build.element(0xe0, Build.number(0xb0, 640, count: 2), sizeLength: 1)
        let entry = Build.element(0xae, Build.number(0x83, 1) + video, sizeLength: 1)
        let result = try track(Build.tracks(entry, sizeLength: 1), .everything)
        #expect(result.width == 640 && result.masteringDisplay == .p3)
    }

    @Test func brokenTracksAreErrors() {
        let tracks = Build.tracks(Build.videoTrack())
        for bytes in [[], Array(tracks.dropLast()), tracks + [0xec, 0x80], Build.element(0x1549_a966, [])] {
            #expect(throws: ContainerError.self) { try MatroskaTracksPatcher(metadata: .everything).patch(bytes) }
        }
        #expect(throws: ContainerError.noVideoTrack(index: nil)) {
            try MatroskaTracksPatcher(metadata: .everything).patch(Build.tracks(Build.audioTrack))
        }
    }
}
