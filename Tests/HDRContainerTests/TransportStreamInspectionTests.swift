import HDRMetadata
import TestSupport
import Testing

@testable import HDRContainer

/// The videos in the program map of a transport stream.
@Suite struct TransportStreamInspectionTests {
    typealias Builder = TransportStreamBuilder

    private static let record: [UInt8] = [1, 0, 0x10, 0x15, 0x40]
    private static let dolbyVision: [UInt8] = [5, 4, 0x44, 0x4f, 0x56, 0x49, 0xb0, 5] + record

    private static func hevc(_ range: UInt8) -> [UInt8] {
        [56, 13, 2, 0x20, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 123, 0x1c | range]
    }

    private static func file(_ streams: [(UInt8, UInt16, [UInt8])]) -> [UInt8] {
        Builder.associations + Builder.mapPacket(streams) + (0..<8).flatMap { _ in Builder.picture(65) }
    }

    private static func inspect(_ bytes: [UInt8]) throws -> ContainerInspection? {
        try TransportStreamInspection.read(ArrayByteSource(bytes))
    }

    @Test func videosAreDescribed() throws {
        let file = Self.file([
            (0x0f, 66, []), (0x24, 65, Self.hevc(2) + Self.dolbyVision), (0x1b, 67, []), (0x24, 68, Self.hevc(0)),
            (0x24, 69, Self.hevc(3)),
        ])
        let found = try #require(try Self.inspect(file))
        #expect(found.format == .transportStream && found.headerPosition == 188)
        #expect(found.tracks.map(\.identifier) == [65, 67, 68, 69] && found.tracks.map(\.index) == [0, 1, 2, 3])
        #expect(found.tracks.map(\.declaresHDR) == [true, nil, false, nil])
        #expect(found.tracks.map { $0.dolbyVision?.payload } == [Self.record, nil, nil, nil])
    }

    /// Private data that are Dolby Vision: there is no base layer that others could show, and the PID of the stream
    /// that it depends on stands before the compatibility.
    @Test func dolbyVisionWithoutABaseLayer() throws {
        let descriptor: [UInt8] = [0xb0, 7, 1, 0, 0x0e, 0x16, 0x02, 0x08, 0x20]
        let found = try #require(try Self.inspect(Self.file([(0x24, 65, []), (0x06, 70, descriptor), (0x06, 71, [])])))
        #expect(found.tracks.map(\.identifier) == [65, 70])
        let record = try #require(found.tracks[1].dolbyVision)
        #expect(record.profile == 7 && !record.hasBaseLayer && record.hasEnhancementLayer && record.compatibility == 2)
    }

    /// Times in front of the packets, error correction behind them, and a beginning in the middle of a packet.
    @Test(arguments: [(4, 0, 0), (0, 16, 0), (0, 0, 77), (4, 0, 100)])
    func packetsOfOtherSizes(_ front: Int, _ back: Int, _ lost: Int) throws {
        let packets = [Builder.picture(65)] + Self.packets(Self.file([(0x24, 65, Self.dolbyVision)]))
        let bytes = packets.flatMap {
            [UInt8](repeating: 0x11, count: front) + $0 + [UInt8](repeating: 0x22, count: back)
        }
        let found = try #require(try Self.inspect(Array(bytes.dropFirst(lost))))
        #expect(found.tracks.first?.dolbyVision?.payload == Self.record)
    }

    private static func packets(_ bytes: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
    }

    /// A map of several packets, among others.
    @Test func aLongMap() throws {
        let streams = (0..<40).map { (type: UInt8(0x24), identifier: UInt16(65 + $0), descriptors: Self.hevc(2)) }
        var rest = ([0] + Builder.map(streams))[...]
        var bytes = Builder.associations + Builder.packet(Builder.mapIdentifier, Array(rest.prefix(184)))
        rest = rest.dropFirst(184)
        while !rest.isEmpty {
            var packet = Builder.packet(Builder.mapIdentifier, Array(rest.prefix(184)), isStuffedInFront: false)
            packet[1] &= ~0x40
            bytes += Builder.picture(65) + packet
            rest = rest.dropFirst(184)
        }
        #expect(try #require(try Self.inspect(bytes)).tracks.count == 40)
    }

    @Test func othersAreNone() throws {
        let pictures = (0..<3000).flatMap { _ in Builder.picture(65) }
        for bytes in [[], [0x47], pictures, [UInt8](repeating: 0x47, count: 3000), Array("no video".utf8)] {
            #expect(try Self.inspect(bytes) == nil)
        }
    }

    @Test func damageIsNoTrap() throws {
        let file = Self.file([(0x24, 65, Self.hevc(2) + Self.dolbyVision), (0x06, 70, [0xb0, 5] + Self.record)])
        var random = SeededGenerator(seed: 188)
        var found = 0
        for _ in 0..<TestWork.inputs(release: 50_000, debug: 5_000) {
            var bytes = file
            for _ in 0...random.below(6) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.below(8) == 0 { bytes.removeLast(random.below(bytes.count)) }
            // A damaged section counts where its checksum is right.
            let section = Array(bytes.dropFirst(188 + 5 + 142).prefix(41))
            if random.below(2) == 0, bytes.count >= 376, let map = Self.repaired(section) {
                bytes.replaceSubrange(188..<376, with: Builder.packet(Builder.mapIdentifier, [0] + map))
            }
            if try Self.inspect(bytes) != nil { found += 1 }
        }
        #expect(found > 1000)
    }

    private static func repaired(_ section: [UInt8]) -> [UInt8]? {
        guard section.count > 4 else { return nil }
        let body = section.dropLast(4)
        return body + bigEndian(MPEGChecksum.of(body))
    }
}
