/// What an image description of the compositor's says of a display.
struct DisplayDescription: Equatable, Sendable {
    /// Luminances in cd/m²; `nil` where the compositor did not tell, as for a display with an ICC profile.
    var referenceWhite: Double?
    var primaryMaximum: Double?
    var targetMinimum: Double?
    var targetMaximum: Double?
    /// CIE 1931 x and y of red, green, blue and white.
    var targetPrimaries: [Double] = []

    /// The target's maximum over the reference white; `luminances.max` is about the encoding, not about the display.
    var headroom: Double {
        var state = DisplayState()
        apply(to: &state, fixedWhite: nil)
        return state.headroom
    }

    /// Luminances that no display has count as not told.
    /// - Parameter white: The luminance of white in what is sent, where that is fixed.
    func apply(to state: inout DisplayState, fixedWhite white: Double?) {
        let reference = referenceWhite.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? 203
        let peak = targetMaximum.flatMap { $0 > 0 ? min($0, 10_000) : nil } ?? reference
        let scale = (white ?? reference) / reference
        state.referenceWhite = white ?? reference
        state.peak = peak * scale
        state.black = min(max(0, targetMinimum ?? 0), peak) * scale
    }
}
