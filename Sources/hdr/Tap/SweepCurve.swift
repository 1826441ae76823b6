import Glibc

/// The centre of a band-pass over time: the same ratio in the same time.
struct SweepCurve {
    /// Between two points the centre moves in a straight line. With so many of them over ten octaves, that is less than
    /// a hundredth of a cent from the true curve, however long the sound is.
    private static let points = 1024
    /// The element's filter follows its centre up to this share of the sample rate.
    private static let highest = 0.49
    /// The default end of the sweep: 20 kHz, or proportionally lower for rates below 44.1 kHz. At higher frequencies a
    /// band-pass loses its shape, as there is no room for its upper edge.
    private static let defaultEnd = 20_000.0, defaultShare = 20_000.0 / 44_100

    /// The start frequency in Hz.
    let start: Double
    let end: Double
    /// The duration in seconds.
    let seconds: Double

    /// - Parameters:
    ///   - end: `nil` for as high as the sound goes.
    ///   - seconds: above 0.
    init(from start: Double, to end: Double?, seconds: Double, of sound: SoundFile) throws(Failure) {
        let rate = Double(sound.rate)
        self.start = start
        self.end = end ?? min(Self.defaultEnd, (Self.defaultShare * rate).rounded())
        self.seconds = seconds
        for (option, value) in [("--sweep-from", start), ("--sweep-to", self.end)] where value > Self.highest * rate {
            throw Failure(
                "\(option) must lie below \((Self.highest * rate).plain) Hz: \(sound.name) has \(sound.rate) samples a "
                    + "second")
        }
    }

    /// The centre frequency in Hz at a time.
    func center(at time: Double) -> Double {
        start * pow(end / start, min(max(time / seconds, 0), 1))
    }

    /// The points of the curve, which begins at the stream time `origin`, in ns.
    func points(from origin: UInt64) -> [(time: UInt64, value: Double)] {
        (0...Self.points).map { index in
            let time = Double(index) * seconds / Double(Self.points)
            return (origin &+ UInt64(min((time * 1e9).rounded(), 1e18)), center(at: time))
        }
    }
}

extension Double {
    /// The number, without a fraction where it is whole.
    var plain: String { Int(exactly: self).map { "\($0)" } ?? fixed(2) }
}
