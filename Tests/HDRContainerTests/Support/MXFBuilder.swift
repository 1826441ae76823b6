import MetadataTestSupport

@testable import HDRContainer
@testable import HDRMetadata

/// MXF files from bytes as writers lay them out: SMPTE ST 377-1.
enum MXFBuilder {
    static let start: [UInt8] = [0x06, 0x0e, 0x2b, 0x34]

    /// The last eight bytes of an item's label, by its local tag.
    static let labels: [UInt16: [UInt8]] = [
        0x3203: [4, 1, 5, 2, 2, 0, 0, 0], 0x3202: [4, 1, 5, 2, 1, 0, 0, 0], 0x3001: [4, 6, 1, 1, 0, 0, 0, 0],
        0x3002: [4, 6, 1, 2, 0, 0, 0, 0], 0x3006: [6, 1, 1, 3, 5, 0, 0, 0], 0x3210: [4, 1, 2, 1, 1, 1, 2, 0],
        0x3219: [4, 1, 2, 1, 1, 6, 1, 0], 0x321a: [4, 1, 2, 1, 1, 3, 1, 0], 0x3301: [4, 1, 5, 3, 10, 0, 0, 0],
        0x3302: [4, 1, 5, 1, 5, 0, 0, 0], 0x3308: [4, 1, 5, 1, 16, 0, 0, 0], 0x3304: [4, 1, 5, 3, 3, 0, 0, 0],
        0x3305: [4, 1, 5, 3, 4, 0, 0, 0], 0xfff0: [4, 32, 4, 1, 1, 1, 0, 0], 0xfff1: [4, 32, 4, 1, 1, 2, 0, 0],
        0xfff2: [4, 32, 4, 1, 1, 3, 0, 0], 0xfff3: [4, 32, 4, 1, 1, 4, 0, 0], 0xfff4: [14, 32, 4, 1, 5, 3, 1, 1],
        0xfff5: [14, 32, 4, 1, 5, 3, 1, 2],
    ]

    static func packet(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
        start + key + [0x83] + bigEndian(UInt32(value.count)).dropFirst() + value
    }

    /// - Parameters:
    ///   - kind: 2 header, 3 body, 4 footer.
    ///   - status: 1 open and incomplete to 4 closed and complete.
    static func partition(kind: UInt8 = 2, status: UInt8 = 4, footer: UInt64 = 0) -> [UInt8] {
        let fields = bigEndian(UInt16(1)) + bigEndian(UInt16(3)) + bigEndian(UInt32(1))
        let positions = bigEndian(UInt64(0)) + bigEndian(UInt64(0)) + bigEndian(footer)
        return packet(
            [2, 5, 1, 1, 13, 1, 2, 1, 1, kind, status, 0], fields + positions + [UInt8](repeating: 0, count: 56))
    }

    static let fill = packet([1, 1, 1, 2, 3, 1, 2, 16, 1, 0, 0, 0], [UInt8](repeating: 0, count: 20))

    static let primer: [UInt8] = {
        var entries: [UInt8] = []
        for (tag, label) in labels.sorted(by: { $0.key < $1.key }) {
            entries += bigEndian(tag) + start + [1, 1, 1, 14] + label
        }
        return packet(
            [2, 5, 1, 1, 13, 1, 2, 1, 1, 5, 1, 0], bigEndian(UInt32(labels.count)) + bigEndian(UInt32(18)) + entries)
    }()

    static func set(_ kind: UInt8, _ items: [(UInt16, [UInt8])]) -> [UInt8] {
        var value: [UInt8] = []
        for (tag, data) in items { value += bigEndian(tag) + bigEndian(UInt16(data.count)) + data }
        return packet([2, 0x53, 1, 1, 13, 1, 1, 1, 1, 1, kind, 0], value)
    }

    /// A label of the register of parametric values.
    static func value(_ group: UInt8, _ code: UInt8) -> [UInt8] {
        start + [4, 1, 1, 13, 4, 1, 1, 1, group, code, 0, 0]
    }

    static let hdr: [(UInt16, [UInt8])] = [
        (0x3203, bigEndian(UInt32(1280))), (0x3202, bigEndian(UInt32(720))),
        (0x3001, bigEndian(UInt32(24000)) + bigEndian(UInt32(1001))), (0x3002, bigEndian(UInt64(48))),
        (0x3006, bigEndian(UInt32(7))), (0x3210, value(1, 10)), (0x3219, value(3, 4)), (0x321a, value(2, 6)),
        (0x3301, bigEndian(UInt32(10))), (0x3302, bigEndian(UInt32(2))), (0x3308, bigEndian(UInt32(1))),
        (0x3304, bigEndian(UInt32(64))), (0x3305, bigEndian(UInt32(940))),
        (0xfff0, [34000, 16000, 13250, 34500, 7500, 3000].flatMap { bigEndian(UInt16($0)) }),
        (0xfff1, [15635, 16450].flatMap { bigEndian(UInt16($0)) }), (0xfff2, bigEndian(UInt32(10_000_000))),
        (0xfff3, bigEndian(UInt32(50))), (0xfff4, bigEndian(UInt16(1000))), (0xfff5, bigEndian(UInt16(400))),
    ]

    static let essence = packet([1, 2, 1, 1, 13, 1, 3, 1, 0x15, 1, 5, 1], [1, 2, 3, 4])

    static func file(_ items: [(UInt16, [UInt8])] = hdr) -> [UInt8] {
        partition() + fill + primer + set(0x42, [(0x3001, bigEndian(UInt32(1)) + bigEndian(UInt32(1)))])
            + set(0x28, items) + fill + essence
    }
}
