import Foundation
import MetadataTestSupport

@testable import HDRContainer
@testable import HDRMetadata

/// Big-endian bytes of a number.
func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

/// Boxes as muxers write them.
enum MovieBuilder {
    static func box(_ type: String, _ payload: [UInt8]...) -> [UInt8] {
        let payload = payload.flatMap { $0 }
        return bigEndian(UInt32(payload.count + 8)) + Array(type.utf8) + payload
    }

    static func largeBox(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        bigEndian(UInt32(1)) + Array(type.utf8) + bigEndian(UInt64(payload.count + 16)) + payload
    }

    static func fullBox(_ type: String, version: UInt8 = 0, flags: UInt32 = 0, _ payload: [UInt8]) -> [UInt8] {
        box(type, bigEndian(UInt32(version) << 24 | flags), payload)
    }

    static let hvcC = box("hvcC", [1, 2, 0x20, 0, 0, 0, 0x90, 0])
    static let pasp = box("pasp", bigEndian(UInt32(4)), bigEndian(UInt32(3)))

    static func nclc(_ primaries: UInt16, _ transfer: UInt16, _ matrix: UInt16) -> [UInt8] {
        box("colr", Array("nclc".utf8), bigEndian(primaries), bigEndian(transfer), bigEndian(matrix))
    }

    static func nclx(_ primaries: UInt16, _ transfer: UInt16, _ matrix: UInt16, full: Bool) -> [UInt8] {
        box(
            "colr", Array("nclx".utf8), bigEndian(primaries), bigEndian(transfer), bigEndian(matrix),
            [full ? 0x80 : 0])
    }

    /// A video sample entry; `tail` are bytes behind the children, such as QuickTime's four zeros.
    static func entry(
        _ children: [[UInt8]], codec: String = "hvc1", tail: [UInt8] = [], width: UInt16 = 1920,
        height: UInt16 = 1080, depth: UInt16 = 24, colorTable: UInt16 = 0xffff, revision: UInt16 = 0
    ) -> [UInt8] {
        var fields = [UInt8](repeating: 0, count: 6) + bigEndian(UInt16(1))
        fields += bigEndian(revision) + bigEndian(revision) + [UInt8](repeating: 7, count: 12)
        fields += bigEndian(width) + bigEndian(height) + bigEndian(UInt32(0x48_0000)) + bigEndian(UInt32(0x48_0000))
        fields += bigEndian(UInt32(0)) + bigEndian(UInt16(1)) + [UInt8](repeating: 0x20, count: 32)
        fields += bigEndian(depth) + bigEndian(colorTable)
        return box(codec, fields, children.flatMap { $0 }, tail)
    }

    static let identity: [Int32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
    static let quarterTurn: [Int32] = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x4000_0000]

    static func offsets(_ offsets: [UInt64], wide: Bool = false) -> [UInt8] {
        fullBox(
            wide ? "co64" : "stco",
            bigEndian(UInt32(offsets.count)) + offsets.flatMap { wide ? bigEndian($0) : bigEndian(UInt32($0)) })
    }

    static func track(
        _ identifier: UInt32 = 1, handler: String = "vide", entries: [[UInt8]], offsets: [[UInt8]] = [offsets([])],
        matrix: [Int32] = identity, longHeader: Bool = false, flags: UInt32 = 7, references: [UInt8] = []
    ) -> [UInt8] {
        let times = [UInt8](repeating: 0, count: longHeader ? 16 : 8)
        let duration = [UInt8](repeating: 0, count: longHeader ? 8 : 4)
        let header =
            times + bigEndian(identifier) + bigEndian(UInt32(0)) + duration + [UInt8](repeating: 0, count: 16)
            + matrix.flatMap { bigEndian($0) } + bigEndian(UInt32(1920 << 16)) + bigEndian(UInt32(1080 << 16))
        let reference = bigEndian(UInt32(0)) + Array(handler.utf8) + [UInt8](repeating: 0, count: 13)
        let description = fullBox("stsd", bigEndian(UInt32(entries.count)) + entries.flatMap { $0 })
        let samples = box("stbl", description, fullBox("stts", bigEndian(UInt32(0))), offsets.flatMap { $0 })
        return box(
            "trak", fullBox("tkhd", version: longHeader ? 1 : 0, flags: flags, header), references,
            box("mdia", fullBox("hdlr", reference), box("minf", samples)))
    }

    static let movieHeader = fullBox("mvhd", [UInt8](repeating: 0, count: 96))

    static func moov(_ tracks: [UInt8]..., fragmented: Bool = false, extra: [UInt8] = []) -> [UInt8] {
        let extends = fragmented ? box("mvex", fullBox("trex", [UInt8](repeating: 0, count: 20))) : []
        return box("moov", movieHeader, tracks.flatMap { $0 }, extends, extra)
    }

    static let quickTime = box("ftyp", Array("qt  ".utf8), bigEndian(UInt32(0)), Array("qt  ".utf8))
    static let iso = box("ftyp", Array("mp42".utf8), bigEndian(UInt32(0)), Array("isom".utf8))

    /// Bytes whose values show their origin.
    static func media(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8) &* 17 &+ Int(seed) &* 101) }
    }
}

/// Elements as muxers write them.
enum MatroskaBuilder {
    static func identifier(_ id: UInt32) -> [UInt8] { Array(bigEndian(id).drop { $0 == 0 }) }

    /// An element; matroskamux writes the size of masters in 8 bytes.
    static func element(_ id: UInt32, _ data: [UInt8]..., sizeLength: Int? = nil) -> [UInt8] {
        let data = data.flatMap { $0 }
        let length = sizeLength ?? (data.count < 127 ? 1 : 8)
        let size = bigEndian(UInt64(data.count) | 1 << UInt64(7 * length)).suffix(length)
        return identifier(id) + size + data
    }

