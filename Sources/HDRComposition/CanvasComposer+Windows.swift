import HDRKernels

/// Decides which parts of a canvas are copied code by code, and which are composed in light.
extension CanvasComposer {
    /// A part of the canvas that is composed like a picture with these columns.
    struct Window {
        /// The rows of the canvas; the first one is even.
        let rows: Range<Int>
        let columns: Range<Int>
        /// The converter for pictures of the canvas's signal that are as wide as the window.
        let converter: LinearLightConverter
        /// For each copied layer, the columns of its picture that are in the window, and their converter.
        let copies: [(columns: Range<Int>, converter: LinearLightConverter)?]
    }

    // MARK: Copies

    /// Whether a canvas equals one of its layers, code by code, with nothing visible above or below it.
    package func isCopy(of layers: [CanvasLayer], on background: CanvasBackground) -> Bool {
        layers.count == 1 && isCopyable(layers[0], on: background)
    }

    /// Whether the lowest layer fills the whole canvas, code by code: nothing shows through, or there is nothing below.
    func isCopyable(_ layer: CanvasLayer, on background: CanvasBackground) -> Bool {
        isAligned(layer) && (layer.isOpaque || background == .transparent)
    }

    /// Whether a layer fills the whole canvas with the canvas's signal, pixel for pixel, at full opacity.
    func isAligned(_ layer: CanvasLayer) -> Bool { layer.opacity == 1 && fills(layer) }

    /// Whether a layer fills the whole canvas with the canvas's signal, pixel for pixel.
    func fills(_ layer: CanvasLayer) -> Bool {
        let whole = PixelRect(x: 0, y: 0, width: width, height: height)
        return layer.wipe == nil && !layer.isScaled && layer.place == whole && layer.frame.width == width
            && layer.frame.height == height && layer.converter.source == target.target
    }

    /// Whether a layer over a copied one can be copied too: it is opaque, has the canvas's signal, and its chroma is
    /// aligned with the canvas's.
    func isCopyableAbove(_ layer: CanvasLayer) -> Bool {
        let layout = target.target.layout
        let (x, y) = (layer.place.x - layer.part.x, layer.place.y - layer.part.y)
        return layer.isOpaque && !layer.isScaled && layer.converter.source == target.target
            && layout.packing == .words && !layout.isPacked422 && x % (1 << layout.horizontalShift) == 0
            && y % (1 << layout.verticalShift) == 0
    }

    /// The picture of a background of one colour, where the lowest layer can be copied over it; otherwise `nil`.
    func ground(of layers: ArraySlice<CanvasLayer>, on background: CanvasBackground) throws(Failure) -> FrameView? {
        guard let lowest = layers.first, isCopyableAbove(lowest), background == .black || background == .white else {
            return nil
        }
        return try plainPicture(background).view
    }

    /// Copies rows of the ground, except for the part that the largest layer over it hides, and then the layers over
    /// it.
    func copy(_ ground: FrameView, under layers: [CanvasLayer], _ rows: Range<Int>, into frame: FrameView) {
        let layout = target.target.layout
        let parts = layers.map { copied($0, rows) }
        if let hidden = parts.max(by: { $0.columns.count * $0.rows.count < $1.columns.count * $1.rows.count }),
            !hidden.columns.isEmpty, !hidden.rows.isEmpty
        {
            frame.copy(rows.lowerBound..<hidden.rows.lowerBound, of: ground, layout)
            for columns in [0..<hidden.columns.lowerBound, hidden.columns.upperBound..<width] {
                frame.copy(columns: columns, rows: hidden.rows, of: ground, x: 0, y: 0, layout)
            }
            frame.copy(hidden.rows.upperBound..<rows.upperBound, of: ground, layout)
        } else {
            frame.copy(rows, of: ground, layout)
        }
        for (layer, part) in zip(layers, parts) {
            frame.copy(
                columns: part.columns, rows: part.rows, of: layer.frame, x: layer.place.x - layer.part.x,
                y: layer.place.y - layer.part.y, layout)
        }
    }

