import CZlib
import Testing

/// Reads what PNGWriter may write, and nothing else: no palette, no interlace.
struct PNGReader {
    var chunks: [(type: String, data: [UInt8])] = []
    var width = 0
    var height = 0
    var depth = 0
    var components = 0
    /// Samples of 16 bits have their high byte first.
    var samples: [UInt8] = []
    var filters: Set<UInt8> = []

    init(_ file: [UInt8]) throws {
        try #require(Array(file.prefix(8)) == [137, 80, 78, 71, 13, 10, 26, 10])
        var position = 8
        while position < file.count {
            let size = Self.number(file, position)
            try #require(position + 12 + size <= file.count)
            let body = Array(file[position + 4..<position + 8 + size])
            let check = crc32(0, body, UInt32(body.count))
            #expect(UInt(Self.number(file, position + 8 + size)) == check)
            chunks.append((String(decoding: body.prefix(4), as: UTF8.self), Array(body.dropFirst(4))))
            position += 12 + size
        }
        let header = try #require(chunks.first { $0.type == "IHDR" }).data
        width = Self.number(header, 0)
        height = Self.number(header, 4)
        depth = Int(header[8])
        components = header[9] == 6 ? 4 : 3
        try #require(header[9] == 6 || header[9] == 2)
        #expect(header[10...] == [0, 0, 0])

        let pixel = components * depth / 8
        let row = width * pixel
        var filtered = [UInt8](repeating: 0, count: (row + 1) * height)
        var size = UInt(filtered.count)
        let packed = chunks.filter { $0.type == "IDAT" }.flatMap(\.data)
        try #require(uncompress(&filtered, &size, packed, UInt(packed.count)) == Z_OK)
        try #require(size == UInt(filtered.count))
        samples = .init(repeating: 0, count: row * height)
        for y in 0..<height { try unfilter(y, filtered, row, pixel) }
    }

    private mutating func unfilter(_ y: Int, _ filtered: [UInt8], _ row: Int, _ pixel: Int) throws {
        let start = y * (row + 1)
        let filter = filtered[start]
        filters.insert(filter)
        for x in 0..<row {
            let left = x >= pixel ? Int(samples[y * row + x - pixel]) : 0
            let above = y > 0 ? Int(samples[(y - 1) * row + x]) : 0
            let corner = x >= pixel && y > 0 ? Int(samples[(y - 1) * row + x - pixel]) : 0
            let predicted =
                switch filter {
                case 0: 0
                case 1: left
                case 2: above
                case 3: (left + above) / 2
                case 4: Self.nearest(to: left + above - corner, of: [left, above, corner])
                default: throw Unreadable()
                }
            samples[y * row + x] = filtered[start + 1 + x] &+ UInt8(predicted)
        }
    }

    /// The first of the nearest.
    private static func nearest(to value: Int, of candidates: [Int]) -> Int {
        candidates.min { abs(value - $0) < abs(value - $1) } ?? 0
    }

    struct Unreadable: Error {}

    func data(of type: String) -> [UInt8]? { chunks.first { $0.type == type }?.data }

    static func number(_ bytes: [UInt8], _ position: Int) -> Int {
        bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
