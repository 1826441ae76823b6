/// Summarises scenes for a second pass: one peak and one average for all pictures of each scene.
///
/// The tracker decides where scenes begin. The peak is the highest of a scene's pictures, so that nothing of it is
/// clipped, and the average is the mean over those that are not black.
public struct SceneSurvey: Sendable {
    public struct Scene: Equatable, Sendable {
        /// The stream times of the first picture and of the end of the last one, in ns.
        public let start: UInt64
        public let end: UInt64
        /// The peak and the average in PQ.
        public let peak: Double, average: Double
    }

    private var start: UInt64?
    private var end: UInt64 = 0
    private var peak = 0.0
    private var sum = 0.0
    private var count = 0.0

    public init() {}

    /// Adds a picture.
    /// - Parameters:
    ///   - start, end: its stream time, in ns.
    ///   - startsScene: whether it is the first one of a scene.
    /// - Returns: the scene that ended before it.
    public mutating func add(_ sample: SceneSample, from start: UInt64, to end: UInt64, startsScene: Bool) -> Scene? {
        // Black pictures before the first scene belong to it.
        let ended = startsScene && count > 0 ? finish() : nil
        if self.start == nil { self.start = start }
        self.end = max(start, end)
        if !sample.isBlack {
            peak = max(peak, sample.peak)
            sum += sample.average
            count += 1
        }
        return ended
    }

    /// The scene that ends here; `nil` where all of it was black, or there were no pictures.
    public mutating func finish() -> Scene? {
        defer { self = SceneSurvey() }
        guard let start, count > 0 else { return nil }
        return Scene(start: start, end: end, peak: peak, average: sum / count)
    }
}