    /// The columns and rows to which a layer is copied, out of a range of rows: all that it reaches except for a pixel
    /// at its edges where chroma samples are shared.
    private func copied(_ layer: CanvasLayer, _ rows: Range<Int>) -> (columns: Range<Int>, rows: Range<Int>) {
        let layout = target.target.layout
        let reach = layer.reach(width: width, height: height)
        let edges = edges(of: layer)
        func whole(_ range: Range<Int>, _ shift: Int, _ isLast: Bool) -> Range<Int> {
            let unit = 1 << shift
            let first = (range.lowerBound + unit - 1) / unit * unit
            return first..<max(first, isLast ? range.upperBound : range.upperBound / unit * unit)
        }
        let shown = reach.rows.clamped(to: rows)
        return (
            whole(reach.columns, layout.horizontalShift, edges.right),
            whole(shown, layout.verticalShift, edges.bottom && shown.upperBound == height)
        )
    }

    /// At which edges of the canvas a copied layer's picture begins or ends. At another one the picture goes on beyond
    /// it, so that chroma there, which is repeated at the canvas's edges, is not the picture's own.
    private func edges(of layer: CanvasLayer) -> (left: Bool, top: Bool, right: Bool, bottom: Bool) {
        let (place, part) = (layer.place, layer.part)
        return (
            place.x == 0 && part.x == 0, place.y == 0 && part.y == 0,
            place.columns.upperBound == width && part.columns.upperBound == layer.frame.width,
            place.rows.upperBound == height && part.rows.upperBound == layer.frame.height
        )
    }

    /// The copied code values of a window and of some rows around it, in other memory than the canvas.
    func codes(
        of window: Window, around rows: Range<Int>, _ ground: FrameView, _ layers: [CanvasLayer], _ memory: CodeRows
    ) -> FrameView? {
        let layout = target.target.layout
        let first = max(rows.lowerBound - Self.rowsAround, 0) & ~1
        let end = min((rows.upperBound + Self.rowsAround + 1) & ~1, height)
        guard end - first <= memory.count, let codes = memory.view(from: first, height: height) else { return nil }
        codes.copy(columns: window.columns, rows: first..<end, of: ground, x: 0, y: 0, layout)
        for layer in layers {
            let part = copied(layer, first..<end)
            codes.copy(
                columns: part.columns.clamped(to: window.columns), rows: part.rows, of: layer.frame,
                x: layer.place.x - layer.part.x, y: layer.place.y - layer.part.y, layout)
        }
        return codes
    }

    /// Copies the columns at a window's sides: chroma there would need the pixels beyond the window.
    func restoreMargins(of window: Window, from codes: FrameView, into frame: FrameView) {
        let (columns, margin) = (window.columns, Self.columnsAround / 2)
        let sides = [
            columns.lowerBound > 0 ? columns.lowerBound..<columns.lowerBound + margin : 0..<0,
            columns.upperBound < width ? columns.upperBound - margin..<columns.upperBound : 0..<0,
        ]
        for side in sides where !side.isEmpty {
            frame.copy(columns: side, rows: window.rows, of: codes, x: 0, y: 0, target.target.layout)
        }
    }

    // MARK: Windows

    /// Twice the maximum number of pixels beside an edge that depend on the other side of the edge, through chroma
    /// filters.
    static let (columnsAround, rowsAround) = (16, 4)

