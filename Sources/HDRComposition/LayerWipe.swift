import Glibc

/// The order in which a wipe reveals the part of a canvas that a layer reaches.
package final class LumaMap: @unchecked Sendable {
    let reach: PixelRect
    /// The longer side of the whole picture, in pixels.
    let length: Int
    /// The order of each pixel in fixed point: hard edges scale small differences by many thousand.
    private let values: UnsafeMutablePointer<Int32>
    /// The lowest and the highest value of each row.
    private let ranges: UnsafeMutablePointer<ClosedRange<Int32>>

    /// The fixed-point value of 1.
    static let one = Double(1 << 30)

    /// - Parameters:
    ///   - place: the place of the whole picture on the canvas.
    ///   - reach: the part of it that is on the canvas, not empty.
    ///   - isReversed: whether light places of the map appear first.
    /// - Returns: `nil` when out of memory.
    package init?(
        _ shape: WipeShape, isReversed: Bool, place: PixelRect, reach: PixelRect,
        _ forEachSlice: CanvasComposer.Slices
    ) {
        guard !reach.isEmpty, !place.isEmpty else { return nil }
        let (count, overflow) = reach.width.multipliedReportingOverflow(by: reach.height)
        let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: MemoryLayout<Int32>.stride)
        guard !overflow, !isTooLarge, let memory = malloc(bytes) else { return nil }
        values = memory.bindMemory(to: Int32.self, capacity: count)
        ranges = .allocate(capacity: reach.height)
        ranges.initialize(repeating: 0...0, count: reach.height)
        self.reach = reach
        length = max(place.width, place.height)
        let (left, top) = (Double(reach.x - place.x) + 0.5, Double(reach.y - place.y) + 0.5)
        forEachSlice(reach.height) { y, _ in
            var (least, greatest) = (Int32.max, Int32.min)
            for x in 0..<reach.width {
                let order = shape.order(
                    left + Double(x), top + Double(y), Double(place.width), Double(place.height))
                let value = Int32(min(max(isReversed ? 1 - order : order, 0), 1) * Self.one)
                values[y * reach.width + x] = value
                (least, greatest) = (min(least, value), max(greatest, value))
            }
            ranges[y] = least...greatest
        }
    }

    deinit {
        free(values)
        ranges.deallocate()
    }

    /// The values of a row of the canvas, from the first column of `reach` on, and their range.
    func row(_ y: Int) -> (values: UnsafePointer<Int32>, range: ClosedRange<Int32>) {
        (UnsafePointer(values + (y - reach.y) * reach.width), ranges[y - reach.y])
    }
}

/// The progress of a wipe: the share of each place is `(progress (1 + softness) - order) / softness`, clamped to [0,
/// 1].
package struct LayerWipe: Sendable {
    package let map: LumaMap
    /// The order at which the share is 0; at lower orders the share grows by `slope` per step.
    private let edge: Int32
    private let slope: Float

    /// - Parameters:
    ///   - progress: 0 shows nothing of the picture, 1 all of it.
    ///   - softness: the width of the edge relative to the whole way; an edge is at least a pixel wide.
    package init(_ map: LumaMap, progress: Double, softness: Double) {
        self.map = map
        let width = max(min(softness, 1), 1 / Double(map.length))
        let end = min(max(progress, 0), 1) * (1 + width) * LumaMap.one
        edge = Int32(min(end, Double(Int32.max)))
        slope = Float(1 / (width * LumaMap.one))
    }

    /// How much of a row is shown.
    enum Coverage { case nothing, part, all }

    func coverage(_ y: Int) -> Coverage {
        let range = map.row(y).range
        if share(range.lowerBound) <= 0 { return .nothing }
        return share(range.upperBound) >= 1 ? .all : .part
    }

    /// Blends pixels onto others, each by its share.
    /// - Parameters:
    ///   - y: the row of the canvas.
    ///   - layer: the layer's pixels, from the first column that it reaches on.
    ///   - spare: memory for `count` pixels.
    func blend(
        _ layer: UnsafePointer<LightPixel>, onto canvas: UnsafeMutablePointer<LightPixel>, _ y: Int, count: Int,
        opacity: Float, by blend: BlendOperator, in space: BlendSpace, _ spare: UnsafeMutablePointer<LightPixel>
    ) {
        let order = map.row(y).values
        if blend == .source {
            for index in 0..<count {
                let share = share(order[index])
                let pixel = layer[index] * opacity
                canvas[index] = space.mixture(canvas[index], pixel, share)
            }
        } else {
            for index in 0..<count { spare[index] = layer[index] * share(order[index]) }
            blend(spare, onto: canvas, count: count, opacity: opacity, in: space)
        }
    }

    @inline(__always) private func share(_ order: Int32) -> Float {
        Float.minimum(Float.maximum(Float(edge &- order) * slope, 0), 1)
    }
}

extension BlendSpace {
    /// The mixture of two premultiplied colours, with a share of one and the rest of the other.
    fileprivate func mixture(_ a: LightPixel, _ b: LightPixel, _ share: Float) -> LightPixel {
        if share <= 0 { return a }
        if share >= 1 { return b }
        guard case .signal(let curve) = self else { return a + (b - a) * share }
        let (from, to) = (curve.signal(a), curve.signal(b))
        return curve.light(from + (to - from) * share)
    }
}
