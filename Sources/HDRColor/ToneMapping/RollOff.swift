extension ToneCurve {
    /// The default curve of `edrsink`: it keeps light up to SDR white, and compresses light above it into the display's
    /// range above it.
    public static let rolloff = ToneCurve(
        "rolloff",
        "Unchanged up to SDR white, highlights are compressed into the display's headroom; without extended range "
            + "the same as auto of hdrconvert"
    ) { range in
        let curve = RollOff<Double>(white: range.white, sourcePeak: range.sourcePeak, targetPeak: range.targetPeak)
        return LightCurve(corners: [curve.white, range.sourcePeak]) { curve($0) }
    }
}

/// A curve that compresses highlights into a display's headroom, for luminance in cd/m²: light up to SDR white keeps
/// its level.
///
/// Above white, with t the light above it divided by the display's range above it, and p that of the source's peak, the
/// range is filled to t (1 + t / p²) / (1 + t), the extended curve of Reinhard and others (Photographic Tone
/// Reproduction for Digital Images, 2002, equation 4). The curve starts with the slope of the identity and is the
/// identity where the peaks are equal, so that nothing jumps while the headroom changes.
public struct RollOff<T: ColorScalar>: Sendable {
    public let white: T
    @usableFromInline let sourcePeak: T
    @usableFromInline let targetPeak: T
    @usableFromInline let room: T
    /// The constant 1 / p².
    @usableFromInline let bend: T

    /// - Parameters: luminances in cd/m². Where white is above a peak, that peak counts as white.
    @inlinable public init(white: T, sourcePeak: T, targetPeak: T) {
        self.sourcePeak = sourcePeak
        self.targetPeak = targetPeak < sourcePeak ? targetPeak : sourcePeak
        self.white = self.targetPeak < white ? self.targetPeak : white
        room = self.targetPeak - self.white
        let ratio = room > 0 ? room / (sourcePeak - self.white) : 0
        bend = ratio * ratio
    }

    /// Maps source luminance to display luminance. Light above the source's peak has the result of the peak.
    @inlinable public func callAsFunction(_ light: T) -> T {
        let light = light.limited(0, sourcePeak)
        if light <= white { return light }
        if light == sourcePeak || room <= 0 { return targetPeak }
        let t = (light - white) / room
        return white + room * t * (1 + t * bend) / (1 + t)
    }
}
