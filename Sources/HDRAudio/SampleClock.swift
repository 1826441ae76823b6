/// The stream time of consecutive frames.
public struct SampleClock: Sendable, Equatable {
    /// The stream time of the first frame, in ns.
    public let origin: UInt64
    /// The number of frames per second.
    public let rate: Int
    /// The stream time that passes in a second of playback: 1 unless the stream was made faster or slower.
    public let appliedRate: Double

    public init(origin: UInt64, rate: Int, appliedRate: Double = 1) {
        self.origin = origin
        self.rate = max(rate, 1)
        self.appliedRate = appliedRate.isFinite && appliedRate > 0 ? appliedRate : 1
    }

    /// The stream time of a frame, in ns, rounded up: a time that was computed for this frame and rounded in any way is
    /// not after it.
    public func nanoseconds(_ frame: Int) -> UInt64 {
        let frame = UInt64(max(frame, 0))
        guard appliedRate == 1 else {
            let passed = (Double(frame) * 1e9 * appliedRate / Double(rate)).rounded(.up)
            return passed < 1.8e19 ? origin &+ UInt64(passed) : UInt64.max
        }
        let product = frame.multipliedFullWidth(by: 1_000_000_000)
        let divisor = UInt64(rate)
        guard product.high < divisor else { return UInt64.max }
        let (quotient, remainder) = divisor.dividingFullWidth(product)
        return origin &+ quotient &+ (remainder > 0 ? 1 : 0)
    }
}
