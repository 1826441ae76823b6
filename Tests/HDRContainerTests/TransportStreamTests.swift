import Foundation
import HDRMetadata
import TestSupport
import Testing

@testable import HDRContainer

/// Packets as muxers write them.
enum TransportStreamBuilder {
    static let mapIdentifier: UInt16 = 32

    /// A packet that begins a section or a PES packet. What the payload leaves is stuffing: in an adaptation field, as
    /// mpegtsmux writes it, or behind the section.
    static func packet(_ identifier: UInt16, _ payload: [UInt8], isStuffedInFront: Bool = true) -> [UInt8] {
        let head = [0x47, 0x40 | UInt8(identifier >> 8), UInt8(truncatingIfNeeded: identifier)]
        let room = 184 - payload.count
        guard isStuffedInFront, room > 0 else {
            return head + [0x10] + payload + [UInt8](repeating: 0xff, count: max(0, room))
        }
        let field = room == 1 ? [0] : [UInt8(room - 1), 0] + [UInt8](repeating: 0xff, count: room - 2)
        return head + [0x30] + field + payload
    }

    static func section(_ table: UInt8, _ body: [UInt8]) -> [UInt8] {
        let bytes = [table] + bigEndian(0xb000 | UInt16(body.count + 4)) + body
        return bytes + bigEndian(MPEGChecksum.of(bytes[...]))
    }

    static let associations = packet(0, [0] + section(0, [0, 1, 0xc1, 0, 0, 0, 1] + bigEndian(0xe000 | mapIdentifier)))

    /// - Parameter streams: type, PID and descriptors.
    static func map(_ streams: [(type: UInt8, identifier: UInt16, descriptors: [UInt8])]) -> [UInt8] {
        let entries = streams.flatMap {
            [$0.type] + bigEndian(0xe000 | $0.identifier) + bigEndian(0xf000 | UInt16($0.descriptors.count))
                + $0.descriptors
        }
        return section(2, [0, 1, 0xc1, 0, 0] + bigEndian(UInt16(0xe041)) + [0xf0, 0] + entries)
    }

    static func mapPacket(
        _ streams: [(type: UInt8, identifier: UInt16, descriptors: [UInt8])], isStuffedInFront: Bool = true
    ) -> [UInt8] {
        packet(mapIdentifier, [0] + map(streams), isStuffedInFront: isStuffedInFront)
    }

    static func picture(_ identifier: UInt16) -> [UInt8] { packet(identifier, [0, 0, 1, 0xe0, 0, 0, 0x80, 0, 0]) }
}

extension TransportStreamRewriter {
    /// The packets that are written in place of these.
    fileprivate mutating func write(_ packets: [UInt8], _ metadata: ContainerMetadata) -> [UInt8] {
        packets.withUnsafeBytes { rewrite($0) { metadata } } ?? packets
    }
}

@Suite struct TransportStreamTests {
    typealias Builder = TransportStreamBuilder

    private static let record = DolbyVisionRecord(profile: 8, level: 2, compatibility: 4)
    private static let dolbyVision: [UInt8] = [5, 4, 0x44, 0x4f, 0x56, 0x49, 0xb0, 5, 1, 0, 0x10, 0x15, 0x40]

    private static func metadata(_ edit: (inout VideoTrackMetadata) -> Void) -> ContainerMetadata {
        var track = VideoTrackMetadata()
        edit(&track)
        return ContainerMetadata(video: [track])
    }

    /// The program map of the packets written.
    private static func map(_ written: [UInt8]) throws -> ProgramMap {
        let packet = Array(written[188..<376])
        #expect(packet[0] == 0x47)
        let payload = packet[3] & 0x20 == 0 ? 4 : 5 + Int(packet[4])
        return try #require(ProgramMap(Array(packet[(payload + 1 + Int(packet[payload]))...])))
    }

    @Test func checksumIsThatOfTheStandard() {
        #expect(MPEGChecksum.of(Array("123456789".utf8)[...]) == 0x0376_e6e7)
    }

    @Test(arguments: [true, false]) func dolbyVisionIsDescribed(isStuffedInFront: Bool) throws {
        let sound: [UInt8] = [0x0a, 4, 0x65, 0x6e, 0x67, 0]
        let packets =
            Builder.associations
            + Builder.mapPacket([(0x24, 65, []), (0x0f, 66, sound)], isStuffedInFront: isStuffedInFront)
            + Builder.picture(65)
        var rewriter = TransportStreamRewriter()
        let written = rewriter.write(packets, Self.metadata { $0.dolbyVision = .set(Self.record) })
        #expect(written.count == packets.count)
        #expect(Array(written[..<188]) == Array(packets[..<188]))
        #expect(Array(written[376...]) == Array(packets[376...]))
        let expected = Builder.map([(0x24, 65, Self.dolbyVision), (0x0f, 66, sound)])
        #expect(Array(written[188...].dropFirst(5).prefix(expected.count)) == expected)
        // Once more, it stays.
        var second = TransportStreamRewriter()
        #expect(second.write(written, Self.metadata { $0.dolbyVision = .set(Self.record) }) == written)
        // The descriptor is removed again.
        var third = TransportStreamRewriter()
        let bare = third.write(written, Self.metadata { $0.dolbyVision = .remove })
        #expect(try Self.map(bare).streams.map(\.descriptors.count) == [0, 1])
        #expect(rewriter.notices.isEmpty && third.notices.isEmpty)
    }

