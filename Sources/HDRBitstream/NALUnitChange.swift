/// A change of one NAL unit of an access unit, or units to insert before one.
struct NALUnitChange {
    enum Outcome: Equatable {
        case keep
        case remove
        /// Escaped units with their headers.
        case replace([UInt8])
        case insert([[UInt8]])
    }

    /// The unit with its framing; empty where units are added.
    let range: Range<Int>
    let outcome: Outcome

    /// The access unit after changes, which are in the order of their ranges.
    static func apply(
        _ changes: [NALUnitChange], to bytes: UnsafeRawBufferPointer, framing: NALFraming
    ) throws(BitstreamError) -> [UInt8] {
        var result: [UInt8] = []
        var growth = 0
        for change in changes {
            switch change.outcome {
            case .keep, .remove: break
            case .replace(let unit): growth += unit.count + longestPrefix
            case .insert(let units): growth += units.reduce(0) { $0 + $1.count + longestPrefix }
            }
        }
        result.reserveCapacity(bytes.count + growth)

        var position = 0
        for change in changes {
            result.append(contentsOf: bytes.part(position..<max(position, change.range.lowerBound)))
            position = max(position, change.range.upperBound)
            switch change.outcome {
            case .keep: result.append(contentsOf: bytes.part(change.range))
            case .remove: break
            case .replace(let unit): try append(unit, to: &result, framing)
            case .insert(let units): for unit in units { try append(unit, to: &result, framing) }
            }
        }
        result.append(contentsOf: bytes.part(position..<max(position, bytes.count)))
        // The first start code of an access unit has four bytes: H.265 B.2.2.
        if framing == .byteStream, result.starts(with: [0, 0, 1]), !bytes.starts(with: [0, 0, 1]) {
            result.insert(0, at: 0)
        }
        return result
    }

    private static let longestPrefix = 4

    private static func append(
        _ unit: [UInt8], to result: inout [UInt8], _ framing: NALFraming
    ) throws(BitstreamError) {
        switch framing {
        case .byteStream: result += [0, 0, 0, 1]
        case .lengthPrefixed(let size):
            let bits = size.rawValue * 8
            guard unit.count >> bits == 0 else {
                throw BitstreamError(
                    "NAL unit of \(unit.count) bytes does not fit in a length of \(size.rawValue) bytes of its hvcC")
            }
            for shift in stride(from: bits - 8, through: 0, by: -8) {
                result.append(UInt8(truncatingIfNeeded: unit.count >> shift))
            }
        }
        result += unit
    }
}
