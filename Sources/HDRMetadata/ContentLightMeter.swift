/// Accumulates a stream's light levels: MaxCLL and MaxFALL of CTA-861.3 annex A.
///
/// Both are integers of 1 cd/m², which the measured values are rounded to, halves up: the nearest one is off by no more
/// than 0.5 cd/m², and what is a whole number but for the last digits of its computation is not raised by 1. Less than
/// 0.5 cd/m² is therefore 0, which readers take as unknown. Values above 65535 cd/m², which no signal has, are clamped.
package struct ContentLightMeter: Equatable, Sendable {
    /// Pictures that have been added.
    package private(set) var frames = 0
    /// The brightest pixel's light so far, in cd/m².
    package private(set) var maximum = 0.0
    /// The brightest picture's mean so far, in cd/m².
    package private(set) var frameAverage = 0.0
    /// The highest percentile so far, in cd/m²; `nil` where a picture came without.
    package private(set) var percentile: Double?

    package init() {}

    /// Adds a picture's light in cd/m². A value that is not a number marks a picture that was not measured, which is
    /// left out.
    /// - Parameters:
    ///   - maximum: of each pixel's largest component.
    ///   - average: the mean of these.
    ///   - percentile: what nearly all of these do not exceed, such as 99.99 %.
    package mutating func add(maximum: Double, average: Double, percentile: Double? = nil) {
        guard maximum.isFinite, average.isFinite else { return }
        self.maximum = max(self.maximum, maximum)
        frameAverage = max(frameAverage, average)
        let own = percentile.flatMap { $0.isFinite ? max($0, 0) : nil }
        if frames == 0 {
            self.percentile = own
        } else if let own, let highest = self.percentile {
            self.percentile = max(highest, own)
        } else {
            self.percentile = nil
        }
        if frames < Int.max { frames += 1 }
    }

    /// Adds what another part of the stream has measured.
    package mutating func add(_ other: ContentLightMeter) {
        guard other.frames > 0 else { return }
        guard frames > 0 else {
            self = other
            return
        }
        maximum = max(maximum, other.maximum)
        frameAverage = max(frameAverage, other.frameAverage)
        if let own = percentile, let theirs = other.percentile {
            percentile = max(own, theirs)
        } else {
            percentile = nil
        }
        let (sum, overflows) = frames.addingReportingOverflow(other.frames)
        frames = overflows ? Int.max : sum
    }

    /// MaxCLL and MaxFALL as the standard defines them; `nil` before the first picture.
    package var levels: ContentLightLevel? {
        frames > 0
            ? ContentLightLevel(maximum: Self.integer(maximum), frameAverage: Self.integer(frameAverage)) : nil
    }

    private static func integer(_ light: Double) -> UInt16 {
        UInt16(min(max(light.rounded(.toNearestOrAwayFromZero), 0), Double(UInt16.max)))
    }
}
