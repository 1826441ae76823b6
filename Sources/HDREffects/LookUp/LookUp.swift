import HDRKernels

/// Colours replaced by those of a look-up table.
package struct LookUp: VideoEffect {
    /// What the table is for: ``LUTShaper`` in full.
    package enum Shaper: CaseIterable, Sendable {
        case pq, log, none
    }

    /// `nil` leaves pictures as they are.
    package private(set) var lut: ColorLUT?
    /// Tables that have been set: the number tells them apart.
    private var loads = 0
    package var shaper = Shaper.pq
    /// Of the logarithm, in stops from the reference white.
    package var lowest = -10.0
    package var highest = 6.5

    package init() {}

    package mutating func set(_ lut: ColorLUT?) {
        self.lut = lut
        loads += 1
    }

    package static func == (a: LookUp, b: LookUp) -> Bool {
        a.loads == b.loads && a.shaper == b.shaper && a.lowest == b.lowest && a.highest == b.highest
    }

    package func planned(for context: EffectContext) -> PlannedEffect {
        guard let lut else { return .matrix(.identity) }
        let shaper: LUTShaper =
            switch shaper {
            case .pq: .pq(white: context.referenceWhite)
            case .log: .log2(lowest: lowest, highest: highest)
            case .none: .none
            }
        return .pixels(LUTEffect(lut, shaper, context.instructionSet))
    }
}
