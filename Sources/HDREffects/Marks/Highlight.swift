import HDRColor

/// Marks on what is bright, or outside a gamut.
package struct Highlight: VideoEffect {
    package enum Mode: CaseIterable, Sendable {
        /// Pixels brighter than the level become a colour.
        case solid
        /// Stripes: rising ones where light is brighter than the level, falling ones where it is brighter than a
        /// display's headroom, and a chequered pattern where it is outside a gamut.
        case zebra
    }

    package static let levelRange = 0.0...50.0
    /// BT.709, Display P3 or BT.2020 are gamuts that zebra can look for.
    package static let gamuts: [Primaries] = [.bt709, .displayP3, .bt2020]

    package var mode = Mode.solid
    /// As a multiple of the reference white. A pixel is marked where a component is above it by more than half a code
    /// of the stream.
    package var level = 1.0
    /// Red, green and blue of marks in linear Display P3, with 1.0 the reference white.
    package var color = SIMD3(2.0, 0, 0)
    /// Zebra: of the display, as a multiple of the reference white; 0 for none.
    package var headroom = 0.0
    /// Zebra: `nil` for none.
    package var gamut: Primaries?
    /// Zebra: of stripes, in pixels.
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
    /// Light half a code of the stream above a level, both as multiples of the reference white. For HLG the code is
    /// that of a grey.
    package func halfACodeAbove(_ level: Double) -> Double {
        let half = 0.5 / signal.quantization.scale.x
        let light = level * referenceWhite
        switch signal.transfer {
        case .hlg:
            let hlg = HLG<Double>(peak: hlgPeak)
            let code = hlg.fromDisplay(SIMD3(repeating: light)).x + half
            // Beyond the signal's end nothing is above.
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
