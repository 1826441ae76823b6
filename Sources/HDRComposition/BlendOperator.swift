/// How a layer is drawn onto what is below it, in premultiplied linear light (Porter and Duff, "Compositing Digital
/// Images", 1984).
package enum BlendOperator: Equatable, Sendable {
    /// Replaces what is below, also where the layer is transparent.
    case source
    case over
    /// Adds both; alpha is limited to 1.
    case add

    /// Draws pixels onto others.
    /// - Parameters:
    ///   - opacity: the opacity of all pixels, from 0 to 1.
    @inline(__always)
    func callAsFunction(
        _ layer: UnsafePointer<LightPixel>, onto canvas: UnsafeMutablePointer<LightPixel>, count: Int, opacity: Float,
        in space: BlendSpace
    ) {
        // Replacing a colour mixes nothing, so it needs no signal.
        if case .signal(let curve) = space, self != .source {
            return mix(layer, onto: canvas, count: count, opacity: opacity, curve)
        }
        switch self {
        case .source:
            if opacity == 1 { return canvas.update(from: layer, count: count) }
            for index in 0..<count { canvas[index] = layer[index] * opacity }
        case .over:
            for index in 0..<count {
                let pixel = layer[index] * opacity
                canvas[index] = pixel + canvas[index] * (1 - pixel.w)
            }
        case .add:
            for index in 0..<count {
                var sum = canvas[index] + layer[index] * opacity
                sum.w = Float.minimum(sum.w, 1)
                canvas[index] = sum
            }
        }
    }

    /// Applies `over` and `add` to code values.
    private func mix(
        _ layer: UnsafePointer<LightPixel>, onto canvas: UnsafeMutablePointer<LightPixel>, count: Int, opacity: Float,
        _ curve: SignalCurve
    ) {
        for index in 0..<count {
            let pixel = layer[index] * opacity
            if self == .over {
                // Opaque pixels keep their light, and where the layer is empty the canvas keeps its own.
                if pixel.w >= 1 { canvas[index] = pixel }
                if pixel.w >= 1 || pixel.w <= 0 { continue }
                canvas[index] = curve.light(curve.signal(pixel) + curve.signal(canvas[index]) * (1 - pixel.w))
            } else {
                if pixel == .zero { continue }
                var sum = curve.signal(pixel) + curve.signal(canvas[index])
                sum.w = Float.minimum(sum.w, 1)
                canvas[index] = curve.light(sum)
            }
        }
    }
}

/// The background behind all layers.
package enum CanvasBackground: Equatable, Sendable {
    case black, white, transparent
    /// Squares of 8 pixels in two greys, the same as in GStreamer's compositor.
    case checker

    /// The light (BT.1886) of 8-bit code values 80 and 160 in narrow range.
    private static let greys: (Float, Float) = (0.052211, 0.365598)

    func fill(_ row: UnsafeMutablePointer<LightPixel>, width: Int, y: Int) {
        for x in 0..<width { row[x] = color(x: x, y: y) }
    }

    @inline(__always) func color(x: Int, y: Int) -> LightPixel {
        switch self {
        case .black: return LightPixel(0, 0, 0, 1)
        case .white: return LightPixel(1, 1, 1, 1)
        case .transparent: return .zero
        case .checker:
            let grey = ((x >> 3) ^ (y >> 3)) & 1 == 0 ? Self.greys.0 : Self.greys.1
            return LightPixel(grey, grey, grey, 1)
        }
    }
}
