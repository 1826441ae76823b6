/// The description of a picture's colors that the compositor gets, by the rules of color-management-v1.
struct ImageDescription: Equatable, Sendable {
    /// A range of luminances: the minimum in 0.0001 cd/m², the maximum in cd/m².
    struct Range: Equatable, Sendable {
        var minimum: UInt32
        var maximum: UInt32
    }

    var isWindowsScRGB = false
    var transfer = ColorFeatures.Transfer.sRGB
    var primaries = PictureEncoding.Primaries.sRGB
    /// The luminances, with `reference` in cd/m²; `nil` keeps those of the transfer function.
    var luminances: Range?
    var reference: UInt32 = 0
    var mastering: Range?
    var maxCLL: UInt32?
    var maxFALL: UInt32?

    /// - Returns: `nil` for SDR, which gets no description, so that the compositor is free to choose.
    init?(_ picture: PictureDescription, ladder: EncodingLadder, referenceWhite: Double, black: Double) {
        let features = ladder.features
        primaries = picture.encoding.primaries
        let white = Luminance.whole(referenceWhite)
        switch ladder.rung(of: picture.encoding) {
        case .untagged: return nil
        case .windowsScRGB:
            isWindowsScRGB = true
            return
        case .extendedLinear:
            transfer = .extendedLinear
            luminances = Range(minimum: Luminance.minimum(black, below: white), maximum: UInt32(white))
        case .scaledLinear:
            transfer = .extendedLinear
            let maximum = Luminance.whole(white / max(picture.encoding.whiteValue, 1e-6))
            luminances = Range(minimum: Luminance.minimum(black, below: white), maximum: UInt32(maximum))
        case .pq:
            transfer = .pq
            // The luminances of PQ by definition, with the display's own reference white.
            if features.has(.setLuminances) { luminances = Range(minimum: 50, maximum: 10_000) }
        }
        reference = UInt32(white)
        guard features.has(.setMasteringDisplayPrimaries) else { return }
        setMastering(picture, white: white, black: black, features: features)
    }

    /// Sets the mastering volume. Its primaries are those of the encoding, because the gamut of the content is unknown.
    ///
    /// Version 1 requires min < max_fall <= max_cll <= max, version 2 only max_fall <= max_cll. Light levels that
    /// violate this are clamped or left out.
    private mutating func setMastering(
        _ picture: PictureDescription, white: Double, black: Double, features: ColorFeatures
    ) {
        var peak = Luminance.whole(picture.contentPeak)
        if !features.has(.extendedTargetVolume), let luminances { peak = min(peak, Double(luminances.maximum)) }
        let range = Range(minimum: Luminance.minimum(black, below: peak), maximum: UInt32(peak))
        mastering = range

        guard var cll = picture.maxCLL.map(Luminance.whole) else { return }
        if features.version < 2 { cll = min(cll, peak) }
        let floor = Double(range.minimum) / 10_000
        if features.version < 2, cll <= floor { return }
        maxCLL = UInt32(cll)
        guard let fall = picture.maxFALL.map(Luminance.whole), features.version >= 2 || fall > floor else { return }
        maxFALL = UInt32(min(fall, cll))
    }
}

/// Luminances in the protocol's units.
enum Luminance {
    /// Rounds to whole cd/m² and clamps to 1 to 10 000.
    static func whole(_ value: Double) -> Double {
        value.isFinite ? min(max(value.rounded(), 1), 10_000) : (value == .infinity ? 10_000 : 1)
    }

    /// Converts a minimum to 0.0001 cd/m², below a maximum in cd/m².
    static func minimum(_ value: Double, below maximum: Double) -> UInt32 {
        guard value.isFinite, value > 0 else { return 0 }
        return UInt32(min(value * 10_000, maximum * 10_000 - 1).rounded(.down))
    }
}
