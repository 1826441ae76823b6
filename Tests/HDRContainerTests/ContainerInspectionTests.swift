import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRContainer
@testable import HDRMetadata

/// A file of 50 GB of which only the start and the end exist.
private final class SparseSource: ByteSource {
    let head: [UInt8]
    let tail: [UInt8]
    let tailStart: UInt64
    private(set) var bytesRead = 0

    init(head: [UInt8], tail: [UInt8], at tailStart: UInt64) {
        (self.head, self.tail, self.tailStart) = (head, tail, tailStart)
    }

    var size: UInt64 { tailStart + UInt64(tail.count) }

    func read(at offset: UInt64, count: Int) -> [UInt8] {
        bytesRead += count
        let isTail = offset >= tailStart
        let part = ArrayByteSource(isTail ? tail : head).read(at: isTail ? offset - tailStart : offset, count: count)
        return part + [UInt8](repeating: 0, count: count - part.count)
    }
}

@Suite struct ContainerInspectionTests {
    typealias Movie = MovieBuilder
    typealias Matroska = MatroskaBuilder

    private func inspect(_ bytes: [UInt8]) throws -> ContainerInspection {
        try ContainerInspection(ArrayByteSource(bytes))
    }

    // MARK: QuickTime and ISO

    @Test func everythingInAMovie() throws {
        let entry = Movie.entry(
            [
                Movie.hvcC, Movie.nclx(9, 16, 9, full: true), Box.bytes("mdcv", MasteringDisplay.p3.payload),
                Box.bytes("clli", [0, 200, 0, 100]), Movie.pasp,
            ], width: 1280, height: 720)
        let moov = Movie.moov(
            Movie.track(3, handler: "soun", entries: []),
            Movie.track(7, entries: [entry], matrix: Movie.quarterTurn, longHeader: true), fragmented: true)
        let file = try inspect(Movie.iso + moov)
        #expect(file.format == .iso && file.isFragmented && file.headerPosition == UInt64(Movie.iso.count))
        let track = try #require(file.tracks.first)
        #expect(file.tracks.count == 1 && track.index == 0 && track.identifier == 7 && track.codec == "hvc1")
        #expect(track.width == 1280 && track.height == 720)
        #expect(track.color == .codes(9, 16, 9, isFullRange: true))
        #expect(track.masteringDisplay == .p3)
        #expect(track.contentLightLevel == ContentLightLevel(maximum: 200, frameAverage: 100))
        #expect(track.pixelAspect == .init(horizontal: 4, vertical: 3))
        #expect(track.rotation == 90 && track.matrix == Movie.quarterTurn)
        #expect(track.configuration == .init(type: "hvcC", bytes: Array(Movie.hvcC.dropFirst(8))))
    }

