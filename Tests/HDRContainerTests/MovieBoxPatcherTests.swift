import MetadataTestSupport
import Testing

@testable import HDRContainer
@testable import HDRMetadata

@Suite struct MovieBoxPatcherTests {
    typealias Build = MovieBuilder

    static let zeros: [UInt8] = [0, 0, 0, 0]

    /// The types of the boxes in every sample entry, and what follows them.
    static func entries(_ moov: [UInt8]) throws -> [(types: [String], tail: [UInt8])] {
        let reader = BoxReader(moov)
        var result: [(types: [String], tail: [UInt8])] = []
        try reader.walk(maximumDepth: 6) { box, _ in
            guard box.type == "stsd" else { return }
            var entries = reader.boxes(in: reader.children(of: box))
            while let next = try entries.next() {
                let entry = try VideoSampleEntry(reader, next)
                result.append(
                    (
                        entry.children.map(\.type.description),
                        Array(moov[entry.childrenRange.upperBound..<next.end])
                    ))
            }
        }
        return result
    }

    static func offsets(_ moov: [UInt8]) throws -> [[UInt64]] {
        let reader = BoxReader(moov)
        var result: [[UInt64]] = []
        try reader.walk { box, _ in
            guard box.type == "stco" || box.type == "co64" else { return }
            let width = box.type == "stco" ? 4 : 8
            let count = Int(BigEndian.u32(moov, box.payload.lowerBound + 4) ?? 0)
            result.append(
                (0..<count).compactMap {
                    BigEndian.number(moov, at: box.payload.lowerBound + 8 + width * $0, count: width)
                })
        }
        return result
    }

    @Test func boxesStandInOrderBeforeTheTerminator() throws {
        let source = Build.moov(
            Build.track(entries: [
                Build.entry(
                    [Build.hvcC, Build.box("btrt", Self.zeros), Build.nclc(1, 1, 1), Build.pasp], tail: Self.zeros)
            ]))
        let result = try MovieBoxPatcher(flavor: .quickTime).patch(source, with: .everything)
        let entry = try #require(try Self.entries(result.bytes).first)
        #expect(entry.types == ["hvcC", "dvvC", "btrt", "colr", "mdcv", "clli", "amve", "pasp"])
        #expect(entry.tail == Self.zeros)
        #expect(result.growth == 32 + 32 + 12 + 16 && result.bytes.count == source.count + result.growth)
        #expect(result.entries == 1 && result.widenedTables == 0)

        let track = try #require(try MovieInspection.tracks(result.bytes).first)
        #expect(track.masteringDisplay == .p3)
        #expect(track.contentLightLevel == ContentLightLevel(maximum: 987, frameAverage: 321))
        #expect(track.ambientViewing?.illuminance == 3_140_000)
        #expect(track.dolbyVision == DolbyVisionRecord(profile: 8, level: 4, compatibility: 1))
        #expect(track.color?.transfer == 16 && track.colorTypes == ["nclc"])
    }

    @Test func patchingTwiceChangesNothing() throws {
        for flavor in [MovieBoxPatcher.Flavor.quickTime, .iso] {
            let patcher = MovieBoxPatcher(flavor: flavor)
            let source = Build.moov(Build.track(entries: [Build.entry([Build.hvcC], tail: Self.zeros)]))
            let once = try patcher.patch(source, with: .everything)
            let twice = try patcher.patch(once.bytes, with: .everything)
            #expect(once.entries == 1 && twice.entries == 0)
            #expect(twice.bytes == once.bytes && twice.growth == 0)
        }
    }

    @Test func nothingAskedForIsNothingChanged() throws {
        let source = Build.moov(Build.track(entries: [Build.entry([Build.hvcC, Build.nclc(9, 18, 9)])]))
        #expect(try MovieBoxPatcher(flavor: .iso).patch(source, with: .nothing).bytes == source)
    }

