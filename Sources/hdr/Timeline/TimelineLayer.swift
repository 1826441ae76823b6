import HDRPipeline

/// The part of a timeline that one pad of `hdrcompositor` shows.
struct TimelineLayer: Sendable {
    enum Content: Sendable {
        /// A movie, from a time of the file on, in ns.
        case movie(TimelineMovie, from: UInt64)
        case still(StillPicture)
    }

    var content: Content
    /// The first picture of the timeline that shows it.
    var start: Int
    /// The length in pictures.
    var count: Int
    /// Layers with higher ones lie above.
    let order: Int
    /// The properties of the pad, as text.
    var properties: [(name: String, value: String)] = []
    /// Files that properties of the pad name.
    var files: [(name: String, value: FileName)] = []
    /// The courses of the pad's properties, in pictures of the timeline.
    var courses: [(property: String, course: FrameCourse)] = []
    /// The volume of its audio, as a factor.
    var volume = FrameCourse()

    var end: Int { start + count }

    var movie: TimelineMovie? { if case .movie(let movie, _) = content { movie } else { nil } }

    mutating func change(_ property: String, _ points: [(frame: Int, value: Double)]) {
        if let index = courses.firstIndex(where: { $0.property == property }) {
            courses[index].course.add(points)
        } else {
            courses.append((property, FrameCourse(points)))
        }
    }

    /// The part in a range of pictures, of which the first becomes picture 0; `nil` where there is none.
    func part(_ range: Range<Int>, _ grid: FrameGrid) -> TimelineLayer? {
        let kept = (start..<end).clamped(to: range)
        guard !kept.isEmpty else { return nil }
        var part = self
        if case .movie(let movie, let from) = content {
            part.content = .movie(movie, from: from + grid.time(kept.lowerBound - start))
        }
        part.start = kept.lowerBound - range.lowerBound
        part.count = kept.count
        part.courses = courses.map { ($0.property, $0.course.from(range.lowerBound)) }
        part.volume = volume.from(range.lowerBound)
        return part
    }
}
