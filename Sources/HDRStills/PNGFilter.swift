/// The row filters of PNG, 9.2. The bytes before both rows, as many as a pixel has, must be 0.
enum PNGFilter: UInt8, CaseIterable {
    case none, sub, up, average, paeth

    /// Writes a filtered row, without the byte that names the filter.
    /// - Returns: the sum of the filtered bytes' distances from 0 as signed numbers: the smaller, the better the row
    ///   tends to compress (12.7). Modulo 2³².
    func apply(
        to row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, count: Int, pixel: Int,
        into output: UnsafeMutablePointer<UInt8>
    ) -> UInt32 {
        switch self {
        case .none:
            return Self.filter(count, into: output) { row[$0] }
        case .sub:
            return Self.filter(count, into: output) { row[$0] &- row[$0 &- pixel] }
        case .up:
            return Self.filter(count, into: output) { row[$0] &- above[$0] }
        case .average:
            return Self.filter(count, into: output) { index in
                let sum = UInt16(row[index &- pixel]) &+ UInt16(above[index])
                return row[index] &- UInt8(truncatingIfNeeded: sum &>> 1)
            }
        case .paeth:
            return Self.filter(count, into: output) { index in
                let predicted = Self.paeth(
                    left: Int16(row[index &- pixel]), above: Int16(above[index]), corner: Int16(above[index &- pixel]))
                return row[index] &- UInt8(truncatingIfNeeded: predicted)
            }
        }
    }

    @inline(__always)
    private static func filter(
        _ count: Int, into output: UnsafeMutablePointer<UInt8>, _ value: (Int) -> UInt8
    ) -> UInt32 {
        var sum: UInt32 = 0
        var index = 0
        while index < count {
            let filtered = value(index)
            output[index] = filtered
            let negative = 0 &- filtered
            sum &+= UInt32(filtered < negative ? filtered : negative)
            index &+= 1
        }
        return sum
    }

    /// The PaethPredictor, 9.4, with selections in place of branches, which vectorize.
    @inline(__always)
    private static func paeth(left: Int16, above: Int16, corner: Int16) -> Int16 {
        let fromLeft = above &- corner
        let fromAbove = left &- corner
        let fromCorner = fromLeft &+ fromAbove
        let distanceLeft = fromLeft < 0 ? 0 &- fromLeft : fromLeft
        let distanceAbove = fromAbove < 0 ? 0 &- fromAbove : fromAbove
        let distanceCorner = fromCorner < 0 ? 0 &- fromCorner : fromCorner
        let other = distanceAbove <= distanceCorner ? above : corner
        let otherDistance = distanceAbove <= distanceCorner ? distanceAbove : distanceCorner
        return distanceLeft <= otherDistance ? left : other
    }
}
