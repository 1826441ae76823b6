import HDRKernels

/// Replaces colours by the results of a look-up table.
package struct LookUp: VideoEffect {
    /// The kind of shaper; ``LUTShaper`` has its parameters too.
    package enum Shaper: CaseIterable, Sendable {
        case pq, log, none
    }

    /// The table; `nil` leaves pictures unchanged.
    package private(set) var lut: ColorLUT?
    /// The number of tables set so far, which tells them apart.
    private var loads = 0
    package var shaper = Shaper.pq
    /// The lower end of the logarithm, in stops from reference white.
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