    @Test(arguments: [(16, 9, 2), (18, 9, 2), (14, 9, 1), (1, 1, 0), (2, 2, 3)] as [(UInt8, UInt8, UInt8)])
    func hevcIsDescribed(transfer: UInt8, primaries: UInt8, range: UInt8) throws {
        let configuration: [UInt8] = [1, 2, 0x20, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 123, 0xf0, 0]
        let metadata = Self.metadata {
            $0.codecConfiguration = configuration
            $0.color = .set(
                ColorDescription(primaries: primaries, transfer: transfer, matrix: primaries, isFullRange: false))
        }
        var rewriter = TransportStreamRewriter()
        let written = rewriter.write(Builder.associations + Builder.mapPacket([(0x24, 65, [])]), metadata)
        let descriptors = try Self.map(written).streams[0].descriptors
        #expect(
            descriptors == [.init(tag: 56, payload: [2, 0x20, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 123, 0x1c | range])])
        // H.264 has no such descriptor here.
        let avc = Builder.associations + Builder.mapPacket([(0x1b, 65, [])])
        #expect(rewriter.write(avc, metadata) == avc)
    }

    @Test func eachVideoHasItsOwn() throws {
        var second = VideoTrackMetadata()
        second.dolbyVision = .set(Self.record)
        let metadata = ContainerMetadata(video: [.nothing, second])
        var rewriter = TransportStreamRewriter()
        let written = rewriter.write(
            Builder.associations + Builder.mapPacket([(0x24, 65, []), (0x0f, 66, []), (0x24, 67, [])]), metadata)
        #expect(try Self.map(written).streams.map(\.descriptors.count) == [0, 0, 2])
    }

    @Test func nothingChangesWhereNothingIsAsked() {
        let packets = Builder.associations + Builder.mapPacket([(0x24, 65, [])]) + Builder.picture(65)
        var rewriter = TransportStreamRewriter()
        #expect(packets.withUnsafeBytes { rewriter.rewrite($0) { .nothing } } == nil)
        #expect(rewriter.notices.isEmpty)
    }

    @Test func samplesAreCounted() {
        let opus: [UInt8] = [5, 4] + Array("Opus".utf8)
        let streams: [(UInt8, UInt16, [UInt8])] = [(0x24, 65, []), (0x0f, 66, []), (0x06, 67, opus), (0x06, 68, [])]
        var rewriter = TransportStreamRewriter()
        #expect(rewriter.samples == nil)
        var packets = Builder.associations + Builder.mapPacket(streams)
        for _ in 0..<3 { packets += Builder.picture(65) + Builder.picture(66) + Builder.picture(66) }
        // The rest of a picture begins nothing.
        var rest = Builder.picture(65)
        rest[1] &= ~0x40
        _ = rewriter.write(packets + rest, .nothing)
        #expect(
            rewriter.samples == [
                .init(kind: .video, identifier: 65, count: 3), .init(kind: .sound, identifier: 66, count: 6),
                .init(kind: .sound, identifier: 67, count: 0), .init(kind: .other, identifier: 68, count: 0),
            ])
    }

    @Test func whatDoesNotFitIsSaid() {
        let metadata = Self.metadata { $0.dolbyVision = .set(Self.record) }
        // A map that fills its packet.
        let long = [UInt8](arrayLiteral: 0x0a, 150) + [UInt8](repeating: 1, count: 150)
        let packets = Builder.associations + Builder.mapPacket([(0x24, 65, long)])
        var rewriter = TransportStreamRewriter()
        #expect(rewriter.write(packets, metadata) == packets)
        #expect(rewriter.notices.count == 1 && rewriter.samples != nil)
        // One with a wrong checksum, and what is no transport stream.
        var broken = Builder.associations + Builder.mapPacket([(0x24, 65, [])])
        broken[375] ^= 1
        var other = TransportStreamRewriter()
        #expect(other.write(broken, metadata) == broken)
        #expect(other.notices.count == 1 && other.samples == nil)
        var text = TransportStreamRewriter()
        let words = [UInt8]("nonsense".utf8)
        #expect(text.write(words, metadata) == words)
        #expect(text.notices == [.notRecognized])
    }

    @Test func fuzz() {
        let start = Builder.associations + Builder.mapPacket([(0x24, 65, Self.dolbyVision), (0x0f, 66, [])])
        let metadata = Self.metadata {
            $0.dolbyVision = .set(Self.record)
            $0.codecConfiguration = [UInt8](repeating: 1, count: 23)
        }
        var changed = 0
        for seed in 0..<20_000 {
            var random = SeededGenerator(seed: UInt64(seed))
            var packets = start + Builder.picture(65)
            for _ in 0..<random.below(4) {
                packets[random.below(packets.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            // Sections with a right checksum are looked at whole.
            if seed % 2 == 0 {
                let section = 188 + 5 + Int(packets[188 + 4]) + 1
                let length = 3 + (Int(packets[min(section + 1, 560)] & 0xf) << 8 | Int(packets[min(section + 2, 560)]))
                if length > 4, section + length <= 376 {
                    let sum = bigEndian(MPEGChecksum.of(packets[section..<section + length - 4]))
                    packets.replaceSubrange(section + length - 4..<section + length, with: sum)
                }
            }
            var rewriter = TransportStreamRewriter()
            let written = rewriter.write(packets, metadata)
            if written.count != packets.count { Issue.record("\(packets)") }
            if written != packets {
                changed += 1
                if (try? Self.map(written)) == nil { Issue.record("\(packets)") }
            }
        }
        #expect(changed > 5_000 && changed < 20_000)
    }
}
