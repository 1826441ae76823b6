/// The place of a view on the surface, and the part of the buffer that it shows, in the protocol's numbers.
struct Placement: Equatable, Sendable {
    var x: Int32
    var y: Int32
    var width: Int32
    var height: Int32
    /// The source rectangle in 24.8 fixed point, within the buffer.
    var sourceX: Int32
    var sourceY: Int32
    var sourceWidth: Int32
    var sourceHeight: Int32

    /// - Parameter scale: pixels of the window per unit of the surface.
    /// - Returns: `nil` if nothing of the view can be seen. A part beyond the picture is clipped, at the destination
    ///   too: a source outside the buffer is an error that ends the connection.
    init?(_ view: View, width pictureWidth: Int, height pictureHeight: Int, scale: Double) {
        guard
            let horizontal = Self.cut(
                view.source.x, view.source.width, pictureWidth, view.destination.x / scale,
                view.destination.width / scale),
            let vertical = Self.cut(
                view.source.y, view.source.height, pictureHeight, view.destination.y / scale,
                view.destination.height / scale)
        else { return nil }
        (sourceX, sourceWidth, x, width) = horizontal
        (sourceY, sourceHeight, y, height) = vertical
    }

    private static func cut(_ source: Double, _ length: Double, _ limit: Int, _ target: Double, _ targetLength: Double)
        -> (Int32, Int32, Int32, Int32)?
    {
        guard [source, length, target, targetLength].allSatisfy({ $0.isFinite && abs($0) < 1e6 }), length > 0,
            targetLength > 0
        else { return nil }
        let limit = Double(limit)
        let low = min(max(source, 0), limit)
        let high = min(max(source + length, 0), limit)
        guard high > low else { return nil }
        let ratio = targetLength / length
        let targetLow = (target + (low - source) * ratio).rounded()
        let targetHigh = (target + (high - source) * ratio).rounded()
        // Both ends are rounded down, so that their sum stays within the buffer.
        let fixedLow = (low * 256).rounded(.down)
        let fixedLength = (high * 256).rounded(.down) - fixedLow
        guard targetHigh > targetLow, fixedLength >= 1, abs(targetLow) < 1e6, targetHigh - targetLow < 1e6,
            fixedLow + fixedLength < Double(Int32.max)
        else { return nil }
        return (Int32(fixedLow), Int32(fixedLength), Int32(targetLow), Int32(targetHigh - targetLow))
    }
}