    /// The parts that have to be composed in light in some rows of a canvas whose lowest layer is copied.
    /// - Parameters:
    ///   - rows: the rows; the first one is even.
    ///   - copies: layers that are copied onto the lowest; around their edges chroma is filtered.
    ///   - mixed: layers above these.
    func windows(
        _ rows: Range<Int>, copies: [CanvasLayer], mixed: [CanvasLayer]
    ) throws(Failure) -> [Window] {
        // The composed columns can only change around the upper and the lower edge of a layer.
        var cuts: Set = [rows.lowerBound, rows.upperBound]
        for layer in copies + mixed {
            let reach = layer.reach(width: width, height: height).rows
            for edge in [reach.lowerBound, reach.upperBound] {
                for cut in [(edge - Self.rowsAround) & ~1, (edge + Self.rowsAround + 1) & ~1] where rows.contains(cut) {
                    cuts.insert(cut)
                }
            }
        }
        let sorted = cuts.sorted()
        var windows: [Window] = []
        for (first, end) in zip(sorted, sorted.dropFirst()) {
            windows += try columns(of: first..<end, copies: copies, mixed: mixed)
        }
        return windows
    }

    /// The columns that have to be composed in the rows between two cuts.
    private func columns(
        of rows: Range<Int>, copies: [CanvasLayer], mixed: [CanvasLayer]
    ) throws(Failure) -> [Window] {
        var reached: [Range<Int>] = []
        func around(_ column: Int) -> Range<Int> { (column - Self.columnsAround)..<(column + Self.columnsAround) }
        func isNear(_ reach: PixelRect) -> Bool {
            reach.y - Self.rowsAround < rows.upperBound && rows.lowerBound < reach.rows.upperBound + Self.rowsAround
        }
        for layer in mixed {
            let reach = layer.reach(width: width, height: height)
            if reach.isEmpty || !isNear(reach) { continue }
            reached.append(around(reach.x).lowerBound..<around(reach.columns.upperBound).upperBound)
        }
        for layer in copies {
            let reach = layer.reach(width: width, height: height)
            if reach.isEmpty || !isNear(reach) { continue }
            let (first, end) = (around(reach.x), around(reach.columns.upperBound))
            let edges = edges(of: layer)
            let isBelowTop = edges.top || rows.lowerBound >= reach.y + Self.rowsAround
            let isAboveEnd = edges.bottom || rows.upperBound <= reach.rows.upperBound - Self.rowsAround
            if isBelowTop && isAboveEnd {
                if !edges.left { reached.append(first) }
                if !edges.right { reached.append(end) }
            } else {
                reached.append(first.lowerBound..<end.upperBound)
            }
        }
        var windows: [Window] = []
        for columns in merged(reached) {
            let sources = try copies.map { layer throws(Failure) in try part(of: layer, columns) }
            windows.append(
                Window(
                    rows: rows, columns: columns, converter: try converter(width: columns.count), copies: sources))
        }
        return windows
    }

    /// Merges ranges of columns to ranges that begin at whole steps and do not touch.
    private func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        let step = target.target.layout.columnStep
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

    /// The columns of a layer's picture that lie in columns of the canvas, including those on which they depend.
    private func part(
        of layer: CanvasLayer, _ columns: Range<Int>
    ) throws(Failure) -> (columns: Range<Int>, converter: LinearLightConverter)? {
        let reach = layer.reach(width: width, height: height).columns.clamped(to: columns)
        if reach.isEmpty { return nil }
        let step = target.target.layout.columnStep
        let shift = layer.part.x - layer.place.x
        let first = max(reach.lowerBound + shift - Self.columnsAround, 0) / step * step
        let wanted = (reach.upperBound + shift + Self.columnsAround + step - 1) / step * step
        let end = min(wanted, layer.frame.width)
        if end - first == layer.frame.width { return (first..<end, layer.converter) }
        return (first..<end, try converter(width: end - first))
    }

    /// The converter for pictures of the canvas's signal with some width.
    private func converter(width: Int) throws(Failure) -> LinearLightConverter {
        if width == self.width { return target }
        if let known = converters[width] { return known }
        let converter = LinearLightConverter(
            source: target.source, target: target.target, width: width, options: target.options, threads: threads,
            instructionSet: instructionSet)
        guard let converter else { throw .memory }
        // A layer that moves or grows has another width in each picture, so the number of converters is limited.
        if converters.count >= 64 { converters = [:] }
        converters[width] = converter
        return converter
    }
}
