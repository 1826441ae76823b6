import Glibc

/// The order in which a wipe reveals the places of a picture.
package enum WipeShape: Equatable, Sendable {
    /// An edge that moves to the named side.
    case barLeft, barRight, barUp, barDown
    /// An edge that moves from the upper left corner to the lower right one.
    case diagonal
    /// A circle that opens from the middle.
    case iris
    /// A rhombus with the picture's aspect ratio that opens from the middle.
    case diamond
    /// A clock hand that turns clockwise from twelve.
    case clock
    /// Two edges that move from the middle to the left and to the right.
    case barnDoor
    /// The dark places of a grey picture appear first.
    case map(WipePicture)

    /// - Parameters:
    ///   - x, y: a place, in pixels from the upper left corner; the middle of the first pixel is at 0.5.
    ///   - width, height: the size of the picture as it is shown, in pixels, 1 or more.
    /// - Returns: the order from 0 to 1; lower ones appear first.
    package func order(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Double {
        let (u, v) = (x / width, y / height)
        switch self {
        case .barLeft: return 1 - u
        case .barRight: return u
        case .barUp: return 1 - v
        case .barDown: return v
        case .diagonal: return (u + v) / 2
        case .iris: return hypot(x - width / 2, y - height / 2) / hypot(width / 2, height / 2)
        case .diamond: return abs(u - 0.5) + abs(v - 0.5)
        case .clock:
            let turn = atan2(x - width / 2, height / 2 - y) / (2 * .pi)
            return turn < 0 ? turn + 1 : turn
        case .barnDoor: return 2 * abs(u - 0.5)
        case .map(let picture): return picture.value(u, v)
        }
    }
}

/// A grey picture that defines the order in which the places of a picture appear.
package final class WipePicture: Equatable, Sendable {
    private let width: Int
    private let height: Int
    private let values: [UInt16]

    /// - Parameter values: the rows from the top, 0 is black.
    /// - Returns: `nil` where there are not exactly `width` times `height` values, or none.
    package init?(width: Int, height: Int, values: [UInt16]) {
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !overflow, values.count == count else { return nil }
        (self.width, self.height, self.values) = (width, height, values)
    }

    package static func == (a: WipePicture, b: WipePicture) -> Bool { a === b }

    /// The value at a position from (0, 0), the upper left corner, to (1, 1), as a number from 0 to 1, interpolated
    /// bilinearly between pixel centres.
    func value(_ u: Double, _ v: Double) -> Double {
        let (left, right, across) = Self.neighbours(u, width)
        let (top, bottom, down) = Self.neighbours(v, height)
        func row(_ y: Int) -> Double {
            let (a, b) = (Double(values[y * width + left]), Double(values[y * width + right]))
            return a + (b - a) * across
        }
        let upper = row(top)
        return (upper + (row(bottom) - upper) * down) / Double(UInt16.max)
    }

    private static func neighbours(_ place: Double, _ count: Int) -> (first: Int, second: Int, share: Double) {
        let position = min(max(place * Double(count) - 0.5, 0), Double(count - 1))
        let first = Int(position)
        return (first, min(first + 1, count - 1), position - Double(first))
    }
}
