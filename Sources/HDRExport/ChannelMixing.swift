/// Channels that come midway in a stream, in place of those that a matrix was planned for. GStreamer's audioconvert
/// keeps to a matrix once it has one, so that these need one too.
extension ChannelPlacement {
    /// The mixing matrix: a row for each channel of the layout, with the gain of each of the other channels in it.
    /// - Parameter channelMask: a bit for each channel's GstAudioChannelPosition; 0 where they have no positions.
    package func mixing(channels: Int, channelMask: UInt64) -> [[Double]] {
        let rows = Self.positions(layout.channelMask)
        let gains = Self.places(channels, channelMask).map { Self.gains(of: $0, in: layout.channelMask) }
        let matrix = rows.map { row in gains.map { $0[row] ?? 0 } }
        let loudest = matrix.map { $0.reduce(0, +) }.max() ?? 1
        // What is mixed must not be clipped.
        return loudest > 1 ? matrix.map { $0.map { $0 / loudest } } : matrix
    }

    private static func positions(_ mask: UInt64) -> [Int] { (0..<64).filter { mask >> UInt64($0) & 1 == 1 } }

    private static func places(_ channels: Int, _ mask: UInt64) -> [Int] {
        if mask.nonzeroBitCount == channels { return positions(mask) }
        switch channels {
        case 1: return [centre]
        case 4: return [left, right, rearLeft, rearRight]
        case 2...AAC.surround.channels: return positions(AAC.layouts[channels - 1].channelMask)
        default: return (0..<max(channels, 0)).map { $0 % 2 }
        }
    }

    private static let (left, right, centre, rearLeft, rearRight, rearCentre) = (0, 1, 2, 4, 5, 8)
    private static let basses: Set = [3, 9]

    /// The nearest places of a layout that has at least a left and a right one, and how much of a channel each gets.
    private static func gains(of position: Int, in mask: UInt64) -> [Int: Double] {
        func has(_ place: Int) -> Bool { mask >> UInt64(place) & 1 == 1 }
        if has(position) { return [position: 1] }
        let half = 0.5.squareRoot()
        if basses.contains(position) { return [:] }
        if position == rearCentre, has(rearLeft) { return [rearLeft: half, rearRight: half] }
        guard let side = pairs.firstIndex(where: { $0 >> UInt64(position) & 1 == 1 }).map({ pairs[$0] }) else {
            return position == centre ? [left: half, right: half] : [left: 0.5, right: 0.5]
        }
        let isLeft = side >> UInt64(position) & 0b10 != 0
        let isInFront = [0b11, 0b11 << 6].contains(side)
        if !isInFront, has(rearLeft) { return [isLeft ? rearLeft : rearRight: 1] }
        return [isLeft ? left : right: half]
    }
}
