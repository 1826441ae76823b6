/// The scenes of a stream with the light that each one's tone curve is made for, as text: `START:PEAK:AVERAGE` for each
/// scene, separated by commas. START is stream time in ns, PEAK and AVERAGE are in cd/m².
public struct SceneList: Equatable, Sendable {
    public struct Scene: Equatable, Sendable {
        /// The stream time of the first picture, in ns.
        public let start: UInt64
        /// Peak and average in cd/m², above 0 and at most 10000; the average is defined as in
        /// ``ToneRange/sourceAverage``.
        public let peak: Double, average: Double
    }

    /// The scenes in the order of their starts.
    public private(set) var scenes: [Scene] = []
    /// The defects of items in the text; items with defects are skipped.
    public private(set) var problems: [String] = []

    /// An empty list.
    public init() {}

    public init(text: String) {
        for item in text.split(separator: ",") {
            let parts = item.split(separator: ":", omittingEmptySubsequences: false).map { part in
                String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            if parts.count == 3, let start = UInt64(parts[0]), let peak = Double(parts[1]),
                let average = Double(parts[2]), peak > 0, peak <= PQ.peak, (0...PQ.peak).contains(average)
            {
                scenes.append(Scene(start: start, peak: peak, average: average))
            } else if problems.count < 8 {
                problems.append("\"\(item.prefix(64))\" is no START:PEAK:AVERAGE in ns and cd/m2")
            }
        }
        // Equal starts keep their order, so that the last one of them applies.
        scenes = scenes.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
            .map(\.element)
    }

    public var isEmpty: Bool { scenes.isEmpty }

    /// The scene at a time, in ns; before the first scene it is the first one, and `nil` where there are none.
    public func scene(at time: UInt64) -> Scene? {
        var (first, end) = (0, scenes.count)
        while first < end {
            let middle = (first + end) / 2
            if scenes[middle].start <= time { first = middle + 1 } else { end = middle }
        }
        return first > 0 ? scenes[first - 1] : scenes.first
    }
}
