import HDRPipeline

/// When the pictures of a timeline begin.
struct FrameGrid: Sendable {
    /// Pictures a second, 1 to 1000.
    let rate: Fraction

    /// A timeline of more pictures is refused: more than a hundred days.
    static let limit = 1 << 30

    /// - Returns: `nil` for a rate that a timeline cannot have.
    init?(_ rate: Fraction) {
        guard (1...1_000_000).contains(rate.numerator), (1...100_000).contains(rate.denominator),
            rate.numerator >= rate.denominator, rate.numerator / rate.denominator <= 1000
        else { return nil }
        self.rate = rate
    }

    /// - Parameter rate: a rate that ``init(_:)-(Fraction)`` accepts.
    init(unchecked rate: Fraction) { self.rate = rate }

    /// Parses a rate: `25`, `24000/1001`, or a decimal such as `23.976`, which stands for 24000/1001.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let known = ["23.976": 24, "23.98": 24, "29.97": 30, "47.952": 48, "59.94": 60, "119.88": 120]
        if let whole = known[text] {
            self.init(Fraction(whole * 1000, 1001))
        } else if let numerator = Int(parts[0]), parts.count <= 2,
            let denominator = parts.count == 2 ? Int(parts[1]) : 1
        {
            self.init(Fraction(numerator, denominator))
        } else {
            return nil
        }
    }

    /// When a picture begins, in ns, as GStreamer's aggregators count it.
    func time(_ frame: Int) -> UInt64 {
        let second = Time.second * UInt64(rate.denominator)
        let (high, low) = UInt64(min(max(frame, 0), 2 * Self.limit)).multipliedFullWidth(by: second)
        return UInt64(rate.numerator).dividingFullWidth((high, low)).quotient
    }

    /// The middle of a picture, in ns: it shows what a clip shows then, so that times that files round change nothing.
    func middle(_ frame: Int) -> UInt64 { (time(frame) + time(frame + 1)) / 2 }

    /// The nearest number of pictures, for a time in ns.
    func frames(_ time: UInt64) -> Int {
        let exact = Double(time) / 1e9 * Double(rate.numerator) / Double(rate.denominator)
        return Int(min(exact.rounded(), Double(2 * Self.limit)))
    }

    var text: String { rate.denominator == 1 ? "\(rate.numerator)" : "\(rate.numerator)/\(rate.denominator)" }
}

/// The course of a number along a timeline: linear from point to point, and undefined outside of them.
struct FrameCourse: Sendable {
    struct Point: Sendable {
        let frame: Int
        let value: Double
    }

    private(set) var points: [Point] = []

    init(_ points: [(frame: Int, value: Double)] = []) { add(points) }

    /// Adds points behind those that are there.
    mutating func add(_ more: [(frame: Int, value: Double)]) {
        // Where one change ends and the next one begins at the same frame, one point serves both.
        for (frame, value) in more where points.last?.frame != frame {
            points.append(Point(frame: frame, value: value))
        }
    }

    /// The value at a place between pictures; `nil` without points.
    func value(at frame: Double) -> Double? {
        guard let first = points.first, let last = points.last else { return nil }
        if frame <= Double(first.frame) { return first.value }
        for (from, to) in zip(points, points.dropFirst()) where frame < Double(to.frame) {
            let share = (frame - Double(from.frame)) / Double(to.frame - from.frame)
            return from.value + (to.value - from.value) * share
        }
        return last.value
    }

    /// This course from a picture on, which becomes the first.
    func from(_ frame: Int) -> FrameCourse {
        guard let value = value(at: Double(frame)), let first = points.first, first.frame < frame else {
            return FrameCourse(points.map { ($0.frame - frame, $0.value) })
        }
        let rest = points.filter { $0.frame > frame }.map { ($0.frame - frame, $0.value) }
        return FrameCourse([(0, value)] + rest)
    }
}
