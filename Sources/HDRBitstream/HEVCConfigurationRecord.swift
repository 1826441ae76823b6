/// HEVCDecoderConfigurationRecord, the content of box `hvcC` and of caps field `codec_data`: ISO/IEC 14496-15 8.3.3.1.
package struct HEVCConfigurationRecord: Equatable, Sendable {
    /// NAL units of one type.
    package struct Units: Equatable, Sendable {
        /// array_completeness: all units of this type are here, and none in the stream.
        package var isComplete: Bool
        /// nal_unit_type, 0...63.
        package var type: UInt8
        /// The units, escaped, with their headers and without lengths.
        package var units: [[UInt8]]
    }

    package let profile: HEVCProfile
    package let chromaFormat: UInt8
    package let lumaDepth: UInt8
    package let chromaDepth: UInt8
    /// The length size of the stream's NAL units.
    package let lengthSize: NALLengthSize
    package var arrays: [Units]
    /// The fields before the arrays.
    let header: [UInt8]
    /// Bytes behind the arrays, of later editions.
    let trailer: [UInt8]

    static let headerSize = 22

    package init(_ record: UnsafeRawBufferPointer) throws(BitstreamError) {
        var reader = ConfigurationReader(record, name: "hvcC")
        header = try reader.bytes(Self.headerSize)
        // Records from before the standard was published have version 0.
        guard header[0] <= 1 else {
            throw BitstreamError("hvcC has version \(header[0]), and 1 is known", at: 0)
        }
        var fields = RBSPReader(all: Array(header.dropFirst()), name: "hvcC")
        profile = try HEVCProfile(&fields)
        chromaFormat = header[16] & 3
        lumaDepth = (header[17] & 7) + 8
        chromaDepth = (header[18] & 7) + 8
        guard let size = NALLengthSize(rawValue: Int(header[21] & 3) + 1) else {
            throw BitstreamError("hvcC says that NAL lengths have 3 bytes, and 1, 2 and 4 are allowed", at: 21)
        }
        lengthSize = size

        var read: [Units] = []
        for _ in 0..<(try reader.byte()) {
            let kind = try reader.byte()
            var units: [[UInt8]] = []
            for _ in 0..<(try reader.half()) { units.append(try reader.bytes(try reader.half())) }
            read.append(Units(isComplete: kind & 0x80 != 0, type: kind & 0x3F, units: units))
        }
        arrays = read
        trailer = reader.rest()
    }

    package init(_ record: [UInt8]) throws(BitstreamError) {
        self = try record.withRawBytes { (bytes) throws(BitstreamError) in try Self(bytes) }
    }

    package var framing: NALFraming { .lengthPrefixed(lengthSize) }

    /// The record's bytes. Fails where a unit is over 65535 bytes or there are too many.
    package func bytes() throws(BitstreamError) -> [UInt8] {
        guard let count = UInt8(exactly: arrays.count) else {
            throw BitstreamError("hvcC cannot hold \(arrays.count) arrays, and 255 is the maximum")
        }
        var result = header
        result.append(count)
        for array in arrays {
            result.append((array.isComplete ? 0x80 : 0) | array.type & 0x3F)
            result += try Self.half(array.units.count, "NAL units of type \(array.type)")
            for unit in array.units {
                result += try Self.half(unit.count, "bytes in a NAL unit of type \(array.type)")
                result += unit
            }
        }
        return result + trailer
    }

    private static func half(_ value: Int, _ what: String) throws(BitstreamError) -> [UInt8] {
        guard let value = UInt16(exactly: value) else {
            throw BitstreamError("hvcC cannot hold \(value) \(what), and 65535 is the maximum")
        }
        return [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}

/// Reads the big-endian fields of a configuration record.
struct ConfigurationReader {
    private let record: UnsafeRawBufferPointer
    private let name: StaticString
    private(set) var position = 0

    init(_ record: UnsafeRawBufferPointer, name: StaticString) {
        self.record = record
        self.name = name
    }

    mutating func bytes(_ count: Int) throws(BitstreamError) -> [UInt8] {
        guard count >= 0, count <= record.count - position else {
            throw BitstreamError("\(name) ends too early: \(count) bytes are wanted", at: position)
        }
        let range = position..<position + count
        position = range.upperBound
        return Array(record.part(range))
    }

    mutating func byte() throws(BitstreamError) -> UInt8 {
        guard position < record.count else { throw BitstreamError("\(name) ends too early", at: position) }
        position += 1
        return record[position - 1]
    }

    mutating func half() throws(BitstreamError) -> Int {
        let high = try byte()
        return Int(high) << 8 | Int(try byte())
    }

    mutating func rest() -> [UInt8] {
        let range = position..<record.count
        position = record.count
        return Array(record.part(range))
    }
}
