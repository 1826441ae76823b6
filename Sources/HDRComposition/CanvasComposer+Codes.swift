import HDRKernels

/// Dissolves of pictures that have the canvas's signal, where code values are mixed: no light is computed.
extension CanvasComposer {
    /// Pictures that fill the canvas, of which each is mixed into those below it.
    struct CodeMixture {
        let lowest: FrameView
        /// The pictures above it, from the lowest up, with their shares.
        let others: [(frame: FrameView, share: Float)]
    }

    /// The layers as a mixture of code values; `nil` where they need light, or would need more than two roundings.
    /// - Parameter base: the lowest layer, where it has the canvas's signal and hides the background.
    func mixture(
        of layers: ArraySlice<CanvasLayer>, from base: CanvasLayer?, on background: CanvasBackground,
        in space: BlendSpace
    ) throws(Failure) -> CodeMixture? {
        guard case .signal = space, target.target.layout.mixesWords, base != nil || background == .black else {
            return nil
        }
        let above = base == nil ? layers : layers.dropFirst()
        guard 1...2 ~= above.count, above.allSatisfy({ $0.blend == .over && fills($0) }) else { return nil }
        let lowest: FrameView
        if let base { lowest = base.frame } else { lowest = try plainPicture(.black).view }
        return CodeMixture(lowest: lowest, others: above.map { ($0.frame, $0.opacity) })
    }

    func compose(_ mixture: CodeMixture, into frame: FrameView, _ forEachSlice: Slices) {
        let layout = target.target.layout
        let kernels = instructionSet.kernels
        // What is mixed twice stays in the second-level cache in between.
        let slices = max((height + 7) / 8, 1)
        forEachSlice(slices) { slice, _ in
            let rows = target.rows(ofSlice: slice, of: slices, height: height)
            var lower = mixture.lowest
            for (upper, share) in mixture.others {
                frame.mix(rows, of: lower, with: upper, share: share, layout, kernels)
                lower = frame
            }
        }
    }

    /// A picture of the background, for those of one colour.
    func plainPicture(_ background: CanvasBackground) throws(Failure) -> PlainPicture {
        if let plain, plain.background == background { return plain }
        guard let made = PlainPicture(background, target, height: height, instructionSet) else { throw .memory }
        plain = made
        return made
    }
}

/// A picture of one colour, all of whose rows are the same memory.
final class PlainPicture {
    let background: CanvasBackground
    let view: FrameView
    private let rows: CodeRows

    /// - Parameter canvas: the converter of the canvas's signal.
    /// - Returns: `nil` when out of memory.
    init?(
        _ background: CanvasBackground, _ canvas: LinearLightConverter, height: Int, _ instructionSet: InstructionSet
    ) {
        let (width, layout) = (canvas.width, canvas.target.layout)
        var options = canvas.options
        options.dither = .none
        // Two rows share one of chroma.
        guard let light = LightPicture(width: width, height: 2), let rows = CodeRows(layout, width: width, count: 2),
            let converter = LinearLightConverter(
                source: canvas.source, target: canvas.target, width: width, options: options,
                instructionSet: instructionSet),
            let frame = rows.view(from: 0, height: 2),
            let view = FrameView(
                width: width, height: height, planes: rows.planes.map { FrameView.Plane(data: $0.data, stride: 0) })
        else { return nil }
        for y in 0..<2 { background.fill(light.row(y), width: width, y: y) }
        converter.encode(light.rows(0..<2), into: frame, rows: 0..<2, thread: 0)
        (self.background, self.rows, self.view) = (background, rows, view)
    }
}
