import Glibc

/// The order of a wipe's places on the part of a canvas that a layer reaches.
package final class LumaMap: @unchecked Sendable {
    let reach: PixelRect
    /// The longer side of the whole picture, in pixels.
    let length: Int
    /// In fixed point: hard edges take small differences many thousand times.
    private let values: UnsafeMutablePointer<Int32>
    /// The least and the greatest value of each row.
    private let ranges: UnsafeMutablePointer<ClosedRange<Int32>>

    /// What stands for 1.
    static let one = Double(1 << 30)

    /// - Parameters:
    ///   - place: of the whole picture on the canvas.
    ///   - reach: what of it is on the canvas, not empty.
    ///   - isReversed: whether light places of the map appear first.
    /// - Returns: `nil` where there is no memory.
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

    /// Of a row of the canvas, from the first column of `reach` on.
    func row(_ y: Int) -> (values: UnsafePointer<Int32>, range: ClosedRange<Int32>) {
        (UnsafePointer(values + (y - reach.y) * reach.width), ranges[y - reach.y])
    }
}

/// How far a wipe has come: the share of each place is `(progress (1 + softness) - order) / softness`, cut to [0, 1].
package struct LayerWipe: Sendable {
    package let map: LumaMap
    /// The order whose share is 0: those below have more, `slope` for each step.
    private let edge: Int32
    private let slope: Float

    /// - Parameters:
    ///   - progress: 0 shows nothing of the picture, 1 all of it.
    ///   - softness: the width of the edge, as a share of the whole way; an edge is a pixel wide at least.
    package init(_ map: LumaMap, progress: Double, softness: Double) {
        self.map = map
        let width = max(min(softness, 1), 1 / Double(map.length))
        let end = min(max(progress, 0), 1) * (1 + width) * LumaMap.one
        edge = Int32(min(end, Double(Int32.max)))
        slope = Float(1 / (width * LumaMap.one))
    }

    /// What of a row is shown.
    enum Coverage { case nothing, part, all }

    func coverage(_ y: Int) -> Coverage {
        let range = map.row(y).range
        if share(range.lowerBound) <= 0 { return .nothing }
        return share(range.upperBound) >= 1 ? .all : .part
    }

    /// Puts pixels onto others, each by its share.
    /// - Parameters:
    ///   - y: the row of the canvas.
    ///   - layer: from the first column that the layer reaches on.
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
    /// A part of one colour and the rest of another, both premultiplied.
    fileprivate func mixture(_ a: LightPixel, _ b: LightPixel, _ share: Float) -> LightPixel {
        if share <= 0 { return a }
        if share >= 1 { return b }
        guard case .signal(let curve) = self else { return a + (b - a) * share }
        let (from, to) = (curve.signal(a), curve.signal(b))
        return curve.light(from + (to - from) * share)
    }
}
