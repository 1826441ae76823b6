import HDRColor
import HDRKernels

/// The properties of pictures for which an effect is planned.
package struct EffectContext: Sendable {
    /// The signal of the stream.
    package var signal: ColorSignal
    /// The primaries of the light that effects process.
    package var primaries: Primaries
    package var width: Int
    package var height: Int
    /// Whether pictures may have an alpha other than 1.
    package var hasAlpha: Bool
    /// The luminance of 1.0, in cd/m².
    package var referenceWhite: Double
    /// Nominal peak L_W of the display that HLG signals are for, in cd/m².
    package var hlgPeak: Double
    /// The headroom of the stream's light relative to reference white: 1 for SDR.
    package var headroom: Double
    /// The maximum number of simultaneous calls, 1 or more.
    package var threads: Int
    package var instructionSet: InstructionSet

    package init(
        signal: ColorSignal, primaries: Primaries, width: Int, height: Int, hasAlpha: Bool = false,
        referenceWhite: Double = BT2408.referenceWhite, hlgPeak: Double = HLG<Double>.nominalPeak, headroom: Double = 1,
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
    /// The effect prepared for pictures of a kind.
    func planned(for context: EffectContext) -> PlannedEffect
}

/// An effect that is ready to run.
package enum PlannedEffect {
    /// A colour matrix; consecutive ones are multiplied into one.
    case matrix(ColorMatrix)
    case pixels(any LightEffect)
    case frames(any FrameEffect)
}
