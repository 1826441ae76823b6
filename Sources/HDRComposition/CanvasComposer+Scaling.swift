import HDRKernels

/// Scales and rotates layers in linear light.
extension CanvasComposer {
    /// The part of a layer that is on the canvas, scaled in linear light.
    func scale(
        _ layer: CanvasLayer, _ kernel: ResamplingFilter.Kernel, _ forEachSlice: Slices
    ) throws(Failure) -> LightPicture {
        let (part, place) = (layer.part, layer.place)
        let reach = layer.reach(width: width, height: height)
        let across = ResamplingFilter(
            from: part.width, to: place.width, range: shifted(reach.columns, by: -place.x), kernel: kernel)
        let down = ResamplingFilter(
            from: part.height, to: place.height, range: shifted(reach.rows, by: -place.y), kernel: kernel)
        let stored = layer.orientation.source(part, layer.frame.width, layer.frame.height)
        guard let light = LightPicture(width: layer.frame.width, height: stored.height),
            let narrow = LightPicture(width: reach.width, height: part.height),
            let made = LightPicture(width: reach.width, height: reach.height)
        else { throw .memory }
        let count = threads == 1 ? 1 : 4 * threads
        let isTurned = layer.orientation != .identity
        forEachSlice(count) { slice, thread in
            let rows = Self.slice(slice, of: count, stored.rows)
            layer.converter.decode(layer.frame, rows: rows, into: light.rows(stored.rows), thread: thread)
            if isTurned { return }
            for y in rows {
                across.apply(to: light.row(y - part.y) + part.x, into: narrow.row(y - part.y), count: reach.width)
            }
        }
        if isTurned {
            let rows = (0..<threads).compactMap { _ in LightPicture(width: part.width, height: 1) }
            guard rows.count == threads else { throw .memory }
            forEachSlice(count) { slice, thread in
                for y in Self.slice(slice, of: count, 0..<part.height) {
                    turn(layer, y, from: light, stored.y, into: rows[thread].row(0))
                    across.apply(to: rows[thread].row(0), into: narrow.row(y), count: reach.width)
                }
            }
        }
        forEachSlice(count) { slice, _ in
            for y in Self.slice(slice, of: count, 0..<reach.height) { down.apply(to: narrow, into: made.row(y), y) }
        }
        return made
    }

    /// A row of a layer's part after rotation.
    /// - Parameter top: the picture's row that is the first one of `light`.
    private func turn(
        _ layer: CanvasLayer, _ y: Int, from light: LightPicture, _ top: Int, into row: UnsafeMutablePointer<LightPixel>
    ) {
        for x in 0..<layer.part.width {
            let place = layer.orientation.source(
                layer.part.x + x, layer.part.y + y, layer.frame.width, layer.frame.height)
            row[x] = light.row(place.y - top)[place.x]
        }
    }

    private func shifted(_ range: Range<Int>, by distance: Int) -> Range<Int> {
        (range.lowerBound + distance)..<(range.upperBound + distance)
    }

    private static func slice(_ index: Int, of count: Int, _ all: Range<Int>) -> Range<Int> {
        let first = all.lowerBound + all.count * index / count
        return first..<(all.lowerBound + all.count * (index + 1) / count)
    }
}

extension ResamplingFilter {
    /// Filters along a row, and limits the overshoot of alpha to its range.
    fileprivate func apply(
        to source: UnsafePointer<LightPixel>, into target: UnsafeMutablePointer<LightPixel>, count: Int
    ) {
        first.withUnsafeBufferPointer { first in
            weights.withUnsafeBufferPointer { weights in
                for index in 0..<count {
                    var sum = LightPixel.zero
                    let start = Int(first[index])
                    for tap in 0..<taps { sum += source[start + tap] * weights[index &* taps &+ tap] }
                    target[index] = sum
                }
            }
        }
    }

    /// Filters along columns, for one row of the result.
    fileprivate func apply(to picture: LightPicture, into target: UnsafeMutablePointer<LightPixel>, _ y: Int) {
        let start = Int(first[y])
        for x in 0..<picture.width { target[x] = picture.row(start)[x] * weights[y &* taps] }
        for tap in 1..<max(taps, 1) {
            let row = picture.row(start + tap)
            let weight = weights[y &* taps &+ tap]
            for x in 0..<picture.width { target[x] += row[x] * weight }
        }
        for x in 0..<picture.width { target[x].w = Float.minimum(Float.maximum(target[x].w, 0), 1) }
    }
}
