import Foundation
import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

/// Bits as text, so that what the tests build owes nothing to the writer that they test.
struct BitText {
    private(set) var text = ""

    mutating func u(_ count: Int, _ value: Int) {
        let digits = String(value, radix: 2)
        text += String(repeating: "0", count: max(count - digits.count, 0)) + digits
    }

    mutating func ue(_ value: Int) {
        let digits = String(value + 1, radix: 2)
        text += String(repeating: "0", count: digits.count - 1) + digits
    }

    mutating func se(_ value: Int) { ue(value > 0 ? 2 * value - 1 : -2 * value) }

    /// The bits, a stop bit where wanted, and zeros up to a whole byte.
    func bytes(stop: Bool = true) -> [UInt8] {
        var all = Array(text.utf8) + (stop ? [49] : [])
        while all.count % 8 != 0 { all.append(48) }
        return stride(from: 0, to: all.count, by: 8).map { start in
            all[start..<start + 8].reduce(0) { $0 << 1 | ($1 - 48) }
        }
    }
}

enum BitstreamFixture {
    /// x265 3.5, 320x180 Main 10 with BT.2020 PQ and chroma location 0.
    static let x265SPS = MetadataFixture.bytes(
        "42010102200000030090000003000003003fa00a080c1f3b6595952930bffc00040005a84880482000000300200000030321")
    static let vps = MetadataFixture.bytes("40010c01ffff02200000030090000003000003003f959409")
    static let pps = MetadataFixture.bytes("4401c073c189")
    static let aud = MetadataFixture.bytes("460150")

    static func sei(_ messages: [(Int, [UInt8])], type: UInt8 = 39) -> [UInt8] {
        var payload: [UInt8] = [type << 1, 1]
        for (kind, content) in messages {
            for number in [kind, content.count] {
                payload += [UInt8](repeating: 255, count: number / 255) + [UInt8(number % 255)]
            }
            payload += content
        }
        return escaped(payload + [0x80])
    }

    /// A picture's slice, as a NAL unit of the type.
    static func slice(_ type: UInt8, count: Int = 40, seed: UInt64 = 1) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        let content = (0..<count).map { _ in [0, 0, 1, 2, 3, 0xFF, 0x55][random.below(7)] as UInt8 }
        return escaped([type << 1, 1] + content + [0x80])
    }

    static func framed(_ units: [[UInt8]], _ framing: NALFraming) -> [UInt8] {
        units.enumerated().flatMap { index, unit -> [UInt8] in
            switch framing {
            case .byteStream: return (index == 0 ? [0, 0, 0, 1] : [0, 0, 1]) + unit
            case .lengthPrefixed(let size):
                return (0..<size.rawValue).reversed().map { UInt8(unit.count >> ($0 * 8) & 0xFF) } + unit
            }
        }
    }

    /// The units of an access unit.
    static func units(_ bytes: [UInt8], _ framing: NALFraming) throws -> [[UInt8]] {
        try bytes.withUnsafeBytes { raw in
            var reader = NALReader(raw, framing: framing)
            var units: [[UInt8]] = []
            while let unit = try reader.next() { units.append(Array(bytes[unit.content])) }
            return units
        }
    }

    static let framings: [NALFraming] = [
        .byteStream, .lengthPrefixed(.one), .lengthPrefixed(.two), .lengthPrefixed(.four),
    ]
}

extension HEVCSequenceParameterSet {
    init(_ unit: [UInt8]) throws { self = try unit.withUnsafeBytes { try Self(unit: $0) } }
}

extension AVCSequenceParameterSet {
    init(_ unit: [UInt8]) throws { self = try unit.withUnsafeBytes { try Self(unit: $0) } }
}

extension SEIMessages {
    init(_ unit: [UInt8], headerSize: Int = 2) {
        self = unit.withUnsafeBytes { Self($0, headerSize: headerSize) }
    }
}

/// The video of a QuickTime or MP4 file with one sample table after its configuration record, just enough of it.
struct BitstreamMovie {
    let configuration: [UInt8]
    let accessUnits: [[UInt8]]

    init(_ name: String, record: String) throws {
        let file = try Samples.bytes(name)
        func find(_ kind: String, from start: Int = 0) -> Range<Int>? {
            let name = Array(kind.utf8)
            return (start + 4..<file.count - 4).first { at in
                file[at] == name[0] && file[at..<at + 4].elementsEqual(name)
            }.map { $0 + 4..<$0 - 4 + Self.word(file, $0 - 4) }
        }
        func content(_ kind: String, from start: Int) throws -> Range<Int> {
            try #require(find(kind, from: start), "no \(kind) in \(name)")
        }
        let record = try content(record, from: 0)
        let table = record.lowerBound
        configuration = Array(file[record])
        let sizes = try content("stsz", from: table).lowerBound
        let runs = try content("stsc", from: table).lowerBound
        let hasLongOffsets = find("stco", from: table) == nil
        let chunks = try content(hasLongOffsets ? "co64" : "stco", from: table).lowerBound
        var units: [[UInt8]] = []
        let count = Self.word(file, sizes + 8)
        for chunk in 0..<Self.word(file, chunks + 4) {
            var samples = 0
            for run in 0..<Self.word(file, runs + 4) where Self.word(file, runs + 8 + run * 12) <= chunk + 1 {
                samples = Self.word(file, runs + 12 + run * 12)
            }
            var offset = Self.word(file, chunks + 8 + (hasLongOffsets ? chunk * 8 + 4 : chunk * 4))
            for _ in 0..<samples where units.count < count {
                let fixed = Self.word(file, sizes + 4)
                let size = fixed != 0 ? fixed : Self.word(file, sizes + 12 + units.count * 4)
                units.append(Array(file[offset..<offset + size]))
                offset += size
            }
        }
        accessUnits = units
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> Int {
        bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
