/// Maps positions in the muxer's file to positions in the written file, in which headers have grown or shrunk.
package struct PositionMap: Equatable, Sendable {
    private struct Change: Equatable, Sendable {
        var position: UInt64
        var growth: Int64
    }

    private var changes: [Change] = []

    package init() {}

    package var isIdentity: Bool { changes.isEmpty }

    /// Records that bytes at `position` or behind it move by `growth` bytes. Positions are those before any change.
    package mutating func insert(_ growth: Int, at position: UInt64) {
        guard growth != 0 else { return }
        changes.append(Change(position: position, growth: Int64(growth)))
    }

    /// The new position of the byte that was at `position`; `nil` where there is none.
    package func callAsFunction(_ position: UInt64) -> UInt64? {
        var result = position
        for change in changes where position >= change.position {
            let (sum, overflow) =
                change.growth >= 0
                ? result.addingReportingOverflow(change.growth.magnitude)
                : result.subtractingReportingOverflow(change.growth.magnitude)
            if overflow { return nil }
            result = sum
        }
        return result
    }

    /// The first change behind `position`.
    func nextChange(after position: UInt64) -> UInt64? {
        changes.map(\.position).filter { $0 > position }.min()
    }
}
