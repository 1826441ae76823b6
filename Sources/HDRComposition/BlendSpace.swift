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
package final class SignalCurve: @unchecked Sendable {
    /// The first table has 2^`bits` entries for each power of two, from 2^`lowest` to 2^`highest`.
    @inline(__always) private static var bits: Int { 7 }
    @inline(__always) private static var lowest: Int { -26 }
    @inline(__always) private static var highest: Int { 7 }
    @inline(__always) private static var steps: Int { 16384 }
    /// Each entry is followed by its difference to the next one.
    private let toSignal: UnsafeMutablePointer<Float>
    private let toLight: UnsafeMutablePointer<Float>
    /// The system gamma of HLG's OOTF (BT.2100): the tables of HLG convert scene light, with 1.0 as its maximum. `nil`
    /// for other transfer functions, whose tables convert display light.
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
        let count = (Self.highest - Self.lowest) << Self.bits
        toSignal = Self.table(count) { index in
            let part = Double(index & ((1 << Self.bits) - 1)) / Double(1 << Self.bits)
            let light = Double(sign: .plus, exponent: Self.lowest + index >> Self.bits, significand: 1 + part)
            return transfer.inverseEOTF(light * unit, white: white)
        }
        toLight = Self.table(Self.steps) { transfer.eotf(Double($0) / Double(Self.steps), white: white) / unit }
    }

    deinit {
        toSignal.deallocate()
        toLight.deallocate()
    }

    /// Values of a function at 0...`count`, each with its difference to the next one.
    private static func table(_ count: Int, _ function: (Int) -> Double) -> UnsafeMutablePointer<Float> {
        let values = (0...count).map { Float(function($0)) }
        let table = UnsafeMutablePointer<Float>.allocate(capacity: 2 * count + 2)
        for (index, value) in values.enumerated() {
            table[2 * index] = value
            table[2 * index + 1] = index < count ? values[index + 1] - value : 0
        }
        return table
    }

    /// The signal of light; light below 0 counts as black.
    @inline(__always)
    private func signal(_ light: Float) -> Float {
        let least = Float(sign: .plus, exponent: Self.lowest, significand: 1)
        let most = Float(sign: .plus, exponent: Self.highest, significand: 1).nextDown
        guard light > least else { return light > 0 ? toSignal[0] * (light / least) : 0 }
        let position = Int(truncatingIfNeeded: (light < most ? light : most).bitPattern &- least.bitPattern)
        let below = 23 - Self.bits
        let share = Float(position & ((1 << below) - 1)) * (1 / Float(1 << below))
        let entry = toSignal + 2 &* (position &>> below)
        return entry[0] + entry[1] * share
    }

    @inline(__always)
    private func light(_ signal: Float) -> Float {
        guard signal > 0 else { return 0 }
        let position = (signal < 1 ? signal : 1) * Float(Self.steps)
        let index = Int(position)
        let entry = toLight + 2 &* index
        return entry[0] + entry[1] * (position - Float(index))
    }

    /// The premultiplied signal of a premultiplied pixel.
    @inline(__always)
    func signal(_ pixel: LightPixel) -> LightPixel {
        guard pixel.w > 0 else { return .zero }
        var color = pixel.w == 1 ? pixel : pixel / pixel.w
        if let gamma { color = ootf(color * white, 1 / gamma) }
        return premultiplied(LightPixel(signal(color.x), signal(color.y), signal(color.z), 1), pixel.w)
    }

    @inline(__always)
    func light(_ pixel: LightPixel) -> LightPixel {
        guard pixel.w > 0 else { return .zero }
        let color = pixel.w == 1 ? pixel : pixel / pixel.w
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

    @inline(__always)
    private func premultiplied(_ color: LightPixel, _ alpha: Float) -> LightPixel {
        LightPixel(color.x * alpha, color.y * alpha, color.z * alpha, alpha)
    }
}
