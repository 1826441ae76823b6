import GstBridge

/// Rotates and mirrors pictures in memory.
extension Orientation {
    /// The position in the result of the source's pixel (0, 0), and the steps in the result from a pixel to those on
    /// its right and below it in the source.
    private func map(_ width: Int, _ height: Int) -> (x: Int, y: Int, right: (x: Int, y: Int), down: (x: Int, y: Int)) {
        let m = isMirrored
        switch rotation {
        case 90: return (height - 1, m ? width - 1 : 0, (0, m ? -1 : 1), (-1, 0))
        case 180: return (m ? 0 : width - 1, height - 1, (m ? 1 : -1, 0), (0, -1))
        case 270: return (0, m ? 0 : width - 1, (0, m ? 1 : -1), (1, 0))
        default: return (m ? width - 1 : 0, 0, (m ? -1 : 1, 0), (0, 1))
        }
    }

    /// Rotates and mirrors a picture of 4 or 8 bytes a pixel.
    /// - Parameters:
    ///   - width: the source's width in pixels.
    ///   - height: the source's height in pixels.
    func turn(
        _ source: UnsafeRawPointer, stride: Int, width: Int, height: Int, to target: UnsafeMutableRawPointer,
        stride targetStride: Int, bytesPerPixel: Int
    ) {
        let map = map(width, height)
        let start = map.y * targetStride + map.x * bytesPerPixel
        let right = map.right.y * targetStride + map.right.x * bytesPerPixel
        let down = map.down.y * targetStride + map.down.x * bytesPerPixel
        // Work in tiles, so that both reads and writes stay within the cache.
        let tile = 32
        for top in Swift.stride(from: 0, to: height, by: tile) {
            for left in Swift.stride(from: 0, to: width, by: tile) {
                for y in top..<min(top + tile, height) {
                    for x in left..<min(left + tile, width) {
                        let from = y &* stride &+ x &* bytesPerPixel
                        let to = start &+ x &* right &+ y &* down
                        if bytesPerPixel == 8 {
                            target.storeBytes(
                                of: source.loadUnaligned(fromByteOffset: from, as: UInt64.self), toByteOffset: to,
                                as: UInt64.self)
                        } else {
                            target.storeBytes(
                                of: source.loadUnaligned(fromByteOffset: from, as: UInt32.self), toByteOffset: to,
                                as: UInt32.self)
                        }
                    }
                }
            }
        }
    }

    /// Where a pixel of the source lies in the result.
    func place(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> (x: Int, y: Int) {
        let map = map(width, height)
        return (map.x + x * map.right.x + y * map.down.x, map.y + x * map.right.y + y * map.down.y)
    }
}
