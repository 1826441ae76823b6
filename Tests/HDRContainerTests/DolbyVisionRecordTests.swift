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

    /// AV1 has profile 10, whose base layer is what its transfer function says.
    @Test func recordsOfAV1() {
        for (transfer, compatibility) in [(16, 1), (18, 4), (1, 2)] as [(UInt8, UInt8)] {
            let record = DolbyVisionRecord(
                profile: 10, transfer: transfer, width: 3840, height: 2160, framesPerSecond: 24)
            #expect(record == DolbyVisionRecord(profile: 10, level: 6, compatibility: compatibility))
            #expect(record?.boxType == "dvvC")
        }
        #expect(DolbyVisionRecord(profile: 10, transfer: 2, width: 64, height: 64, framesPerSecond: 24) == nil)
        let alone = DolbyVisionRecord(
            profile: 10, transfer: 16, needsDolbyVision: true, width: 64, height: 64, framesPerSecond: 24)
        #expect(alone == DolbyVisionRecord(profile: 10, level: 1, compatibility: 0))
    }

    /// What is reserved, or longer than this edition's record, is carried as it is, and so is a box of another profile.
    @Test func aRecordThatWasReadIsItsBytes() throws {
        let payload = [0x01, 0x00, 0x10, 0x25, 0x47] + (1...19).map { UInt8($0) } + [0xaa, 0xbb]
        let record = try #require(DolbyVisionRecord(payload: payload, boxType: "dvcC"))
        #expect(record.payload == payload && record.boxType == "dvcC")
        #expect(record.profile == 8 && record.level == 4 && record.compatibility == 4 && record.compression == 1)
        #expect(record != DolbyVisionRecord(profile: 8, level: 4, compatibility: 4, compression: 1))
    }

    /// Copies go from MP4 to QuickTime and Matroska, and from there back.
    @Test func copiesCarryReservedBytes() throws {
        typealias Movie = MovieBuilder
        let payload = [0x01, 0x00, 0x10, 0x25, 0x43] + (1...19).map { UInt8($0 | 0x80) }
        func movie(_ boxes: [UInt8]...) -> [UInt8] {
            Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC] + boxes)]))
        }
        let source = try #require(try MovieInspection.tracks(movie(Box.bytes("dvvC", payload))).first?.dolbyVision)
        var metadata = ContainerMetadata.nothing
        metadata.first.dolbyVision = .set(source)
        let copy = try MovieBoxPatcher(flavor: .quickTime).patch(movie(), with: metadata).bytes
        let tracks = try MatroskaTracksPatcher(metadata: metadata).patch(
            MatroskaBuilder.tracks(MatroskaBuilder.videoTrack()))
        let again = try #require(try MatroskaInspection.tracks(tracks).first?.dolbyVision)
        metadata.first.dolbyVision = .set(again)
        let back = try MovieBoxPatcher(flavor: .iso).patch(movie(), with: metadata).bytes
        for record in [
            source, try MovieInspection.tracks(copy).first?.dolbyVision, again,
            try MovieInspection.tracks(back).first?.dolbyVision,
        ] {
            #expect(record?.payload == payload && record?.boxType == "dvvC")
        }
    }
}
