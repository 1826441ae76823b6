import HDRColor

/// The quantity that is mixed where pictures are blended.
package enum BlendSpace: Sendable {
    /// Linear light: the result looks like two projectors on one screen.
    case linear
    /// Code values of the canvas's signal, which most editors and GStreamer's `compositor` mix.
    case signal(SignalCurve)
}

/// Converts light to a signal and back, by tables that are exact to a few millionths of the signal. Light has the
/// canvas's primaries.
package final class SignalCurve: Sendable {
    /// The first table has 2^`bits` entries for each power of two, from 2^`lowest` to 2^`highest`.
    private static let (bits, lowest, highest) = (7, -26, 7)
    private static let steps = 16384
    private let toSignal: [Float]
    private let toLight: [Float]
    /// The exponent of HLG's OOTF (BT.2100); `nil` for other signals, which have none. The tables then convert scene
    /// light, with 1.0 as its maximum.
    private let gamma: Float?
    /// The luminance of light 1.0, relative to the display's peak.
    private let white: Float

    /// - Parameters:
    ///   - transfer: the transfer function of the canvas.
    ///   - white: the luminance of light 1.0, in cd/m².
    ///   - hlgPeak: the nominal peak of displays for HLG, in cd/m².
    package init(_ transfer: Transfer, white: Double, hlgPeak: Double) {
        gamma = transfer == .hlg ? Float(HLG<Double>.systemGamma(peak: hlgPeak)) : nil
        self.white = Float(white / hlgPeak)
        let unit = transfer == .hlg ? 1 : white
        func signal(_ light: Double) -> Double { transfer.inverseEOTF(light * unit, white: white) }
        func light(_ signal: Double) -> Double { transfer.eotf(signal, white: white) / unit }
        let count = (Self.highest - Self.lowest) << Self.bits
        toSignal = (0...count).map { index in
            let part = Double(index & ((1 << Self.bits) - 1)) / Double(1 << Self.bits)
            return Float(signal(Double(sign: .plus, exponent: Self.lowest + index >> Self.bits, significand: 1 + part)))
        }
        toLight = (0...Self.steps).map { Float(light(Double($0) / Double(Self.steps))) }
    }

    /// The signal for light; light below 0 counts as black.
    private func signal(_ light: Float) -> Float {
        let least = Float(sign: .plus, exponent: Self.lowest, significand: 1)
        let most = Float(sign: .plus, exponent: Self.highest, significand: 1)
        guard light > least else { return light > 0 ? toSignal[0] * (light / least) : 0 }
        let inside = light < most ? light : most.nextDown
        let position = Int(inside.bitPattern) - Int(least.bitPattern)
        let (index, rest) = (position >> (23 - Self.bits), position & ((1 << (23 - Self.bits)) - 1))
        let share = Float(rest) / Float(1 << (23 - Self.bits))
        return toSignal[index] + (toSignal[index + 1] - toSignal[index]) * share
    }

    private func light(_ signal: Float) -> Float {
        guard signal > 0 else { return 0 }
        let position = min(signal, 1) * Float(Self.steps)
        let index = min(Int(position), Self.steps - 1)
        return toLight[index] + (toLight[index + 1] - toLight[index]) * (position - Float(index))
    }

    /// The premultiplied signal of a premultiplied pixel.
    func signal(_ pixel: LightPixel) -> LightPixel {
        guard pixel.w > 0 else { return .zero }
        var color = pixel / pixel.w
        if let gamma { color = ootf(color * white, 1 / gamma) }
        return premultiplied(LightPixel(signal(color.x), signal(color.y), signal(color.z), 1), pixel.w)
    }

    func light(_ pixel: LightPixel) -> LightPixel {
        guard pixel.w > 0 else { return .zero }
        let color = pixel / pixel.w
        var light = LightPixel(light(color.x), light(color.y), light(color.z), 1)
        if let gamma { light = ootf(light, gamma) / white }
        return premultiplied(light, pixel.w)
    }

    /// The OOTF of HLG, which multiplies a colour by a power of its luminance. Light below 0 counts as black.
    private func ootf(_ color: LightPixel, _ exponent: Float) -> LightPixel {
        let inside = color.replacing(with: 0, where: color .< 0)
        let luminance = 0.2627 * inside.x + 0.6780 * inside.y + 0.0593 * inside.z
        return luminance > 0 ? inside * Float.pow(luminance, exponent - 1) : .zero
    }

    private func premultiplied(_ color: LightPixel, _ alpha: Float) -> LightPixel {
        LightPixel(color.x * alpha, color.y * alpha, color.z * alpha, alpha)
    }
}
