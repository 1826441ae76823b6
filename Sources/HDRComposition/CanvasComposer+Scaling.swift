import HDRKernels

/// Prepares the layers that are scaled or rotated.
extension CanvasComposer {
    /// Scalers for those layers that need one, ready to use.
    func scalers(
        of layers: ArraySlice<CanvasLayer>, _ kernel: ResamplingFilter.Kernel, _ forEachSlice: Slices
    ) throws(Failure) -> [LayerScaler?] {
        var scalers: [LayerScaler?] = []
        var size = ScalerMemory.Size()
        var used = filters
        filters = []
        var pictures = wholePictures
        wholePictures = []
        for layer in layers {
            guard layer.isScaled else {
                scalers.append(nil)
                continue
            }
            let (part, place) = (layer.part, layer.place)
            let reach = layer.reach(width: width, height: height)
            let kernels = instructionSet.kernels.effects
            let step = kernels.pixels_per_vector
            let across = filter(part.width, place.width, shifted(reach.columns, by: -place.x), kernel, step, &used)
            let down = filter(part.height, place.height, shifted(reach.rows, by: -place.y), kernel, 1, &used)
            let whole = try layer.orientation.isTransposed ? picture(for: layer, &pictures) : nil
            let scaler = LayerScaler(
                layer, reach: reach, across: across, down: down, whole: whole, kernels)
            scaler.prepare(threads == 1 ? 1 : 4 * threads, forEachSlice)
            size = size.union(scaler.size)
            scalers.append(scaler)
        }
        if size.ring > 0, scalerMemory.first?.suits(size) != true {
            scalerMemory = []
            let made = (0..<threads).compactMap { _ in ScalerMemory(size) }
            guard made.count == threads else { throw .memory }
            scalerMemory = made
        }
        return scalers
    }

    /// A filter, taken from those of the picture before where the layer has stayed.
    private func filter(
        _ source: Int, _ target: Int, _ range: Range<Int>, _ kernel: ResamplingFilter.Kernel, _ step: Int,
        _ known: inout [ResamplingFilter]
    ) -> ResamplingFilter {
        let made =
            known.first {
                $0.source == source && $0.target == target && $0.range == range && $0.kernel == kernel
                    && $0.step == step
            } ?? ResamplingFilter(from: source, to: target, range: range, kernel: kernel, step: step)
        filters.append(made)
        return made
    }

    /// Memory for the stored part of a layer whose columns become rows, taken from the picture before where it fits.
    private func picture(
        for layer: CanvasLayer, _ known: inout [LightPicture]
    ) throws(Failure) -> LightPicture {
        let height = layer.orientation.source(layer.part, layer.frame.width, layer.frame.height).height
        let width = layer.frame.width
        let made: LightPicture?
        if let index = known.firstIndex(where: { $0.width == width && $0.height == height }) {
            made = known.remove(at: index)
        } else {
            made = LightPicture(width: width, height: height)
        }
        guard let made else { throw .memory }
        wholePictures.append(made)
        return made
    }

    private func shifted(_ range: Range<Int>, by distance: Int) -> Range<Int> {
        (range.lowerBound + distance)..<(range.upperBound + distance)
    }
}

extension ScalerMemory.Size {
    /// The size that is enough for both.
    fileprivate func union(_ other: Self) -> Self {
        Self(
            ring: max(ring, other.ring), decoded: max(decoded, other.decoded), row: max(row, other.row),
            shown: max(shown, other.shown), taps: max(taps, other.taps))
    }
}
