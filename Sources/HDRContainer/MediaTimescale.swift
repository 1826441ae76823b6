import HDRMetadata

/// The clock of a track that is written.
package enum MediaTimescale {
    /// The largest number of ticks per second. A finer clock does not come from the frame rate, and would overflow
    /// fields of 32 bits within hours.
    private static let finest = 200_000
    private static let coarsest = 90000

    /// The number of ticks per second that represents a source's times exactly, or nearly so where they are those of a
    /// clock that is unrelated to the frame rate: a multiple of `source`, or else of the frame rate's numerator, of at
    /// least 90 000.
    /// - Parameter source: the number of ticks per second of the source track; `nil` where it is not known.
    package static func of(source: Int?, frameRate: Fraction?) -> Int {
        let known = [source, frameRate?.numerator].compactMap { $0 }.first { (1...finest).contains($0) }
        let ticks = known ?? coarsest
        return ticks * ((coarsest + ticks - 1) / ticks)
    }
}