    @Test func encryptedEntriesNameTheirCodec() throws {
        let protection = Movie.box("sinf", Movie.box("frma", Array("hvc1".utf8)))
        let moov = Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC, protection], codec: "encv")]))
        let track = try #require(try inspect(Movie.quickTime + moov).tracks.first)
        #expect(track.codec == "encv" && track.originalFormat == "hvc1")
    }

    /// A movie box behind 50 GB of media data.
    @Test func mediaDataAreNotRead() throws {
        let gigabytes: UInt64 = 50_000_000_000
        let head = Movie.quickTime + bigEndian(UInt32(1)) + Array("mdat".utf8) + bigEndian(gigabytes)
        let moov = Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC])]))
        let source = SparseSource(head: head, tail: moov, at: UInt64(Movie.quickTime.count) + gigabytes)
        let file = try ContainerInspection(source)
        #expect(file.tracks.count == 1 && file.headerPosition == source.tailStart)
        #expect(source.bytesRead < moov.count + 200)
    }

    @Test func brokenMovies() {
        let moov = Movie.moov(Movie.track(entries: [Movie.entry([Movie.hvcC])]))
        #expect(throws: ContainerError.missingBox(path: "moov")) { try inspect(Movie.iso + Movie.box("mdat", [1])) }
        #expect(throws: ContainerError.missingBox(path: "moov")) {
            try inspect(Movie.iso + bigEndian(UInt32(500)) + Array("mdat".utf8))
        }
        #expect(throws: ContainerError.truncated(what: "moov", offset: UInt64(Movie.iso.count))) {
            try inspect(Movie.iso + moov.dropLast())
        }
        #expect(throws: ContainerError.headerTooLarge(what: "moov", size: UInt64(moov.count), limit: 100)) {
            try ContainerInspection(ArrayByteSource(moov), limit: 100)
        }
        let noDescription = Movie.moov(
            Movie.box("trak", Movie.box("mdia", Movie.fullBox("hdlr", [0, 0, 0, 0] + Array("vide".utf8)))))
        #expect(throws: ContainerError.missingBox(path: "moov/trak/mdia/minf/stbl/stsd")) { try inspect(noDescription) }
    }

    @Test func otherFilesAreNamedSo() {
        for bytes in [[], [1, 2, 3], Array("RIFF....AVI LIST".utf8), [UInt8](repeating: 0, count: 64)] {
            #expect(throws: ContainerError.notRecognized) { try inspect(bytes) }
        }
    }

    // MARK: Matroska

    @Test func everythingInMatroska() throws {
        let record = DolbyVisionRecord(profile: 8, level: 3, compatibility: 4)
        let mapping = Matroska.element(
            0x41e4, Matroska.number(0x41e7, UInt64(record.boxType.value), count: 4),
            Matroska.element(0x41ed, record.payload))
        let siting = Matroska.number(0x55b7, 1) + Matroska.number(0x55b8, 1)
        let colour = Matroska.element(
            0x55b0, siting, Matroska.number(0x55b9, 2), Matroska.number(0x55b1, 9), Matroska.number(0x55ba, 18),
            Matroska.number(0x55bb, 9), Matroska.number(0x55bc, 1000, count: 2), Matroska.wrongMastering,
            Matroska.number(0x54b0, 1280, count: 2))
        let display = Matroska.number(0x54b0, 1280, count: 2) + Matroska.number(0x54ba, 360, count: 2)
        let roll = Matroska.element(0x7670, Matroska.float(0x7675, -90))
        let tracks = Matroska.tracks(
            Matroska.audioTrack, Matroska.videoTrack(5, colour: colour + display + roll, extra: mapping))
        let file = try inspect(
            Matroska.header("webm") + Matroska.unknownSize(0x1853_8067) + Matroska.element(0xec, [0, 0]) + tracks)
        #expect(file.format == .webm && file.tracks.count == 1)
        let track = try #require(file.tracks.first)
        #expect(track.identifier == 5 && track.codec == "V_MPEGH/ISO/HEVC" && track.width == 640)
        #expect(track.color == .codes(9, 18, 9, isFullRange: true, chromaLocation: 2))
        #expect(track.contentLightLevel == ContentLightLevel(maximum: 1000, frameAverage: 0))
        #expect(track.masteringValues?.maximum == 200 && track.masteringDisplay?.maximum == 2_000_000)
        #expect(track.masteringDisplay?.red == SIMD2(34000, 16000))
        #expect(track.dolbyVision == record)
        #expect(track.configuration == .init(type: "CodecPrivate", bytes: [1, 2, 3, 4]))
        #expect(track.pixelAspect == .init(horizontal: 2, vertical: 1))
        #expect(track.rotation == 90)
    }

    @Test func masteringValuesThatAreIncompleteOrAbsurd() throws {
        var cases: [[UInt32: Double]] = [[0x55d1: 0.68]]
        for value in [Double.nan, .infinity, -1, 1e300] {
            var all: [UInt32: Double] = [0x55d9: value]
            for id: UInt32 in 0x55d1...0x55da where id != 0x55d9 { all[id] = 0.3 }
            cases.append(all)
        }
        for all in cases {
            let mastering = Matroska.element(0x55d0, all.flatMap { Matroska.float($0, $1) })
            let tracks = Matroska.tracks(Matroska.videoTrack(colour: Matroska.element(0x55b0, mastering)))
            let track = try #require(try MatroskaInspection.tracks(tracks).first)
            #expect(track.masteringValues != nil && track.masteringDisplay == nil)
        }
    }

    @Test func tracksBehindClustersAreFoundBySeekHead() throws {
        let cluster = Matroska.unknownSize(0x1f43_b675) + [0xe7, 0x81, 0]
        let tracks = Matroska.tracks(Matroska.videoTrack())
        let size = Matroska.element(0x114d_9b74, Matroska.seek(0x1654_ae6b, 0)).count
        let head = Matroska.element(0x114d_9b74, Matroska.seek(0x1654_ae6b, UInt64(size + cluster.count)))
        let start = Matroska.header() + Matroska.unknownSize(0x1853_8067)
        let file = try inspect(start + head + cluster + tracks)
        #expect(file.tracks.count == 1 && file.headerPosition == UInt64(start.count + size + cluster.count))
        #expect(throws: ContainerError.missingElement("Tracks")) { try inspect(start + cluster + tracks) }
    }

    @Test func brokenMatroska() {
        let start = Matroska.header() + Matroska.unknownSize(0x1853_8067)
        #expect(throws: ContainerError.missingElement("Tracks")) { try inspect(start) }
        #expect(throws: ContainerError.self) { try inspect(start + Matroska.tracks(Matroska.videoTrack()).dropLast()) }
        #expect(throws: ContainerError.self) { try inspect(start + [0, 0, 0, 0, 0, 0]) }
        #expect(throws: ContainerError.self) { try inspect(start + Matroska.unknownSize(0x1654_ae6b)) }
        #expect(throws: ContainerError.self) {
            try ContainerInspection(
                ArrayByteSource(start + Matroska.tracks(Matroska.videoTrack())), limit: 100)
        }
    }

    // MARK: Sources

    @Test func sourcesThatLie() throws {
        struct Liar: ByteSource {
            var size: UInt64
            var bytes: [UInt8]
            func read(at offset: UInt64, count: Int) -> [UInt8] { bytes }
        }
        let head = Movie.iso + Movie.box("free")
        for size in [UInt64.max, 1 << 62, 100, 12] {
            for bytes in [[], head, Array(head.prefix(12)), Array(head.prefix(16)), Matroska.header()] {
                #expect(throws: (any Error).self) { try ContainerInspection(Liar(size: size, bytes: bytes)) }
            }
        }
    }

    @Test(Samples.areThere)
    func realFiles() throws {
        let phone = try inspect(Samples.bytes("iphone-dolby-vision-8.4-hlg.mov"))
        let track = try #require(phone.tracks.first)
        #expect(phone.format == .quickTime && track.codec == "hvc1" && track.width == 1280 && track.height == 720)
        #expect(track.color == .codes(9, 18, 9) && track.colorTypes == ["nclc"])
        #expect(track.ambientViewing == AmbientViewing(illuminance: 3_140_000, light: SIMD2(15635, 16450)))
        #expect(track.dolbyVision == DolbyVisionRecord(profile: 8, level: 2, compatibility: 4))
        #expect(track.configuration?.type == "hvcC" && track.rotation == 90)

        let untagged = try #require(try inspect(Samples.bytes("hdr10-plus-no-colr.mp4")).tracks.first)
        #expect(untagged.codec == "hev1" && untagged.color == nil && untagged.width == 1920)
        let av1 = try #require(try inspect(Samples.bytes("hdr10-av1.mp4")).tracks.first)
        #expect(av1.codec == "av01" && av1.configuration?.type == "av1C")
        #expect(av1.color == .codes(9, 16, 9, isFullRange: false))
        let dolby = try inspect(Samples.bytes("dolby-vision-8.1-hdr10.mkv"))
        #expect(dolby.format == .matroska)
        #expect(dolby.tracks.first?.dolbyVision == DolbyVisionRecord(profile: 8, level: 1, compatibility: 1))
    }

    @Test func timecodesAreNoticed() throws {
        let video = Movie.track(entries: [Movie.entry([])])
        let timecode = Movie.track(2, handler: "tmcd", entries: [])
        #expect(try inspect(Movie.quickTime + Movie.moov(video, timecode)).hasTimecode)
        #expect(try !inspect(Movie.quickTime + Movie.moov(video)).hasTimecode)
    }
}
