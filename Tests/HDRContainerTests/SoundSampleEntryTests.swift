import HDRMetadata
import Testing

@testable import HDRContainer

@Suite struct SoundSampleEntryTests {
    typealias Build = MovieBuilder

    /// A sample entry as qtmux writes it, in version 0 for 8 and 16 bits and in version 1 for more.
    static func entry(_ type: String, bits: UInt16, channels: UInt16, rate: UInt32) -> [UInt8] {
        let isLong = bits > 16
        var fields = [UInt8](repeating: 0, count: 6) + bigEndian(UInt16(1)) + bigEndian(UInt16(isLong ? 1 : 0))
        fields += [UInt8](repeating: 0, count: 6) + bigEndian(channels) + bigEndian(bits) + bigEndian(UInt32(0))
        fields += bigEndian(rate << 16)
        if isLong { for _ in 0..<4 { fields += bigEndian(UInt32(bits / 8)) } }
        return Build.box(type, fields)
    }

    private func patched(
        _ entry: [UInt8], rate: UInt32, mask: UInt64, _ flavor: MovieBoxPatcher.Flavor = .quickTime,
        floatBits: UInt16? = nil
    ) throws -> [UInt8] {
        let pcm = PCMDescription(sampleRate: rate, channelMask: mask, floatBits: floatBits)
        return try patched(entry, AudioTrackMetadata(pcm: pcm), flavor)
    }

    private func patched(
        _ entry: [UInt8], _ sound: AudioTrackMetadata, _ flavor: MovieBoxPatcher.Flavor
    ) throws -> [UInt8] {
        let moov = Build.moov(
            Build.track(entries: [Build.entry([])]), Build.track(2, handler: "soun", entries: [entry]))
        var metadata = ContainerMetadata()
        metadata.audio = [sound]
        let result = try MovieBoxPatcher(flavor: flavor).patch(moov, with: metadata)
        let reader = BoxReader(result.bytes)
        let movie = try MovieInspection.movie(reader)
        #expect(movie.end == result.bytes.count)
        var tracks = reader.boxes(in: movie.payload)
        while let track = try tracks.next() {
            guard track.type == .trak, let media = try MovieInspection.media("soun", reader, track),
                let samples = media.samples
            else { continue }
            var entries = reader.boxes(in: reader.children(of: samples))
            guard let entry = try entries.next() else { continue }
            return Array(result.bytes[entry.start..<entry.end])
        }
        return []
    }

    /// The 16.16 field of versions 0 and 1 holds 30 464 of 96 000 Hz; version 2 has a float of 64 bits.
    @Test(
        arguments: [("sowt", 16, 0xc), ("sowt", 24, 0xc), ("twos", 32, 0xe), ("raw ", 8, 0x8)],
        [88_200 as UInt32, 96_000, 192_000])
    func fastPCMHasVersion2(_ kind: (String, UInt16, UInt32), _ rate: UInt32) throws {
        let (type, bits, flags) = kind
        let entry = try patched(Self.entry(type, bits: bits, channels: 2, rate: rate), rate: rate, mask: 0)
        #expect(Array(entry[4..<8]) == Array("lpcm".utf8))
        #expect(entry.count == 72)
        #expect(BigEndian.u16(entry, 16) == 2)
        #expect([24, 26, 28, 30].map { BigEndian.u16(entry, $0) } == [3, 16, 0xfffe, 0])
        #expect(BigEndian.u32(entry, 32) == 0x10000 && BigEndian.u32(entry, 36) == 72)
        #expect(BigEndian.u64(entry, 40).map { Double(bitPattern: $0) } == Double(rate))
        let rest = stride(from: 48, to: 72, by: 4).map { BigEndian.u32(entry, $0) }
        #expect(rest == [2, 0x7f00_0000, UInt32(bits), flags, 2 * UInt32(bits) / 8, 1])
    }

