import Foundation
import Testing

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

/// The escaping of H.265 7.4.2 as its text has it, one byte at a time from the end result.
func escaped(_ payload: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    for byte in payload {
        if out.count >= 2, out.suffix(2) == [0, 0], byte <= 3 { out.append(3) }
        out.append(byte)
    }
    return out
}

enum BitstreamFixture {
    static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.filter { $0 != 32 && $0 != 10 }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)!
        }
    }

    /// x265 3.5, 320x180 Main 10 with BT.2020 PQ and chroma location 0.
    static let x265SPS = bytes(
        "42010102200000030090000003000003003fa00a080c1f3b6595952930bffc00040005a84880482000000300200000030321")
    static let vps = bytes("40010c01ffff02200000030090000003000003003f959409")
    static let pps = bytes("4401c073c189")
    static let aud = bytes("460150")

    static let display = MasteringDisplay(
        red: SIMD2(34000, 16000), green: SIMD2(13250, 34500), blue: SIMD2(7500, 3000), white: SIMD2(15635, 16450),
        maximum: 10_000_000, minimum: 50)
    static let displayPayload = bytes("33c286c41d4c0bb884d03e803d134042 00989680 00000032")
    static let level = ContentLightLevel(maximum: 1000, frameAverage: 400)
    static let ambient = AmbientViewing(illuminance: 3_140_000, light: SIMD2(15635, 16450))
    /// SEI 148 of an iPhone's recording.
    static let ambientPayload = bytes("002fe9a03d134042")
    static let hdr10Plus = bytes("b5003c000104014000")

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
        var random = BitstreamRandom(state: seed)
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

/// A small generator whose numbers are the same in every run.
struct BitstreamRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// A number from 0 to `limit` - 1.
    mutating func below(_ limit: Int) -> Int { Int(next() >> 32) % max(limit, 1) }
}

/// The real files beside the repository.
enum BitstreamSamples {
    static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/samples")
    static let isThere = FileManager.default.fileExists(atPath: url.path)

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: url.appendingPathComponent(name)))
    }
}

/// The video of a QuickTime or MP4 file with one sample table after its configuration record, just enough of it.
struct BitstreamMovie {
    let configuration: [UInt8]
    let accessUnits: [[UInt8]]

    init(_ name: String, record: String) throws {
        let file = try BitstreamSamples.bytes(name)
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
