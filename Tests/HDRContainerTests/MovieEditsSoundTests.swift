import MetadataTestSupport
import Testing

@testable import HDRContainer
@testable import HDRMetadata

/// What is read of the descriptions of raw sound.
@Suite struct MovieEditsSoundTests {
    typealias Movie = MovieBuilder

    /// A sound description of version 2.
    private func fast(
        rate: Double = 96000, channels: UInt32 = 2, bits: UInt32 = 16, flags: UInt32 = 0xc, packet: UInt32 = 1,
        _ children: [UInt8] = []
    ) -> [UInt8] {
        var fields = [UInt8](repeating: 0, count: 6) + bigEndian(UInt16(1)) + bigEndian(UInt16(2)) + [0, 0, 0, 0, 0, 0]
        fields += bigEndian(UInt16(3)) + bigEndian(UInt16(16)) + bigEndian(UInt16(0xfffe)) + [0, 0]
        fields += bigEndian(UInt32(0x10000)) + bigEndian(UInt32(72)) + bigEndian(rate.bitPattern)
        for value in [channels, 0x7f00_0000, bits, flags, channels &* bits / 8, packet] { fields += bigEndian(value) }
        return Movie.box("lpcm", fields, children)
    }

    private func layout(tag: UInt32, bitmap: UInt32 = 0, labels: [UInt32] = []) -> [UInt8] {
        Movie.fullBox(
            "chan",
            bigEndian(tag) + bigEndian(bitmap) + bigEndian(UInt32(labels.count))
                + labels.flatMap { bigEndian($0) + [UInt8](repeating: 0, count: 16) })
    }

    private func edits(_ entries: [UInt8]...) -> MovieEdits {
        var edits = MovieEdits()
        let track = Movie.track(2, handler: "soun", entries: entries)
        let reader = BoxReader(track)
        var boxes = reader.boxes()
        if let box = try? boxes.next() { edits.readSound(reader, box, 2, 1000) }
        return edits
    }

    /// The entry that a demuxer reads.
    private func patched(_ entry: [UInt8], _ edits: MovieEdits) throws -> [UInt8] {
        let patch = try #require(edits.patches.first)
        #expect(edits.patches.count == 1)
        let track = Movie.track(2, handler: "soun", entries: [entry])
        let place = try #require((0..<track.count).first { track[$0...].starts(with: entry) })
        #expect(patch.offset == 1000 + UInt64(place) + 4)
        return Array(entry[..<4]) + patch.bytes + entry.dropFirst(4 + patch.bytes.count)
    }

    @Test(
        arguments: [
            (16, 0xc, "sowt"), (24, 0xc, "sowt"), (32, 0xe, "twos"), (8, 0x8, "raw "),
        ] as [(UInt32, UInt32, String)], [48000.0, 96000.0])
    func version2BecomesVersion1(_ kind: (UInt32, UInt32, String), _ rate: Double) throws {
        let (bits, flags, type) = kind
        let channels = layout(tag: 0x10000, bitmap: 0x3f)
        let entry = fast(rate: rate, channels: 6, bits: bits, flags: flags, channels)
        let found = edits(entry)
        #expect(found.sounds == [2: .init(channels: 6, sampleRate: rate > 65535 ? 96000 : nil, channelMask: 0x3f)])
        let bytes = try patched(entry, found)
        #expect(bytes.count == entry.count && Array(bytes[4..<8]) == Array(type.utf8))
        #expect([16, 24, 26, 32].map { BigEndian.u16(bytes, $0) } == [1, 6, UInt16(bits), 48000])
        let width = bits / 8
        #expect([36, 40, 44, 48].map { BigEndian.u32(bytes, $0) } == [1, width, 6 * width, width])
        #expect(BigEndian.u32(bytes, 52) == 20 && Array(bytes[56..<60]) == Array("free".utf8))
        #expect(bytes.suffix(channels.count).elementsEqual(channels))
    }

    /// Version 1 has types for floats, which are big-endian to the demuxer.
    @Test(
        arguments: [(32, 0x9, "fl32", "F32LE"), (32, 0xb, "fl32", "F32BE"), (64, 0x9, "fl64", "F64LE")]
            as [(UInt32, UInt32, String, String)])
    func floatsOfVersion2(_ bits: UInt32, _ flags: UInt32, _ type: String, _ format: String) throws {
        let entry = fast(rate: 48000, bits: bits, flags: flags)
        let found = edits(entry)
        #expect(found.sounds == [2: .init(channels: 2, sampleRate: nil, format: format)])
        let bytes = try patched(entry, found)
        #expect(Array(bytes[4..<8]) == Array(type.utf8) && BigEndian.u16(bytes, 26) == UInt16(bits))
    }