    @Test func oldBoxesAreReplacedAndDuplicatesRemoved() throws {
        let old = Box.bytes("clli", [0, 1, 0, 1])
        let profile = Build.box("colr", Array("prof".utf8), [1, 2, 3])
        let source = Build.moov(
            Build.track(entries: [
                Build.entry([
                    Build.hvcC, old, Build.nclx(1, 1, 1, full: true), profile, Build.nclx(1, 1, 1, full: false), old,
                    Build.box("dvcC", [UInt8](repeating: 0, count: 24)),
                ])
            ]))
        let result = try MovieBoxPatcher(flavor: .iso).patch(source, with: .everything)
        #expect(
            try Self.entries(result.bytes).first?.types == ["hvcC", "clli", "colr", "colr", "dvvC", "mdcv", "amve"])
        let track = try #require(try MovieInspection.tracks(result.bytes).first)
        #expect(track.colorTypes == ["nclx", "prof"])
        #expect(track.color == .codes(9, 16, 9, isFullRange: false))
        #expect(track.contentLightLevel?.maximum == 987)
    }

    @Test func aRangeThatIsNotSaidStays() throws {
        let source = Build.moov(Build.track(entries: [Build.entry([Build.hvcC, Build.nclx(1, 1, 1, full: true)])]))
        var metadata = ContainerMetadata()
        metadata.first.color = .set(.codes(9, 18, 9))
        let result = try MovieBoxPatcher(flavor: .iso).patch(source, with: metadata)
        #expect(try MovieInspection.tracks(result.bytes).first?.color?.isFullRange == true)
        #expect(result.growth == 0)
    }

    @Test func removal() throws {
        let entry = [
            Build.hvcC, Box.bytes("mdcv", MasteringDisplay.p3.payload), Box.bytes("clli", [0, 9, 0, 9]),
            Build.box("dvvC", [UInt8](repeating: 0, count: 24)), Build.nclc(9, 16, 9), Build.pasp,
        ]
        let source = Build.moov(Build.track(entries: [Build.entry(entry, tail: Self.zeros)]))
        var metadata = ContainerMetadata()
        metadata.first.masteringDisplay = .remove
        metadata.first.contentLightLevel = .remove
        metadata.first.dolbyVision = .remove
        let patcher = MovieBoxPatcher(flavor: .quickTime)
        let result = try patcher.patch(source, with: metadata)
        #expect(try Self.entries(result.bytes).first?.types == ["hvcC", "colr", "pasp"])
        #expect(result.growth == -(32 + 12 + 32))
        metadata.first.color = .remove
        #expect(try Self.entries(try patcher.patch(source, with: metadata).bytes).first?.types == ["hvcC", "pasp"])
    }

    @Test func noInsertionRemovesAllButColor() throws {
        let clean = Build.moov(Build.track(entries: [Build.entry([Build.hvcC, Build.nclc(9, 16, 9)])]))
        let patcher = MovieBoxPatcher(flavor: .quickTime)
        let full = try patcher.patch(clean, with: .everything).bytes
        var metadata = ContainerMetadata.everything
        metadata.first.insertion = .none
        #expect(try patcher.patch(full, with: metadata).bytes == clean)
        #expect(VideoTrackMetadata(insertion: .none).asksForNothing)
    }

    @Test func codecConfiguration() throws {
        let source = Build.moov(Build.track(entries: [Build.entry([Build.hvcC, Build.pasp])]))
        var metadata = ContainerMetadata()
        metadata.first.codecConfiguration = [UInt8](0..<40)
        let patcher = MovieBoxPatcher(flavor: .iso)
        let track = try #require(try MovieInspection.tracks(try patcher.patch(source, with: metadata).bytes).first)
        #expect(track.configuration == .init(type: "hvcC", bytes: [UInt8](0..<40)))
        let bare = Build.moov(Build.track(entries: [Build.entry([Build.pasp], codec: "ap4h")]))
        #expect(throws: ContainerError.noCodecConfiguration(codec: "ap4h")) {
            try patcher.patch(bare, with: metadata)
        }
    }

    @Test func eachVideoTrackHasItsOwn() throws {
        let audio = Build.track(2, handler: "soun", entries: [Build.box("mp4a", [UInt8](repeating: 0, count: 28))])
        let video = Build.track(entries: [Build.entry([Build.hvcC])])
        let source = Build.moov(audio, video, audio, video)
        func patched(_ levels: [UInt16?]) throws -> [UInt16?] {
            let tracks = levels.map { level in
                var track = VideoTrackMetadata.nothing
                if let level { track.contentLightLevel = .set(ContentLightLevel(maximum: level, frameAverage: 1)) }
                return track
            }
            let bytes = try MovieBoxPatcher(flavor: .iso).patch(source, with: ContainerMetadata(video: tracks)).bytes
            return try MovieInspection.tracks(bytes).map { $0.contentLightLevel?.maximum }
        }
        #expect(try patched([100, 200]) == [100, 200])
        #expect(try patched([100]) == [100, nil])
        #expect(try patched([nil, 200]) == [nil, 200])
        #expect(try patched([100, nil, nil]) == [100, nil])
        #expect(throws: ContainerError.noVideoTrack(index: 2)) { try patched([nil, nil, 300]) }
        #expect(throws: ContainerError.noVideoTrack(index: nil)) {
            try MovieBoxPatcher(flavor: .iso).patch(Build.moov(audio), with: .everything)
        }
    }

    @Test func severalEntriesOfATrack() throws {
        let source = Build.moov(
            Build.track(entries: [Build.entry([Build.hvcC]), Build.entry([Build.hvcC], codec: "hev1")]))
        let result = try MovieBoxPatcher(flavor: .iso).patch(source, with: .everything)
        #expect(result.entries == 2)
        #expect(try Self.entries(result.bytes).allSatisfy { $0.types.contains("mdcv") })
    }

    @Test func quickTimeRevisionsAndPalettes() throws {
        for revision: UInt16 in 0...2 {
            let source = Build.moov(
                Build.track(entries: [Build.entry([Build.pasp], codec: "apcn", tail: Self.zeros, revision: revision)]))
            let result = try MovieBoxPatcher(flavor: .quickTime).patch(source, with: .everything)
            #expect(try MovieInspection.tracks(result.bytes).first?.pixelAspect?.horizontal == 4)
            #expect(try Self.entries(result.bytes).first?.tail == Self.zeros)
        }
        let palette = bigEndian(UInt32(0)) + bigEndian(UInt16(0)) + bigEndian(UInt16(3)) + [UInt8](0..<32)
        let entry = Build.entry([palette, Build.pasp], codec: "8BPS", depth: 8, colorTable: 0)
        let tracks = try MovieInspection.tracks(Build.moov(Build.track(entries: [entry])))
        #expect(tracks.first?.pixelAspect?.vertical == 3)
    }

    @Test func sizesOf64BitsAreRepaired() throws {
        let video = Build.track(entries: [Build.entry([Build.hvcC])])
        let source = Build.largeBox("moov", Build.movieHeader + Build.largeBox("trak", Array(video.dropFirst(8))))
        let result = try MovieBoxPatcher(flavor: .iso).patch(source, with: .everything)
        var boxes = BoxReader(result.bytes).boxes()
        #expect(try boxes.next()?.end == result.bytes.count)
        #expect(try MovieInspection.tracks(result.bytes).first?.masteringDisplay == .p3)
    }

    // MARK: Chunk offsets

    @Test func offsetsMoveFromAPosition() throws {
        let source = Build.moov(
            Build.track(entries: [Build.entry([Build.hvcC])], offsets: [Build.offsets([40, 1000, 2000])]),
            Build.track(2, handler: "soun", entries: [], offsets: [Build.offsets([999, 1500], wide: true)]))
        var patcher = MovieBoxPatcher(flavor: .iso)
        #expect(try Self.offsets(try patcher.patch(source, with: .everything).bytes) == Self.offsets(source))
        patcher.mediaData = .movesFrom(1000)
        let result = try patcher.patch(source, with: .everything)
        let by = UInt64(result.growth)
        #expect(try Self.offsets(result.bytes) == [[40, 1000 + by, 2000 + by], [999, 1500 + by]])
        #expect(result.widenedTables == 0)
    }

    /// Each table that needs 64 bits moves the data further, so that another one does.
    @Test func offsetsAreWidenedWhereTheyMust() throws {
        let limit = UInt64(UInt32.max)
        let first = Build.track(
            entries: [Build.entry([Build.hvcC])], offsets: [Build.offsets([1000, limit - 50, limit - 120])])
        // Growth of the boxes alone leaves this one within 32 bits; the first table's 12 bytes do not.
        let growth = UInt64(
            try MovieBoxPatcher(flavor: .iso).patch(Build.moov(first), with: .everything).growth)
        let second = Build.track(2, handler: "soun", entries: [], offsets: [Build.offsets([limit - growth])])
        let third = Build.track(3, handler: "soun", entries: [], offsets: [Build.offsets([5, 6000])])
        let source = Build.moov(first, second, third)
        let result = try MovieBoxPatcher(flavor: .iso, mediaData: .movesFrom(100)).patch(source, with: .everything)
        #expect(result.widenedTables == 2)
        #expect(result.growth == Int(growth) + 3 * 4 + 4)
        let by = UInt64(result.growth)
        #expect(
            try Self.offsets(result.bytes) == [
                [1000 + by, limit - 50 + by, limit - 120 + by], [limit - growth + by], [5, 6000 + by],
            ])
        #expect(BoxReader(result.bytes).bytes.count == source.count + result.growth)
        var types: [String] = []
        try BoxReader(result.bytes).walk { box, _ in types.append(box.type.description) }
        #expect(types.filter { $0 == "co64" }.count == 2 && types.filter { $0 == "stco" }.count == 1)
    }

    @Test func sampleAuxiliaryOffsetsMove() throws {
        let scheme = Array("cenc".utf8) + Self.zeros
        let saio = Build.fullBox("saio", flags: 1, scheme + bigEndian(UInt32(1)) + bigEndian(UInt32(5000)))
        let entry = Build.entry([Build.hvcC])
        let source = Build.moov(Build.track(entries: [entry], offsets: [Build.offsets([50]), saio]))
        let result = try MovieBoxPatcher(flavor: .iso, mediaData: .movesFrom(1000)).patch(source, with: .everything)
        #expect(result.bytes.suffix(4) == bigEndian(UInt32(5000 + result.growth))[...])
    }

    @Test(arguments: [UInt32(3), 0x4000_0000, .max]) func tablesThatLieAreErrors(count: UInt32) {
        let table = Build.fullBox("stco", bigEndian(count) + bigEndian(UInt32(1000)) + bigEndian(UInt32(2000)))
        let source = Build.moov(Build.track(entries: [Build.entry([Build.hvcC])], offsets: [table]))
        #expect(throws: ContainerError.self) {
            try MovieBoxPatcher(flavor: .iso, mediaData: .movesFrom(0)).patch(source, with: .everything)
        }
    }

    /// HEVC that is no picture without Dolby Vision's metadata has a sample entry of its own.
    @Test(arguments: [("hvc1", "dvh1"), ("hev1", "dvhe")]) func dolbyVisionAloneHasItsSampleEntry(
        _ plain: String, _ own: String
    ) throws {
        let alone = DolbyVisionRecord(profile: 5, level: 4, compatibility: 0)
        let compatible = DolbyVisionRecord(profile: 8, level: 4, compatibility: 4)
        func type(_ codec: String, _ edit: ContainerEdit<DolbyVisionRecord>, _ children: [[UInt8]] = []) throws
            -> String?
        {
            var metadata = VideoTrackMetadata()
            metadata.hdr.dolbyVision = edit
            metadata.rotation = .set(90)
            let source = Build.moov(Build.track(entries: [Build.entry([Build.hvcC] + children, codec: codec)]))
            let made = try MovieBoxPatcher(flavor: .quickTime).patch(source, with: ContainerMetadata(video: [metadata]))
            return try MovieInspection.tracks(made.bytes).first?.codec
        }
        let box = Build.box("dvcC", alone.payload)
        #expect(try type(plain, .set(alone)) == own && type(own, .set(alone)) == own)
        #expect(try type(plain, .keep, [box]) == own && type(own, .keep) == own && type(plain, .keep) == plain)
        #expect(try type(own, .set(compatible), [box]) == plain && type(own, .remove, [box]) == plain)
        #expect(try type(plain, .set(compatible)) == plain)
    }

    @Test func whatIsNoMovieBoxIsAnError() {
        let patcher = MovieBoxPatcher(flavor: .iso)
        let moov = Build.moov(Build.track(entries: [Build.entry([Build.hvcC])]))
        for bytes in [[], Build.box("free"), Array(moov.dropLast()), moov + [0], Array(moov.prefix(8))] {
            #expect(throws: ContainerError.self) { try patcher.patch(bytes, with: .everything) }
        }
        let short = Build.moov(Build.track(entries: [Build.box("hvc1", [UInt8](repeating: 0, count: 77))]))
        #expect(throws: ContainerError.self) { try patcher.patch(short, with: .everything) }
    }
}
