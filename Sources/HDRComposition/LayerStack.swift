import CKernels
import HDRKernels

/// Blends layers as large as the canvas a few pixels at a time, so that no light leaves the first-level cache.
final class LayerStack: LightEffect, @unchecked Sendable {
    let keepsPixels: Bool
    let takesPairs: Bool
    let takesSignalLight: Bool
    /// The background below the layers; `nil` where the given pixels have light already.
    private let background: CanvasBackground?
    private let layers: [CanvasLayer]
    /// The layers' data. An array would be reference-counted for every few pixels.
    private let sources: UnsafeMutableBufferPointer<Source>
    private let kernels: KernelEffects

    /// The data of a layer that are read for every few pixels. The layers keep their converters alive: reference
    /// counting by threads that share a converter takes longer than blending.
    private struct Source {
        let frame: FrameView
        let converter: Unmanaged<LinearLightConverter>
        let opacity: Float
        let hasAlpha: Int32
    }

    /// - Parameters:
    ///   - keepsPixels: whether a pixel may stay unchanged.
    ///   - layers: the layers from the lowest up, blended by `over`.
    ///   - canvas: the converter that has decoded the given pixels.
    init(
        _ layers: [CanvasLayer], on background: CanvasBackground?, keepsPixels: Bool, canvas: LinearLightConverter,
        _ kernels: KernelEffects
    ) {
        self.layers = layers
        sources = .allocate(capacity: layers.count)
        _ = sources.initialize(
            from: layers.lazy.map {
                Source(
                    frame: $0.frame, converter: .passUnretained($0.converter), opacity: $0.opacity,
                    hasAlpha: $0.converter.source.layout.hasAlpha ? 1 : 0)
            })
        self.background = background
        self.keepsPixels = keepsPixels
        takesPairs = background == nil && layers.allSatisfy(\.converter.decodesPairs)
        takesSignalLight =
            background == nil
            && layers.map(\.converter).allSatisfy {
                $0.source.color == canvas.source.color && $0.options == canvas.options && !$0.source.layout.hasAlpha
            }
        self.kernels = kernels
    }

    deinit { sources.deallocate() }

    func apply(to pixels: LightPixels) {
        background?.fill(pixels)
        for source in sources {
            guard let light = source.converter._withUnsafeGuaranteedRef({ $0.decode(source.frame, at: pixels) }) else {
                continue
            }
            kernels.blend(light.kernelRows, source.opacity, source.hasAlpha, pixels.kernelRows, pixels.count)
        }
    }
}

extension CanvasComposer {
    /// The layers as a stack; `nil` where one of them is not as large as the canvas, pixel for pixel, or is blended
    /// with another operator.
    /// - Parameter base: the lowest layer, where it has the canvas's signal and hides the background.
    func stack(
        of layers: ArraySlice<CanvasLayer>, from base: CanvasLayer?, on background: CanvasBackground,
        in space: BlendSpace
    ) -> LayerStack? {
        let above = base == nil ? layers : layers.dropFirst()
        guard case .linear = space, !above.isEmpty, above.allSatisfy(isStackable) else { return nil }
        // A dissolve changes every pixel.
        let changesAll = above.contains { !$0.converter.source.layout.hasAlpha }
        return LayerStack(
            Array(above), on: base == nil ? background : nil, keepsPixels: !changesAll, canvas: target,
            instructionSet.kernels.effects)
    }

    private func isStackable(_ layer: CanvasLayer) -> Bool {
        let whole = PixelRect(x: 0, y: 0, width: width, height: height)
        return layer.place == whole && layer.part == whole && layer.orientation == .identity && layer.wipe == nil
            && layer.blend == .over && layer.frame.width == width && layer.frame.height == height
            // The layer's light is decoded together with that of the canvas, so both need converters of their own.
            && layer.converter !== target && layer.converter.decodesParts && layer.converter.threads >= threads
    }

    func compose(
        _ stack: LayerStack, from base: CanvasLayer?, into frame: FrameView, _ forEachSlice: Slices
    ) {
        // The rows around a slice are composed twice, so slices are as large as the threads can share.
        let slices = max(min(4 * threads, (height + 1) / 2), 1)
        forEachSlice(slices) { slice, thread in
            let rows = target.rows(ofSlice: slice, of: slices, height: height)
            guard !rows.isEmpty else { return }
            if let base {
                target.process(base.frame, into: frame, rows: rows, thread: thread, stack)
            } else {
                target.encode(stack, into: frame, rows: rows, thread: thread)
            }
        }
    }
}

extension CanvasBackground {
    fileprivate func fill(_ pixels: LightPixels) {
        for index in 0..<pixels.count {
            let color = color(x: pixels.column + index, y: pixels.row)
            pixels.red[index] = color.x
            pixels.green[index] = color.y
            pixels.blue[index] = color.z
            pixels.alpha[index] = color.w
        }
    }
}