    /// The muxer gets them as integers of 32 bits, those of 64 bits in twice as many channels.
    @Test(
        arguments: [("sowt", 32, 2, 0x9), ("twos", 32, 2, 0xb), ("sowt", 64, 4, 0x9), ("twos", 64, 4, 0xb)]
            as [(String, UInt16, UInt16, UInt32)])
    func floatsHaveVersion2(_ type: String, _ bits: UInt16, _ channels: UInt16, _ flags: UInt32) throws {
        let given = Self.entry(type, bits: 32, channels: channels, rate: 48000)
        let entry = try patched(given, rate: 48000, mask: 0x3, floatBits: bits)
        #expect(Array(entry[4..<8]) == Array("lpcm".utf8) && BigEndian.u16(entry, 16) == 2)
        let rest = stride(from: 48, to: 72, by: 4).map { BigEndian.u32(entry, $0) }
        #expect(rest == [2, 0x7f00_0000, UInt32(bits), flags, UInt32(bits) / 4, 1])
        #expect(entry.count == 72 + 24)
        #expect(
            try patched(Self.entry(type, bits: 16, channels: 2, rate: 48000), rate: 48000, mask: 0, floatBits: 32)
                == Self.entry(type, bits: 16, channels: 2, rate: 48000))
    }

    /// QuickTime has version 2, whose sample rate is a float of 64 bits; MP4 0, and FLAC a whole division.
    @Test func ratesOfCompressedSoundDoNotOverflow() throws {
        let boxes = Build.box("esds", [1, 2, 3, 4])
        func entry(_ type: String, _ rate: UInt32) -> [UInt8] {
            Build.box(type, Array(Self.entry(type, bits: 16, channels: 6, rate: rate).dropFirst(8)), boxes)
        }
        func sound(_ rate: UInt32) -> AudioTrackMetadata { AudioTrackMetadata(sampleRate: rate) }
        for type in ["mp4a", "alac"] {
            let long = try patched(entry(type, 96000), sound(96000), .quickTime)
            #expect(Array(long[4..<8]) == Array(type.utf8) && BigEndian.u16(long, 16) == 2)
            #expect(BigEndian.u64(long, 40).map { Double(bitPattern: $0) } == 96000)
            #expect(stride(from: 48, to: 72, by: 4).map { BigEndian.u32(long, $0) } == [6, 0x7f00_0000, 0, 0, 0, 0])
            #expect(long.suffix(boxes.count).elementsEqual(boxes) && long.count == 72 + boxes.count)
            let short = try patched(entry(type, 96000), sound(96000), .iso)
            #expect(BigEndian.u32(short, 32) == 0 && short.count == entry(type, 96000).count)
            #expect(short.suffix(boxes.count).elementsEqual(boxes))
        }
        for (rate, field) in [(96000, 48000), (192_000, 64000), (88200, 44100), (65536, 32768)] as [(UInt32, UInt32)] {
            #expect(BigEndian.u32(try patched(entry("fLaC", rate), sound(rate), .iso), 32) == field << 16)
        }
        for flavor in [MovieBoxPatcher.Flavor.quickTime, .iso] {
            #expect(try patched(entry("mp4a", 48000), sound(48000), flavor) == entry("mp4a", 48000))
            #expect(try patched(entry("ac-3", 96000), sound(96000), flavor) == entry("ac-3", 96000))
            for cut in 8..<entry("mp4a", 96000).count {
                let short = bigEndian(UInt32(cut)) + entry("mp4a", 96000)[4..<cut]
                if cut < 36 { #expect(try patched(short, sound(96000), flavor) == short) }
            }
        }
    }

    /// qtmux writes the numbers of Ogg: a delay of 312 samples, 48 000 Hz, no gain.
    @Test func numbersOfOpusAreBigEndian() throws {
        let plain = Array(Self.entry("Opus", bits: 16, channels: 2, rate: 48000).dropFirst(8))
        let start: [UInt8] = [0, 2]
        func entry(_ numbers: [UInt8]) -> [UInt8] {
            Build.box("Opus", plain, Build.box("dOps", start + numbers + [0]))
        }
        let right = entry([0x01, 0x38, 0, 0, 0xbb, 0x80, 0, 1])
        let wrong = entry([0x38, 0x01, 0x80, 0xbb, 0, 0, 1, 0])
        for flavor in [MovieBoxPatcher.Flavor.quickTime, .iso] {
            let sound = AudioTrackMetadata(sampleRate: 48000)
            #expect(try patched(wrong, sound, flavor) == right)
            #expect(try patched(right, sound, flavor) == right)
            for cut in 8..<wrong.count {
                let short = bigEndian(UInt32(cut)) + wrong[4..<cut]
                #expect(try patched(short, sound, flavor) == short)
            }
        }
    }

    @Test func slowPCMKeepsItsVersion() throws {
        for bits in [16, 24] as [UInt16] {
            let entry = Self.entry("sowt", bits: bits, channels: 6, rate: 48000)
            #expect(try patched(entry, rate: 48000, mask: 0) == entry)
            let described = try patched(entry, rate: 48000, mask: 0x3f)
            #expect(described.dropFirst(8).starts(with: entry.dropFirst(8)))
            let layout = bigEndian(UInt32(0)) + bigEndian(UInt32(0x10000)) + bigEndian(UInt32(0x3f))
            #expect(Array(described.suffix(24)) == Build.box("chan", layout, bigEndian(UInt32(0))))
        }
    }

    /// 5.1 with loudspeakers at the sides, 7.1 and 5.1.2 by GStreamer's positions; a second LFE and three loudspeakers
    /// above the front, which a bitmap lacks or has in another order; and a mask of other channels than the track's.
    @Test(
        arguments: [
            (0x3, 2, 0x3), (0xc0f, 6, 0x60f), (0xc3f, 8, 0x63f), (0x303f, 8, 0x503f), (0x23f, 7, 0), (0x7000, 3, 0),
            (0x3f, 2, 0), (UInt64.max, 64, 0),
        ] as [(UInt64, UInt16, UInt32)])
    func positionsBecomeABitmap(_ mask: UInt64, _ channels: UInt16, _ bitmap: UInt32) throws {
        let entry = Self.entry("sowt", bits: 16, channels: channels, rate: 48000)
        let described = try patched(entry, rate: 48000, mask: mask)
        #expect(described.count == entry.count + (bitmap == 0 ? 0 : 24))
        if bitmap != 0 { #expect(BigEndian.u32(described, described.count - 8) == bitmap) }
        let fast = try patched(entry, rate: 96000, mask: mask)
        #expect(fast.count == 72 + (bitmap == 0 ? 0 : 24))
    }

    @Test func othersStayAsTheyAre() throws {
        let aac = Self.entry("mp4a", bits: 16, channels: 6, rate: 96000)
        #expect(try patched(aac, rate: 96000, mask: 0x3f) == aac)
        let pcm = Self.entry("sowt", bits: 16, channels: 2, rate: 96000)
        #expect(try patched(pcm, rate: 96000, mask: 0x3, .iso) == pcm)
        for cut in 8..<pcm.count {
            let short = bigEndian(UInt32(cut)) + pcm[4..<cut]
            #expect(try patched(short, rate: 96000, mask: 0x3) == short)
        }
    }

    /// GStreamer 1.26's qtdemux calls the channels at the sides surround left and surround right.
    @Test func surroundChannelsAreThoseAtTheSides() {
        #expect(PCMDescription.withSides(0xc00_000f) == 0xc0f)
        #expect(PCMDescription(sampleRate: 48000, channelMask: 0xc00_000f).speakers == 0x60f)
        // Those that have channels at the sides too, or others that come between.
        for mask: UInt64 in [0, 0x3f, 0xc0f, 0xc00_0c0f, 0x400_000f, 0xc00_100f] {
            #expect(PCMDescription.withSides(mask) == mask)
        }
    }
}
