import HDRColor

/// Marks pixels that are bright, or outside a gamut.
package struct Highlight: VideoEffect {
    package enum Mode: CaseIterable, Sendable {
        /// Pixels brighter than the level get a solid colour.
        case solid
        /// Stripes: rising ones where light exceeds the level, falling ones where it exceeds a display's headroom, and
        /// a chequered pattern where it is outside a gamut.
        case zebra
    }

    package static let levelRange = 0.0...50.0
    /// The gamuts that the zebra can check: BT.709, Display P3 and BT.2020.
    package static let gamuts: [Primaries] = [.bt709, .displayP3, .bt2020]

    package var mode = Mode.solid
    /// The level relative to reference white. A pixel is marked where a component exceeds it by more than half a code
    /// of the stream.
    package var level = 1.0
    /// The red, green and blue of marks in linear Display P3, where 1.0 is reference white.
    package var color = SIMD3(2.0, 0, 0)
    /// For the zebra, the headroom of the display relative to reference white; 0 for none.
    package var headroom = 0.0
    /// For the zebra, the gamut to check; `nil` for none.
    package var gamut: Primaries?
    /// For the zebra, the range of the stripes' width in pixels.
    package static let widthRange = 1...64
    package var width = 8

    package init(
        mode: Mode = .solid, level: Double = 1, color: SIMD3<Double> = SIMD3(2, 0, 0), headroom: Double = 0,
        gamut: Primaries? = nil, width: Int = 8
    ) {
        self.mode = mode
        self.level = level
        self.color = color
        self.headroom = headroom
        self.gamut = gamut
        self.width = width
    }

    package func planned(for context: EffectContext) -> PlannedEffect { .pixels(HighlightEffect(self, context)) }
}

extension EffectContext {
    /// Light that is half a code of the stream above a level, both relative to reference white. For HLG the code is
    /// that of a grey.
    package func halfACodeAbove(_ level: Double) -> Double {
        let half = 0.5 / signal.quantization.scale.x
        let light = level * referenceWhite
        switch signal.transfer {
        case .hlg:
            let hlg = HLG<Double>(peak: hlgPeak)
            let code = hlg.fromDisplay(SIMD3(repeating: light)).x + half
            // No light is above the end of the signal's range.
            return code > 1 ? .infinity : hlg.toDisplay(SIMD3(repeating: code)).x / referenceWhite
        case .pq:
            let code = PQ.inverseEOTF(min(light, PQ.peak)) + half
            return code > 1 ? .infinity : PQ.eotf(code) / referenceWhite
        case let transfer:
            let code = transfer.inverseEOTF(light, white: referenceWhite) + half
            return transfer.eotf(code, white: referenceWhite) / referenceWhite
        }
    }
}