    /// FFmpeg writes the byte order into the box `wave`; the demuxer reads it of `in24` alone.
    @Test(
        arguments: [("in32", "S32LE"), ("fl32", "F32LE"), ("fl64", "F64LE"), ("in24", nil), ("sowt", nil)]
            as [(String, String?)])
    func byteOrder(_ type: String, _ format: String?) {
        let plain = Array(SoundSampleEntryTests.entry(type, bits: 32, channels: 2, rate: 48000).dropFirst(8))
        func entry(_ order: UInt16, inWave: Bool) -> [UInt8] {
            let order = Movie.box("enda", bigEndian(order))
            return Movie.box(
                type, plain, inWave ? Movie.box("wave", order, bigEndian(UInt32(8)), [0, 0, 0, 0]) : order)
        }
        for inWave in [true, false] {
            #expect(edits(entry(1, inWave: inWave)).sounds[2]?.format == format)
            #expect(edits(entry(0, inWave: inWave)) == MovieEdits())
            let whole = entry(1, inWave: inWave)
            for cut in 8..<whole.count { #expect(edits(bigEndian(UInt32(cut)) + whole[4..<cut]) == MovieEdits()) }
        }
        #expect(edits(Movie.box(type, plain)) == MovieEdits())
    }

    /// Packets of more frames, and numbers that no sound has.
    @Test func othersStayAsTheyAre() {
        let entries = [
            fast(bits: 16, flags: 0x9), fast(packet: 2), fast(rate: .nan), fast(rate: .infinity), fast(rate: -1),
            fast(rate: 1e300), fast(channels: 0), fast(channels: .max), fast(bits: .max), fast(flags: 0),
            SoundSampleEntryTests.entry("sowt", bits: 16, channels: 2, rate: 48000), Movie.box("lpcm"),
        ]
        for entry in entries { #expect(edits(entry) == MovieEdits()) }
        #expect(edits() == MovieEdits() && edits(fast(), fast()) == MovieEdits())
        let whole = fast()
        for cut in 8..<whole.count { #expect(edits(bigEndian(UInt32(cut)) + whole[4..<cut]) == MovieEdits()) }
    }

    /// Quad, 5.1, 7.1 with sides and 4.0 as bitmaps, tags and labels; channels in another order than GStreamer's,
    /// and a layout of other channels than the track's.
    @Test(
        arguments: [
            (4, 0x10000, 0x33, [], 0x33), (6, 0x10000, 0x60f, [], 0xc0f), (4, 0x10000, 0x107, [], 0x107),
            (4, 108 << 16 | 4, 0, [], 0x33), (6, 121 << 16 | 6, 0, [], 0x3f), (6, 122 << 16 | 6, 0, [], 0),
            (4, 0, 0, [1, 2, 5, 6], 0x33), (6, 0, 0, [1, 2, 3, 4, 10, 11], 0xc0f), (6, 0, 0, [1, 3, 2, 5, 6, 4], 0),
            (4, 0, 0, [0, 0, 0, 0], 0), (4, 0, 0, [1, 2, UInt32.max, 6], 0), (5, 0x10000, 0x33, [], 0),
            (4, 0x10000, UInt32.max, [], 0), (4, 121 << 16 | 6, 0, [], 0),
        ] as [(UInt16, UInt32, UInt32, [UInt32], UInt64)])
    func layoutsBecomeMasks(_ channels: UInt16, _ tag: UInt32, _ bitmap: UInt32, _ labels: [UInt32], _ mask: UInt64) {
        for bits in [16, 24] as [UInt16] {
            let plain = SoundSampleEntryTests.entry("sowt", bits: bits, channels: channels, rate: 48000)
            let children = layout(tag: tag, bitmap: bitmap, labels: labels)
            let entry = Movie.box("sowt", Array(plain.dropFirst(8)), children)
            #expect(edits(entry).sounds[2]?.channelMask ?? 0 == mask)
            for cut in plain.count..<entry.count {
                #expect(edits(bigEndian(UInt32(cut)) + entry[4..<cut]) == MovieEdits())
            }
        }
    }
}