    static func unknownSize(_ id: UInt32) -> [UInt8] { identifier(id) + [1] + [UInt8](repeating: 0xff, count: 7) }

    static func number(_ id: UInt32, _ value: UInt64, count: Int = 1) -> [UInt8] {
        element(id, Array(bigEndian(value).suffix(count)))
    }

    static func float(_ id: UInt32, _ value: Double) -> [UInt8] { element(id, bigEndian(value.bitPattern)) }

    static func header(_ type: String = "matroska", version: UInt64 = 2) -> [UInt8] {
        element(0x1a45_dfa3, element(0x4282, Array(type.utf8)), number(0x4287, version), number(0x4285, 2))
    }

    /// The mastering metadata of matroskamux, whose luminances are 5 times too low.
    static let wrongMastering: [UInt8] = {
        let values = [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329, 200, 0.001]
        let data = zip(0x55d1...0x55da as ClosedRange<UInt32>, values).flatMap { float($0, $1) }
        return element(0x55d0, data, sizeLength: 8)
    }()

    static let wrongColour = element(
        0x55b0, number(0x55b9, 1), number(0x55b1, 9), number(0x55ba, 16), number(0x55bb, 9),
        number(0x55bc, 1000, count: 2), number(0x55bd, 400, count: 2), wrongMastering, sizeLength: 8)

    static func videoTrack(_ number: UInt64 = 1, colour: [UInt8] = wrongColour, extra: [UInt8] = []) -> [UInt8] {
        let video = element(
            0xe0, self.number(0xb0, 640, count: 2), self.number(0xba, 360, count: 2), colour, sizeLength: 8)
        return element(
            0xae, self.number(0xd7, number), self.number(0x83, 1), element(0x86, Array("V_MPEGH/ISO/HEVC".utf8)), video,
            element(0x63a2, [1, 2, 3, 4]), extra, sizeLength: 8)
    }

    static let audioTrack = element(
        0xae, number(0xd7, 2), number(0x83, 2), element(0x86, Array("A_OPUS".utf8)), sizeLength: 8)

    static func tracks(_ entries: [UInt8]..., sizeLength: Int = 8) -> [UInt8] {
        element(0x1654_ae6b, entries.flatMap { $0 }, sizeLength: sizeLength)
    }

    static func seek(_ id: UInt32, _ position: UInt64, count: Int = 8) -> [UInt8] {
        element(0x4dbb, element(0x53ab, identifier(id)), number(0x53ac, position, count: count))
    }

    static func cuePoint(_ time: UInt64, _ position: UInt64) -> [UInt8] {
        let bytes = max(1, (71 - position.leadingZeroBitCount) / 8)
        return element(
            0xbb, number(0xb3, time), element(0xb7, number(0xf7, 1), number(0xf1, position, count: bytes)))
    }
}

extension MasteringDisplay {
    /// P3 at 1000 and 0.005 cd/m².
    static let p3 = MasteringDisplay(
        red: SIMD2(34000, 16000), green: SIMD2(13250, 34500), blue: SIMD2(7500, 3000), white: SIMD2(15635, 16450),
        maximum: 10_000_000, minimum: 50)
}

extension ColorDescription {
    static let pq = codes(9, 16, 9, isFullRange: false, chromaLocation: 2)
}

extension ContainerMetadata {
    /// The edits of the first video track.
    var first: VideoTrackMetadata {
        get { video.first ?? .nothing }
        set { video = [newValue] + video.dropFirst() }
    }

    /// Edits of everything.
    static let everything: ContainerMetadata = {
        var metadata = ContainerMetadata()
        metadata.first.color = .set(.pq)
        metadata.first.masteringDisplay = .set(.p3)
        metadata.first.contentLightLevel = .set(ContentLightLevel(maximum: 987, frameAverage: 321))
        metadata.first.ambientViewing = .set(AmbientViewing(illuminance: 3_140_000, light: SIMD2(15635, 16450)))
        metadata.first.dolbyVision = .set(DolbyVisionRecord(profile: 8, level: 4, compatibility: 1))
        metadata.audio = [
            AudioTrackMetadata(
                priming: AudioPriming(samples: 1024, rate: 48000),
                pcm: PCMDescription(sampleRate: 96000, channelMask: 0x3))
        ]
        metadata.shownDurations = [1_000_000_000]
        metadata.removesEmptyTracks = true
        return metadata
    }()

    /// Edits that remove everything.
    static let removal: ContainerMetadata = {
        var metadata = ContainerMetadata()
        metadata.first.masteringDisplay = .remove
        metadata.first.contentLightLevel = .remove
        metadata.first.ambientViewing = .remove
        metadata.first.dolbyVision = .remove
        return metadata
    }()

    /// Edits of everything, with light levels that are not known yet.
    static let unmeasured: ContainerMetadata = {
        var metadata = everything
        metadata.first.contentLightLevel = .set(ContentLightLevel(maximum: 0, frameAverage: 0))
        return metadata
    }()
}

/// A file that positioned writes make.
struct WrittenFile {
    private(set) var bytes: [UInt8] = []
    /// The number of writes that did not follow the one before.
    private(set) var seeks = 0
    private var position = 0

    mutating func write(_ writes: [PositionedBytes]) {
        for write in writes {
            guard let offset = Int(exactly: write.offset), offset < 1 << 30 else { continue }
            if offset != position { seeks += 1 }
            position = offset + write.bytes.count
            if bytes.count < position { bytes += [UInt8](repeating: 0, count: position - bytes.count) }
            bytes.replaceSubrange(offset..<position, with: write.bytes)
        }
    }
}
