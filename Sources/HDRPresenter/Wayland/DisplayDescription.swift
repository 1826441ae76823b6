import HDRColor

/// The properties of a display in a compositor's image description.
struct DisplayDescription: Equatable, Sendable {
    /// Luminances in cd/m²; `nil` where the compositor does not report them, as for a display with an ICC profile.
    var referenceWhite: Double?
    var primaryMaximum: Double?
    var targetMinimum: Double?
    var targetMaximum: Double?
    /// CIE 1931 x and y of red, green, blue and white.
    var targetPrimaries: [Double] = []

    /// The target's maximum divided by the reference white. `luminances.max` describes the encoding, not the display.
    var headroom: Double {
        var state = DisplayState()
        apply(to: &state, fixedWhite: nil)
        return state.headroom
    }

    /// Whether the encoding reaches above reference white but the display's peak is not stated, as by Mutter 48.
    var hidesPeak: Bool { targetMaximum == nil && (primaryMaximum ?? 0) > (referenceWhite ?? .infinity) }

    /// Adopts the luminances; implausible ones count as not reported.
    /// - Parameter white: the luminance of white in the pictures that are sent, where that is fixed.
    func apply(to state: inout DisplayState, fixedWhite white: Double?) {
        let reference = referenceWhite.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? BT2408.referenceWhite
        let peak = targetMaximum.flatMap { $0 > 0 ? min($0, 10_000) : nil } ?? reference
        let scale = (white ?? reference) / reference
        state.referenceWhite = white ?? reference
        state.peak = peak * scale
        state.black = min(max(0, targetMinimum ?? 0), peak) * scale
    }
}
