import HDRColor

/// What pictures are mixed as.
package enum BlendSpace: Sendable {
    /// Light: what two projectors on one screen would show.
    case linear
    /// The canvas's signal, as most editors and GStreamer's `compositor` mix it.
    case signal(SignalCurve)
}

/// The signal of a component's light and back, in tables that are exact to a few millionths of the signal.
///
/// HLG's signal depends on the colour's luminance (BT.2100); here it is that of a grey of the component's light.
package final class SignalCurve: Sendable {
    /// Parts of each power of two, and the powers of two that the first table has.
    private static let (bits, lowest, highest) = (7, -26, 7)
    private static let steps = 16384
    private let toSignal: [Float]
    private let toLight: [Float]

    /// - Parameters:
    ///   - transfer: of the canvas.
    ///   - white: the luminance of light of 1.0, in cd/m².
    ///   - hlgPeak: the nominal peak of displays for HLG, in cd/m².
    package init(_ transfer: Transfer, white: Double, hlgPeak: Double) {
        let gamma = HLG<Double>.systemGamma(peak: hlgPeak)
        func signal(_ light: Double) -> Double {
            guard transfer == .hlg else { return transfer.inverseEOTF(light * white, white: white) }
            return transfer.inverseEOTF(Double.pow(light * white / hlgPeak, 1 / gamma), white: white)
        }
        func light(_ signal: Double) -> Double {
            guard transfer == .hlg else { return transfer.eotf(signal, white: white) / white }
            return Double.pow(transfer.eotf(signal, white: white), gamma) * hlgPeak / white
        }
        let count = (Self.highest - Self.lowest) << Self.bits
        toSignal = (0...count).map { index in
            let part = Double(index & ((1 << Self.bits) - 1)) / Double(1 << Self.bits)
            return Float(signal(Double(sign: .plus, exponent: Self.lowest + index >> Self.bits, significand: 1 + part)))
        }
        toLight = (0...Self.steps).map { Float(light(Double($0) / Double(Self.steps))) }
    }

    /// Light below 0 is black.
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

    /// A premultiplied pixel's signal, premultiplied too.
    func signal(_ pixel: LightPixel) -> LightPixel { converted(pixel, signal(_:)) }
    func light(_ pixel: LightPixel) -> LightPixel { converted(pixel, light(_:)) }

    @inline(__always) private func converted(_ pixel: LightPixel, _ curve: (Float) -> Float) -> LightPixel {
        let alpha = pixel.w
        guard alpha > 0 else { return .zero }
        let scale = 1 / alpha
        return LightPixel(
            curve(pixel.x * scale) * alpha, curve(pixel.y * scale) * alpha, curve(pixel.z * scale) * alpha, alpha)
    }
}
