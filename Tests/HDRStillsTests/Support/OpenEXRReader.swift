import CZlib
import Testing

/// Reads what OpenEXRWriter may write, and nothing else.
struct OpenEXRReader {
    var attributes: [String: (type: String, value: [UInt8])] = [:]
    var order: [String] = []
    var channels: [String] = []
    var width = 0
    var height = 0
    /// The samples by channel, low byte first.
    var samples: [String: [UInt8]] = [:]
    var storedBlocks = 0

    init(_ file: [UInt8]) throws {
        try #require(Array(file.prefix(8)) == [0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0])
        var position = 8
        while file[position] != 0 {
            let name = Self.text(file, &position)
            let type = Self.text(file, &position)
            let size = Self.number(file, position)
            attributes[name] = (type, Array(file[position + 4..<position + 4 + size]))
            order.append(name)
            position += 4 + size
        }
        position += 1

        let list = try #require(attributes["channels"]).value
        var place = 0
        while list[place] != 0 {
            channels.append(Self.text(list, &place))
            #expect(list[place..<place + 16] == [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0])
            place += 16
        }
        let window = try #require(attributes["dataWindow"]).value
        width = Self.number(window, 8) + 1
        height = Self.number(window, 12) + 1
        let compression = try #require(attributes["compression"]).value
        let lines = compression == [3] ? 16 : 1
        let blocks = (height + lines - 1) / lines
        let table = position
        position += blocks * 8
        for block in 0..<blocks {
            #expect(Self.number(file, table + block * 8) == position)
            #expect(Self.number(file, table + block * 8 + 4) == 0)
            #expect(Self.number(file, position) == block * lines)
            let size = Self.number(file, position + 4)
            let data = Array(file[position + 8..<position + 8 + size])
            let count = min(lines, height - block * lines)
            let whole = count * width * channels.count * 2
            store(size == whole ? data : try Self.unpack(data, whole), count)
            if size == whole { storedBlocks += 1 }
            position += 8 + size
        }
        #expect(position == file.count)
    }

    private mutating func store(_ data: [UInt8], _ lines: Int) {
        var position = 0
        for _ in 0..<lines {
            for name in channels {
                samples[name, default: []] += data[position..<position + width * 2]
                position += width * 2
            }
        }
    }

    private static func unpack(_ data: [UInt8], _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var size = UInt(count)
        try #require(uncompress(&bytes, &size, data, UInt(data.count)) == Z_OK)
        try #require(size == UInt(count))
        for index in 1..<count { bytes[index] = bytes[index - 1] &+ bytes[index] &- 128 }
        return (0..<count).map { bytes[$0 / 2 + ($0 % 2) * ((count + 1) / 2)] }
    }

    private static func text(_ bytes: [UInt8], _ position: inout Int) -> String {
        let text = bytes[position...].prefix { $0 != 0 }
        position += text.count + 1
        return String(decoding: text, as: UTF8.self)
    }

    static func number(_ bytes: [UInt8], _ position: Int) -> Int {
        bytes[position..<position + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
