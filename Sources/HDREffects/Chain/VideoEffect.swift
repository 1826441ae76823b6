import HDRColor
import HDRKernels

/// What an effect has to know of the pictures that it is planned for.
package struct EffectContext: Sendable {
    /// Of the stream's signal.
    package var signal: ColorSignal
    /// Of the light that effects see.
    package var primaries: Primaries
    package var width: Int
    package var height: Int
    /// Whether pictures may have an alpha other than 1.
    package var hasAlpha: Bool
    /// The luminance of 1.0, in cd/m².
    package var referenceWhite: Double
    /// Nominal peak L_W of the display that HLG signals are for, in cd/m².
    package var hlgPeak: Double
    /// How far the stream's light goes, as a multiple of the reference white: 1 for SDR.
    package var headroom: Double
    /// How many calls may run at a time, 1 or more.
    package var threads: Int
    package var instructionSet: InstructionSet

    package init(
        signal: ColorSignal, primaries: Primaries, width: Int, height: Int, hasAlpha: Bool = false,
        referenceWhite: Double = BT2408.referenceWhite, hlgPeak: Double = 1000, headroom: Double = 1,
        threads: Int = 1, instructionSet: InstructionSet = .best
    ) {
        self.signal = signal
        self.primaries = primaries
        self.width = width
        self.height = height
        self.hasAlpha = hasAlpha
        self.referenceWhite = referenceWhite
        self.hlgPeak = hlgPeak
        self.headroom = headroom
        self.threads = threads
        self.instructionSet = instructionSet
    }
}

/// The parameters of an effect.
package protocol VideoEffect: Equatable, Sendable {
    /// How pictures of a kind are processed.
    func planned(for context: EffectContext) -> PlannedEffect
}

/// An effect that is ready to run.
package enum PlannedEffect {
    /// Colours times a matrix: neighbouring ones become a single one.
    case matrix(ColorMatrix)
    case pixels(any LightEffect)
    case frames(any FrameEffect)
}
