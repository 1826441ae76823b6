import HDRColor
import HDRKernels

/// Composes pictures in linear light and encodes the canvas.
///
/// A canvas is composed by slices of rows, each from its lowest visible layer up, and encoded while its light is in the
/// processor's cache. Layers that are not scaled are decoded for the slice alone; scaled ones are made before, since
/// their rows depend on many others.
package final class CanvasComposer {
    /// Runs a body for each of some slices, on threads that are numbered from 0.
    package typealias Slices = (_ count: Int, _ body: (_ slice: Int, _ thread: Int) -> Void) -> Void

    /// Why there is no picture.
    package enum Failure: Error { case memory }

    package let width: Int
    package let height: Int
    private let target: LinearLightConverter
    private let threads: Int
    private let instructionSet: InstructionSet
    /// For parts of the canvas, by their width.
    private var windows: [Int: LinearLightConverter] = [:]
    private let slices: Int
    /// Of each thread: rows of the canvas.
    private let strips: [LightPicture]
    /// Of each thread: rows of a layer that is not scaled.
    private var layerStrips: [LightPicture] = []

    /// - Parameters:
    ///   - target: the canvas's signal, whose light is in the same primaries and white as the layers'.
    ///   - threads: how many slices are composed at a time, 1 or more.
    ///   - instructionSet: that of `target`.
    /// - Returns: `nil` where there is no memory.
    package init?(
        target: LinearLightConverter, height: Int, threads: Int, instructionSet: InstructionSet = .best
    ) {
        width = target.width
        self.height = height
        self.target = target
        self.threads = max(threads, 1)
        self.instructionSet = instructionSet
        // Of 32 rows or fewer, so that a slice of a picture of 3840 columns stays in the second-level cache.
        slices = max(min(4 * self.threads, (height + 1) / 2), (height + 31) / 32)
        let rows = 2 * ((height / 2) / slices + 2) + 8
        let strips = (0..<self.threads).compactMap { _ in LightPicture(width: target.width, height: rows) }
        guard strips.count == self.threads, height > 0 else { return nil }
        self.strips = strips
    }

    /// Composes a picture.
    /// - Parameters:
    ///   - layers: from the lowest up.
    ///   - space: what pictures are mixed as; they are scaled as light in either.
    ///   - frame: of the target's signal, and of the canvas's size.
    package func compose(
        _ layers: [CanvasLayer], on background: CanvasBackground, in space: BlendSpace = .linear,
        into frame: FrameView, kernel: ResamplingFilter.Kernel, _ forEachSlice: Slices
    ) throws(Failure) {
        let whole = PixelRect(x: 0, y: 0, width: width, height: height)
        let visible = layers.filter {
            !$0.reach(width: width, height: height).isEmpty && ($0.opacity > 0 || $0.clears)
        }
        let lowest = visible.lastIndex { $0.covers(whole) } ?? 0
        let shown = visible.dropFirst(lowest)
        var scaled: [LightPicture?] = []
        for layer in shown {
            scaled.append(layer.isScaled ? try scale(layer, kernel, forEachSlice) : nil)
        }
        let widest = shown.filter { !$0.isScaled }.map(\.frame.width).max() ?? 0
        try reserveLayerStrips(width: widest)
        let strips = strips
        let layerStrips = layerStrips
        let base = shown.first.flatMap { isCopyable($0, on: background) ? $0 : nil }
        // Of a picture with alpha, the pixels that nothing shows through keep their codes too.
        let like = shown.first.flatMap { base == nil && isAligned($0) ? $0.frame : nil }
        let pairs = Array(zip(shown, scaled))
        let window = try base == nil ? nil : window(around: shown.dropFirst())
        forEachSlice(slices) { slice, thread in
            let rows = target.rows(ofSlice: slice, of: slices, height: height)
            guard !rows.isEmpty else { return }
            let needed = target.rowsToEncode(rows, height: height)
            var part = Part(strip: strips[thread], rows: needed, columns: 0..<width, converter: target)
            var layers = ArraySlice(pairs)
            if let base {
                frame.copy(rows, of: base.frame, target.target.layout)
                layers = layers.dropFirst()
                // Where nothing lies above, the copy is the picture.
                guard let window, layers.contains(where: { reaches($0.0, needed) }) else { return }
                part.columns = window.columns
                part.converter = window.converter
            }
            let layout = target.target.layout
            let picture = frame.columns(part.columns, layout)
            let source = base?.frame.columns(part.columns, layout)
            guard let picture else { return }
            if let source {
                part.converter.decode(source, rows: needed, into: part.strip.rows(needed), thread: thread)
            } else {
                for y in needed { background.fill(part.row(y), width: width, y: y) }
            }
            for (layer, scaled) in layers {
                if let scaled {
                    blend(layer, scaled, onto: part, in: space)
                } else {
                    blend(layer, decodedInto: layerStrips[thread], onto: part, in: space, thread: thread)
                }
            }
            if !layout.hasAlpha { part.strip.makeOpaque(rows: needed.count) }
            part.converter.encode(
                part.strip.rows(needed), from: source ?? like, into: picture, rows: rows, thread: thread)
        }
    }

    /// A part of the canvas in linear light.
    private struct Part {
        let strip: LightPicture
        let rows: Range<Int>
        var columns: Range<Int>
        /// Of pictures as wide as the columns.
        var converter: LinearLightConverter

        /// The pixels of a row of the canvas, from the first of the columns on.
        func row(_ y: Int) -> UnsafeMutablePointer<LightPixel> { strip.row(y - rows.lowerBound) }
    }

    // MARK: Copies

    /// Whether a canvas is one of its layers, code by code, with nothing above or below that shows.
    package func isCopy(of layers: [CanvasLayer], on background: CanvasBackground) -> Bool {
        layers.count == 1 && isCopyable(layers[0], on: background)
    }

    /// Whether a lowest layer is the whole canvas, code by code: nothing shows through, or there is nothing below.
    private func isCopyable(_ layer: CanvasLayer, on background: CanvasBackground) -> Bool {
        isAligned(layer) && (layer.isOpaque || background == .transparent)
    }

    /// Whether a layer has the canvas's signal, and a pixel for each of its pixels.
    private func isAligned(_ layer: CanvasLayer) -> Bool {
        let whole = PixelRect(x: 0, y: 0, width: width, height: height)
        return layer.opacity == 1 && !layer.isScaled && layer.place == whole && layer.frame.width == width
            && layer.frame.height == height && layer.converter.source == target.target
    }

    private func reaches(_ layer: CanvasLayer, _ rows: Range<Int>) -> Bool {
        !layer.reach(width: width, height: height).rows.clamped(to: rows).isEmpty
    }

    /// The columns that layers reach, with some more on each side, so that filters of chroma have what they depend on.
    private func window(
        around layers: ArraySlice<CanvasLayer>
    ) throws(Failure) -> (columns: Range<Int>, converter: LinearLightConverter)? {
        let reached = layers.map { $0.reach(width: width, height: height).columns }.filter { !$0.isEmpty }
        guard let left = reached.map(\.lowerBound).min(), let right = reached.map(\.upperBound).max() else {
            return nil
        }
        let step = FrameView.columnStep
        let first = max(left - 16, 0) / step * step
        let end = min((right + 16 + step - 1) / step * step, width)
        if end - first == width { return (first..<end, target) }
        if let known = windows[end - first] { return (first..<end, known) }
        let converter = LinearLightConverter(
            source: target.source, target: target.target, width: end - first, options: target.options,
            threads: threads, instructionSet: instructionSet)
        guard let converter else { throw .memory }
        // A layer that moves or grows has other widths from picture to picture, in steps.
        if windows.count >= 32 { windows = [:] }
        windows[end - first] = converter
        return (first..<end, converter)
    }

    private func reserveLayerStrips(width: Int) throws(Failure) {
        guard width > 0, layerStrips.first?.width ?? 0 != width else { return }
        let made = strips.compactMap { LightPicture(width: width, height: $0.height) }
        guard made.count == threads else { throw .memory }
        layerStrips = made
    }

    // MARK: Layers

    /// Blends rows of a layer that has been scaled before.
    private func blend(_ layer: CanvasLayer, _ picture: LightPicture, onto part: Part, in space: BlendSpace) {
        let reach = layer.reach(width: width, height: height)
        for y in reach.rows.clamped(to: part.rows) {
            layer.blend(
                picture.row(y - reach.y), onto: part.row(y) + (reach.x - part.columns.lowerBound), count: reach.width,
                opacity: layer.opacity, in: space)
        }
    }

    /// Decodes rows of a layer and blends them.
    private func blend(
        _ layer: CanvasLayer, decodedInto memory: LightPicture, onto part: Part, in space: BlendSpace, thread: Int
    ) {
        let reach = layer.reach(width: width, height: height)
        let wanted = reach.rows.clamped(to: part.rows)
        guard !wanted.isEmpty else { return }
        let first = wanted.lowerBound - layer.place.y + layer.part.y
        let decoded = first..<(first + wanted.count)
        let stride = layer.frame.width * MemoryLayout<LightPixel>.stride
        let data = memory.row(0)
        layer.converter.decode(
            layer.frame, rows: decoded, into: LightRows(data: data, stride: stride, rows: decoded), thread: thread)
        for y in wanted {
            layer.blend(
                data + (y - wanted.lowerBound) * layer.frame.width + (reach.x - layer.place.x + layer.part.x),
                onto: part.row(y) + (reach.x - part.columns.lowerBound), count: reach.width, opacity: layer.opacity,
                in: space)
        }
    }

    /// The part of a layer that is on the canvas, scaled in linear light.
    private func scale(
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

    /// A row of a layer's part as it is shown.
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

extension CanvasLayer {
    /// Whether it takes away what is below where it shows nothing itself.
    fileprivate var clears: Bool { blend == .source }
}

extension LightPicture {
    /// Alpha of the first rows becomes 1: what shows through is black.
    fileprivate func makeOpaque(rows: Int) {
        let pixels = row(0)
        for index in 0..<(rows * width) { pixels[index].w = 1 }
    }
}

extension ResamplingFilter {
    /// Along a row. Overshoot does not leave alpha's range.
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

    /// A row of those of a picture.
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
