import HDRKernels

/// Which parts of a canvas are copied, code by code, and which columns are composed in light.
extension CanvasComposer {
    /// Columns of the canvas as a picture of their own.
    struct Window {
        let columns: Range<Int>
        /// Of pictures of the canvas's signal that are as wide.
        let converter: LinearLightConverter
        /// For each layer that is copied, what of its picture is in the window.
        let copies: [(columns: Range<Int>, converter: LinearLightConverter)?]
    }

    // MARK: Copies

    /// Whether a canvas is one of its layers, code by code, with nothing above or below that shows.
    package func isCopy(of layers: [CanvasLayer], on background: CanvasBackground) -> Bool {
        layers.count == 1 && isCopyable(layers[0], on: background)
    }

    /// Whether a lowest layer is the whole canvas, code by code: nothing shows through, or there is nothing below.
    func isCopyable(_ layer: CanvasLayer, on background: CanvasBackground) -> Bool {
        isAligned(layer) && (layer.isOpaque || background == .transparent)
    }

    /// Whether a layer is the whole canvas, with the canvas's signal and a pixel for each of its pixels.
    func isAligned(_ layer: CanvasLayer) -> Bool {
        let whole = PixelRect(x: 0, y: 0, width: width, height: height)
        return layer.opacity == 1 && layer.wipe == nil && !layer.isScaled && layer.place == whole
            && layer.frame.width == width && layer.frame.height == height && layer.converter.source == target.target
    }

    /// Whether a layer over a copied one is copied too: opaque, of the canvas's signal, with its chroma where the
    /// canvas has its own.
    func isCopyableAbove(_ layer: CanvasLayer) -> Bool {
        let layout = target.target.layout
        let (x, y) = (layer.place.x - layer.part.x, layer.place.y - layer.part.y)
        return layer.isOpaque && !layer.isScaled && layer.converter.source == target.target
            && layout.packing == .words && !layout.isPacked422 && x % (1 << layout.horizontalShift) == 0
            && y % (1 << layout.verticalShift) == 0
    }

    /// Copies what a layer has of some rows, but for a pixel at its edges where samples of chroma are shared.
    func copy(_ layer: CanvasLayer, _ rows: Range<Int>, into frame: FrameView) {
        let layout = target.target.layout
        let reach = layer.reach(width: width, height: height)
        func whole(_ range: Range<Int>, _ shift: Int) -> Range<Int> {
            let unit = 1 << shift
            let first = (range.lowerBound + unit - 1) / unit * unit
            return first..<max(first, range.upperBound / unit * unit)
        }
        frame.copy(
            columns: whole(reach.columns, layout.horizontalShift),
            rows: whole(reach.rows.clamped(to: rows), layout.verticalShift), of: layer.frame,
            x: layer.place.x - layer.part.x, y: layer.place.y - layer.part.y, layout)
    }

    // MARK: Windows

    /// How many pixels beside an edge depend on what is on its other side, at most: filters of chroma.
    private static let (columnsAround, rowsAround) = (16, 4)

    /// The columns that rows of a canvas need composed in light, whose lowest layer is copied.
    /// - Parameters:
    ///   - copies: layers that are copied onto it; around their edges chroma is filtered.
    ///   - mixed: layers above these.
    func windows(
        _ rows: Range<Int>, copies: [CanvasLayer], mixed: [CanvasLayer]
    ) throws(Failure) -> [Window] {
        var reached: [Range<Int>] = []
        func around(_ column: Int) -> Range<Int> { (column - Self.columnsAround)..<(column + Self.columnsAround) }
        for layer in mixed {
            let reach = layer.reach(width: width, height: height)
            if reach.rows.clamped(to: rows).isEmpty { continue }
            reached.append(around(reach.x).lowerBound..<around(reach.columns.upperBound).upperBound)
        }
        for layer in copies {
            let reach = layer.reach(width: width, height: height)
            let (first, end) = (around(reach.x), around(reach.columns.upperBound))
            let near = (reach.y - Self.rowsAround)..<(reach.rows.upperBound + Self.rowsAround)
            if rows.clamped(to: near).isEmpty { continue }
            let isInside =
                rows.lowerBound >= reach.y + Self.rowsAround
                && rows.upperBound <= reach.rows.upperBound - Self.rowsAround
            reached += isInside ? [first, end] : [first.lowerBound..<end.upperBound]
        }
        var windows: [Window] = []
        for columns in merged(reached) {
            let sources = try copies.map { layer throws(Failure) in try part(of: layer, columns) }
            windows.append(
                Window(columns: columns, converter: try converter(width: columns.count), copies: sources))
        }
        return windows
    }

    /// Ranges of columns that begin at whole steps and do not touch.
    private func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        let step = FrameView.columnStep
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let first = max(range.lowerBound, 0) / step * step
            let end = min((range.upperBound + step - 1) / step * step, width)
            if first >= end { continue }
            if let last = merged.last, last.upperBound >= first {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, end)
            } else {
                merged.append(first..<end)
            }
        }
        return merged
    }

    /// The columns of a layer's picture that lie in columns of the canvas, and what they depend on.
    private func part(
        of layer: CanvasLayer, _ columns: Range<Int>
    ) throws(Failure) -> (columns: Range<Int>, converter: LinearLightConverter)? {
        let reach = layer.reach(width: width, height: height).columns.clamped(to: columns)
        if reach.isEmpty { return nil }
        let step = FrameView.columnStep
        let shift = layer.part.x - layer.place.x
        let first = max(reach.lowerBound + shift - Self.columnsAround, 0) / step * step
        let wanted = (reach.upperBound + shift + Self.columnsAround + step - 1) / step * step
        let end = min(wanted, layer.frame.width)
        if end - first == layer.frame.width { return (first..<end, layer.converter) }
        return (first..<end, try converter(width: end - first))
    }

    /// Of pictures of the canvas's signal.
    private func converter(width: Int) throws(Failure) -> LinearLightConverter {
        if width == self.width { return target }
        if let known = converters[width] { return known }
        let converter = LinearLightConverter(
            source: target.source, target: target.target, width: width, options: target.options, threads: threads,
            instructionSet: instructionSet)
        guard let converter else { throw .memory }
        // A layer that moves or grows has other widths from picture to picture, in steps.
        if converters.count >= 64 { converters = [:] }
        converters[width] = converter
        return converter
    }
}
