/// The framing of consecutive NAL units in a buffer.
package enum NALFraming: Equatable, Sendable {
    /// Start codes of three or four bytes: H.265 annex B.
    case byteStream
    /// A big-endian length before each NAL unit, as with `hvcC` and `avcC`: ISO/IEC 14496-15.
    case lengthPrefixed(NALLengthSize)
}

/// Bytes of a NAL unit's length.
package enum NALLengthSize: Int, Equatable, Sendable {
    case one = 1
    case two = 2
    case four = 4
}

/// The position of a NAL unit in its buffer.
package struct NALUnit: Equatable, Sendable {
    /// The unit with its start code or length, and the zeros that follow it.
    package let framed: Range<Int>
    /// The unit from its header on, escaped.
    package let content: Range<Int>
    /// The first two bytes of the unit; zero where it has fewer.
    package let header: (UInt8, UInt8)

    /// nal_unit_type of H.265 7.3.1.2, 0...63, or `nil` where the header is cut off.
    package var hevcType: UInt8? { content.count >= 2 ? header.0 >> 1 & 0x3F : nil }
    /// nuh_layer_id of H.265, 0...63.
    package var hevcLayer: UInt8 { (header.0 & 1) << 5 | header.1 >> 3 }
    /// nal_unit_type of H.264 7.3.1, 0...31, or `nil` where the header is cut off.
    package var avcType: UInt8? { content.isEmpty ? nil : header.0 & 0x1F }

    package static func == (left: NALUnit, right: NALUnit) -> Bool {
        left.framed == right.framed && left.content == right.content && left.header == right.header
    }
}

/// Iterates over the NAL units of a buffer, without copying.
package struct NALReader {
    private let bytes: UnsafeRawBufferPointer
    private let framing: NALFraming
    private var position = 0
    /// The start code 00 00 01 of the next unit.
    private var startCode: Int?

    /// The memory must outlive the reader.
    package init(_ bytes: UnsafeRawBufferPointer, framing: NALFraming) {
        self.bytes = bytes
        self.framing = framing
    }

    /// The next unit, or `nil` at the end of the buffer.
    package mutating func next() throws(BitstreamError) -> NALUnit? {
        guard position < bytes.count else { return nil }
        switch framing {
        case .byteStream: return try nextOfByteStream()
        case .lengthPrefixed(let size): return try nextByLength(size.rawValue)
        }
    }

    private mutating func nextByLength(_ size: Int) throws(BitstreamError) -> NALUnit? {
        guard bytes.count - position >= size else {
            throw BitstreamError("access unit ends inside the length of a NAL unit", at: position)
        }
        var length = 0
        for index in position..<position + size { length = length << 8 | Int(bytes[index]) }
        let start = position + size
        guard length <= bytes.count - start else {
            throw BitstreamError(
                """
                NAL unit of \(length) bytes is cut off after \(bytes.count - start): the access unit is incomplete, or \
                its codec_data belongs to another stream
                """, at: position)
        }
        let framed = position..<start + length
        position = framed.upperBound
        return unit(framed: framed, content: start..<framed.upperBound)
    }

    private mutating func nextOfByteStream() throws(BitstreamError) -> NALUnit? {
        let code: Int
        if let startCode {
            code = startCode
        } else {
            let garbage = BitstreamError("access unit does not begin with a start code 00 00 01", at: position)
            guard let first = nextStartCode(from: position) else { throw garbage }
            guard bytes.part(position..<first).allSatisfy({ $0 == 0 }) else { throw garbage }
            code = first
            // The last of the zeros before the first start code belongs to it.
            position = max(position, first - 1)
        }
        let start = code + 3
        startCode = nextStartCode(from: start)
        var end = startCode ?? bytes.count
        // A zero before a start code is part of it; those before that trail the unit.
        var framedEnd = end
        if startCode != nil, end > start, bytes[end - 1] == 0 { framedEnd -= 1 }
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        let framed = position..<framedEnd
        position = framedEnd
        return unit(framed: framed, content: start..<end)
    }

    private func nextStartCode(from first: Int) -> Int? {
        var index = first + 2
        while index < bytes.count {
            let byte = bytes[index]
            if byte > 1 {
                index += 3
            } else if byte == 0 {
                index += 1
            } else {
                if bytes[index - 1] == 0, bytes[index - 2] == 0 { return index - 2 }
                index += 3
            }
        }
        return nil
    }

    private func unit(framed: Range<Int>, content: Range<Int>) -> NALUnit {
        let first = content.isEmpty ? 0 : bytes[content.lowerBound]
        let second = content.count < 2 ? 0 : bytes[content.lowerBound + 1]
        return NALUnit(framed: framed, content: content, header: (first, second))
    }
}
