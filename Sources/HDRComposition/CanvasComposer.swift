import HDRColor
import HDRKernels

/// Composes pictures in linear light and encodes the canvas.
///
/// A canvas is composed by slices of rows, each from its lowest visible layer up, and encoded while its light is in the
/// processor's cache. Layers are decoded, and scaled, for the slice alone.
package final class CanvasComposer {
    /// Runs a body for each slice, on threads that are numbered from 0.
    package typealias Slices = (_ count: Int, _ body: (_ slice: Int, _ thread: Int) -> Void) -> Void

    /// Why a picture cannot be composed.
    package enum Failure: Error { case memory }

    package let width: Int
    package let height: Int
    let target: LinearLightConverter
    let threads: Int
    let instructionSet: InstructionSet
    /// Converters for parts of pictures of the canvas's signal, by width.
    var converters: [Int: LinearLightConverter] = [:]
    /// A picture of one colour with the canvas's signal, where one has been needed.
    var plain: PlainPicture?
    private let slices: Int
    /// Rows of the canvas, one strip for each thread.
    private let strips: [LightPicture]
    /// Rows of a layer that is not scaled, one strip for each thread.
    private var layerStrips: [LightPicture] = []
    /// Filters and memory of the last picture's scaled layers; the memory of each thread, and that of whole pictures.
    var filters: [ResamplingFilter] = []
    var scalerMemory: [ScalerMemory] = []
    var wholePictures: [LightPicture] = []
    /// A row of a layer in a wipe, one for each thread.
    private var wipeRows: [LightPicture] = []
    /// Code values of a window that are copied, one memory for each thread.
    private var codeRows: [CodeRows] = []

    /// - Parameters:
    ///   - target: the converter of the canvas's signal; its light has the same primaries and white as the layers'.
    ///   - threads: the number of slices that are composed at a time, 1 or more.
    ///   - instructionSet: the instruction set of `target`.
    /// - Returns: `nil` when out of memory, and for no rows.
    package init?(
        target: LinearLightConverter, height: Int, threads: Int, instructionSet: InstructionSet = .best
    ) {
        guard height > 0 else { return nil }
        width = target.width
        self.height = height
        self.target = target
        self.threads = max(threads, 1)
        self.instructionSet = instructionSet
        // A slice of 32 rows or fewer of a picture with 3840 columns stays in the second-level cache.
        slices = max(min(4 * self.threads, (height + 1) / 2), (height + 31) / 32)
        let rows = 2 * ((height / 2) / slices + 2) + 8
        let strips = (0..<self.threads).compactMap { _ in LightPicture(width: target.width, height: rows) }
        guard strips.count == self.threads else { return nil }
        self.strips = strips
    }

    /// Composes a picture.
    /// - Parameters:
    ///   - layers: the layers from the lowest up.
    ///   - space: the quantity that is mixed; pictures are scaled as light in either case.
    ///   - frame: the target, with the canvas's signal and size.
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
        let base = shown.first.flatMap { isCopyable($0, on: background) ? $0 : nil }
        // In a picture with alpha, fully opaque pixels keep their codes too.
        let like = shown.first.flatMap { base == nil && isAligned($0) ? $0.frame : nil }
        if let mixture = try mixture(of: shown, from: base, on: background, in: space) {
            return compose(mixture, into: frame, forEachSlice)
        }
        if like == nil, let stack = stack(of: shown, from: base, on: background, in: space) {
            return compose(stack, from: base, into: frame, forEachSlice)
        }
        let isCovered = shown.first?.covers(whole) ?? false
        let ground: FrameView?
        if let base { ground = base.frame } else { ground = try self.ground(of: shown, on: background) }
        // Light that shows through a canvas without alpha is black.
        let showsThrough =
            !target.target.layout.hasAlpha
            && (background == .transparent && !isCovered || shown.contains { $0.clears && !$0.isOpaque })
        let scalers = try scalers(of: shown, kernel, forEachSlice)
        let widest = shown.filter { !$0.isScaled }.map(\.frame.width).max() ?? 0
        try reserveLayerStrips(width: widest)
        if shown.contains(where: { $0.wipe != nil }) { try reserveWipeRows() }
        let pairs = Array(zip(shown, scalers))
        let rows = (0..<slices).map { target.rows(ofSlice: $0, of: slices, height: height) }
        let above = shown.dropFirst(base == nil ? 0 : 1)
        let copies = ground == nil ? [] : Array(above.prefix(while: isCopyableAbove))
        let mixed = pairs.dropFirst(shown.count - above.count + copies.count)
        if !copies.isEmpty { try reserveCodeRows() }
        let windows = try rows.map { rows throws(Failure) in
            ground == nil
                ? [Window(rows: rows, columns: 0..<width, converter: target, copies: [])]
                : try self.windows(rows, copies: copies, mixed: mixed.map(\.0))
        }
        let picture = Picture(
            background: isCovered ? nil : background, ground: ground, like: like, copies: copies, mixed: mixed,
            showsThrough: showsThrough, space: space)
        forEachSlice(slices) { slice, thread in
            guard !rows[slice].isEmpty else { return }
            if let ground { copy(ground, under: copies, rows[slice], into: frame) }
            for window in windows[slice] { compose(window, of: picture, into: frame, thread) }
        }
    }

    /// What a picture is composed of.
    private struct Picture {
        /// The background; `nil` where nothing of it shows.
        let background: CanvasBackground?
        /// What is copied below all layers; `nil` where all of the canvas is composed in light.
        let ground: FrameView?
        /// A picture whose codes pixels keep where their light is unchanged, in the place of `ground`.
        let like: FrameView?
        /// Layers that are copied, and those that are composed in light above them.
        let copies: [CanvasLayer]
        let mixed: ArraySlice<(CanvasLayer, LayerScaler?)>
        /// Whether light may come out transparent where the canvas has no alpha.
        let showsThrough: Bool
        let space: BlendSpace
    }

    /// Composes a window in light, and encodes it.
    private func compose(_ window: Window, of picture: Picture, into frame: FrameView, _ thread: Int) {
        let (layout, space) = (target.target.layout, picture.space)
        let needed = target.rowsToEncode(window.rows, height: height)
        let part = Part(strip: strips[thread], rows: needed, columns: window.columns, converter: window.converter)
        let source = picture.ground?.columns(part.columns, layout)
        guard let output = frame.columns(part.columns, layout) else { return }
        if let source {
            part.converter.decode(source, rows: needed, into: part.light, thread: thread)
        } else if let background = picture.background {
            for y in needed { background.fill(part.row(y), width: width, y: y) }
        }
        let strip = layerStrips.isEmpty ? nil : layerStrips[thread]
        for (layer, inside) in zip(picture.copies, window.copies) {
            guard let inside, let strip else { continue }
            blend(layer, inside.columns, inside.converter, decodedInto: strip, onto: part, in: space, thread)
        }
        for (layer, scaler) in picture.mixed {
            if let scaler {
                blend(scaler, scalerMemory[thread], onto: part, in: space, thread)
            } else if let strip {
                let all = 0..<layer.frame.width
                blend(layer, all, layer.converter, decodedInto: strip, onto: part, in: space, thread)
            }
        }
        if picture.showsThrough { part.strip.makeOpaque(rows: needed.count, columns: window.columns.count) }
        guard let ground = picture.ground, !picture.copies.isEmpty else {
            part.converter.encode(
                part.light, from: source ?? picture.like, into: output, rows: window.rows, thread: thread)
            return
        }
        let codes = codes(of: window, around: needed, ground, picture.copies, codeRows[thread])
        part.converter.encode(
            part.light, from: codes?.columns(part.columns, layout), into: output, rows: window.rows, thread: thread)
        if let codes { restoreMargins(of: window, from: codes, into: frame) }
    }

    /// A part of the canvas in linear light.
    private struct Part {
        let strip: LightPicture
        let rows: Range<Int>
        let columns: Range<Int>
        /// The converter for pictures as wide as the columns.
        let converter: LinearLightConverter

        var light: LightRows { strip.rows(rows) }

        /// The pixels of a row of the canvas, from the first of the columns on.
        func row(_ y: Int) -> UnsafeMutablePointer<LightPixel> { strip.row(y - rows.lowerBound) }
    }

    // MARK: Memory

    private func reserveLayerStrips(width: Int) throws(Failure) {
        guard width > 0, layerStrips.first?.width ?? 0 != width else { return }
        let made = strips.compactMap { LightPicture(width: width, height: $0.height) }
        guard made.count == threads else { throw .memory }
        layerStrips = made
    }

    private func reserveCodeRows() throws(Failure) {
        guard codeRows.isEmpty else { return }
        let count = (strips.first?.height ?? 0) + 4 * Self.rowsAround
        let made = strips.compactMap { _ in CodeRows(target.target.layout, width: width, count: count) }
        guard made.count == threads else { throw .memory }
        codeRows = made
    }

    private func reserveWipeRows() throws(Failure) {
        guard wipeRows.isEmpty else { return }
        let made = strips.compactMap { _ in LightPicture(width: width, height: 1) }
        guard made.count == threads else { throw .memory }
        wipeRows = made
    }

    // MARK: Layers

    /// Scales rows of a layer and blends those that are in the part.
    private func blend(
        _ scaler: LayerScaler, _ memory: ScalerMemory, onto part: Part, in space: BlendSpace, _ thread: Int
    ) {
        let shown = scaler.reach.columns.clamped(to: part.columns)
        if shown.isEmpty { return }
        let isDirect = scaler.layer.isOpaque && shown == scaler.reach.columns
        scaler.forEachRow(part.rows, memory, thread: thread) { y in
            isDirect ? part.row(y) + (shown.lowerBound - part.columns.lowerBound) : memory.shown
        } body: { y, row in
            if isDirect { return }
            blend(scaler.layer, row + (shown.lowerBound - scaler.reach.x), shown, y, onto: part, in: space, thread)
        }
    }

    /// Decodes rows of some columns of a layer and blends those that are in the part.
    private func blend(
        _ layer: CanvasLayer, _ columns: Range<Int>, _ converter: LinearLightConverter,
        decodedInto memory: LightPicture, onto part: Part, in space: BlendSpace, _ thread: Int
    ) {
        let reach = layer.reach(width: width, height: height)
        let wanted = reach.rows.clamped(to: part.rows)
        let shown = reach.columns.clamped(to: part.columns)
        guard !wanted.isEmpty, !shown.isEmpty,
            let frame = layer.frame.columns(columns, layer.converter.source.layout)
        else { return }
        let first = wanted.lowerBound - layer.place.y + layer.part.y
        let decoded = first..<(first + wanted.count)
        let stride = frame.width * MemoryLayout<LightPixel>.stride
        let data = memory.row(0)
        converter.decode(
            frame, rows: decoded, into: LightRows(data: data, stride: stride, rows: decoded), thread: thread)
        let start = shown.lowerBound - layer.place.x + layer.part.x - columns.lowerBound
        for y in wanted {
            let row = data + (y - wanted.lowerBound) * frame.width + start
            blend(layer, row, shown, y, onto: part, in: space, thread)
        }
    }

    /// Blends a row of a layer's pixels in columns that it reaches.
    private func blend(
        _ layer: CanvasLayer, _ pixels: UnsafePointer<LightPixel>, _ columns: Range<Int>, _ y: Int, onto part: Part,
        in space: BlendSpace, _ thread: Int
    ) {
        let canvas = part.row(y) + (columns.lowerBound - part.columns.lowerBound)
        switch layer.wipe?.coverage(y) {
        case .nothing: break
        case nil where layer.isOpaque: canvas.update(from: pixels, count: columns.count)
        case nil, .all: layer.blend(pixels, onto: canvas, count: columns.count, opacity: layer.opacity, in: space)
        case .part:
            layer.wipe?.blend(
                pixels, onto: canvas, y, count: columns.count, opacity: layer.opacity, by: layer.blend, in: space,
                wipeRows[thread].row(0))
        }
    }
}

extension CanvasLayer {
    /// Whether the layer clears what is below it where it is transparent.
    fileprivate var clears: Bool { blend == .source }
}

extension LightPicture {
    /// Sets alpha of the first rows and columns to 1, so that black shows through.
    fileprivate func makeOpaque(rows: Int, columns: Int) {
        for y in 0..<rows {
            let pixels = row(y)
            for x in 0..<columns { pixels[x].w = 1 }
        }
    }
}
