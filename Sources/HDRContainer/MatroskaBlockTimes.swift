import HDRMetadata

/// The times of a track's first blocks, from which the frame rate can be computed: DefaultDuration is only the writer's
/// assumption, and may be wrong.
struct MatroskaBlockTimes {
    /// So many blocks suffice to distinguish 23.976 from 24 frames per second in ticks of a millisecond.
    private static let maximumBlocks = 256
    private static let maximumElements = 8192
    /// Blocks come in decoding order, and no decoder holds back more pictures than these.
    private static let maximumReordering = 16

    /// The times in ticks, in presentation order, without the last ones, before which pictures may still come.
    private let times: [Int64]
    /// The duration of a tick in nanoseconds.
    private let scale: UInt64

    /// - Parameters:
    ///   - start: the position at which the search begins, such as behind Tracks.
    ///   - scale: TimestampScale.
    init(_ source: some ByteSource, from start: UInt64, track: UInt64, scale: UInt64) {
        var walker = MatroskaWalker(source, from: start)
        var times: [Int64] = []
        var cluster: Int64 = 0
        var isWhole = false
        for _ in 0..<Self.maximumElements where times.count < Self.maximumBlocks {
            guard let element = walker.next() else {
                isWhole = true
                break
            }
            if let time = Self.clusterTime(element) { cluster = time }
            if let block = element.block, block.track == track { times.append(cluster &+ Int64(block.time)) }
        }
        times.sort()
        if !isWhole { times.removeLast(min(Self.maximumReordering, times.count)) }
        self.times = times
        self.scale = scale
    }

    /// The frame rate; `nil` where the frames' times are not evenly spaced, or where `expected` differs only by the
    /// rounding of times to ticks.
    /// - Parameter expected: DefaultDuration as a rate.
    func frameRate(differingFrom expected: FrameRate?) -> FrameRate? {
        guard let first = times.first, let last = times.last, last > first, times.count > 3 else { return nil }
        let steps = Int64(times.count - 1)
        let (span, overflow) = last.subtractingReportingOverflow(first)
        guard !overflow, span < 1 << 40 else { return nil }
        // Each time lies where an even step puts it, except for its own rounding and that of the first and the last
        // one.
        let isEven = times.enumerated().allSatisfy { index, time in
            abs((time - first) * steps - Int64(index) * span) <= steps + steps / 2
        }
        guard isEven else { return nil }
        // Both ends are rounded, so the span is exact to one tick.
        let tick = Double(scale)
        let range = Double(span - 1) * tick / Double(steps) - 1...Double(span + 1) * tick / Double(steps) + 1
        if let expected, range.contains(1e9 / expected.value) { return nil }
        let middle = Double(span) * tick / Double(steps)
        let usual = Self.usualRates.filter { range.contains(1e9 / $0.value) }
        if let nearest = usual.min(by: { abs(1e9 / $0.value - middle) < abs(1e9 / $1.value - middle) }) {
            return nearest
        }
        let (duration, tooLong) = UInt64(span).multipliedReportingOverflow(by: scale)
        return tooLong ? nil : FrameRate(UInt64(steps) * 1_000_000_000, duration)
    }

    private static let usualRates: [FrameRate] = [
        (24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1), (48000, 1001), (48, 1), (50, 1), (60000, 1001),
        (60, 1),
        (100, 1), (120_000, 1001), (120, 1), (240, 1),
    ].compactMap { FrameRate($0, $1) }

    private static func clusterTime<Source>(_ element: MatroskaWalker<Source>.Element) -> Int64? {
        guard element.header.id == MatroskaID.clusterTimestamp, let size = element.header.size, size <= 8 else {
            return nil
        }
        return BigEndian.number(element.bytes, at: element.header.count, count: Int(size)).flatMap {
            $0 < 1 << 56 ? Int64($0) : nil
        }
    }

    // MARK: The ends of the file

    /// The earliest time among all tracks' first blocks, in nanoseconds; `nil` where there is none.
    static func first(_ source: some ByteSource, from start: UInt64, scale: UInt64) -> UInt64? {
        var walker = MatroskaWalker(source, from: start)
        var cluster: Int64 = 0
        var earliest: Int64?
        var count = 0
        for _ in 0..<maximumElements where count < maximumBlocks {
            guard let element = walker.next() else { break }
            // Writers begin a new Cluster after some seconds of all tracks.
            if count > 0, element.header.id == MatroskaID.cluster { break }
            if let time = clusterTime(element) { cluster = time }
            guard let block = element.block else { continue }
            count += 1
            let time = cluster &+ Int64(block.time)
            earliest = min(earliest ?? time, time)
        }
        guard let earliest else { return nil }
        let time = UInt64(max(earliest, 0)).multipliedReportingOverflow(by: scale)
        return time.overflow ? nil : time.partialValue
    }

    /// The times of the last blocks of one track and of all, in ticks; `nil` where they cannot be found, as in a file
    /// whose Clusters have unknown sizes.
    static func last(
        _ source: some ByteSource, from start: UInt64, track: UInt64
    ) -> (track: Int64, all: Int64)? {
        var position: UInt64?
        var clusters = MatroskaWalker(source, from: start, entersClusters: false)
        for _ in 0..<100_000 {
            guard let element = clusters.next() else { break }
            guard element.header.id == MatroskaID.cluster else { continue }
            if element.header.size == nil { return nil }
            position = element.position
        }
        guard let position else { return nil }
        var walker = MatroskaWalker(source, from: position)
        var cluster: Int64 = 0
        var found: (track: Int64?, all: Int64) = (nil, 0)
        for _ in 0..<maximumElements {
            guard let element = walker.next() else { break }
            if let time = clusterTime(element) { cluster = time }
            guard let block = element.block else { continue }
            let time = cluster &+ Int64(block.time)
            found.all = max(found.all, time)
            if block.track == track { found.track = max(found.track ?? time, time) }
        }
        return found.track.map { ($0, found.all) }
    }
}

extension ContainerInspection {
    /// Replaces wrong frame rates by those that follow from the blocks' times, and corrects the duration by what a
    /// wrong one has added to it.
    /// - Parameters:
    ///   - start: the position behind Tracks.
    ///   - scale: TimestampScale: the duration of a tick in nanoseconds.
    mutating func adoptBlockTimes(_ source: some ByteSource, from start: UInt64, scale: UInt64) {
        firstTime = MatroskaBlockTimes.first(source, from: start, scale: scale)
        for index in tracks.indices {
            let expected = tracks[index].frameRate
            let times = MatroskaBlockTimes(source, from: start, track: tracks[index].identifier, scale: scale)
            guard let rate = times.frameRate(differingFrom: expected) else { continue }
            tracks[index].frameRate = rate
            guard let duration, let expected,
                let last = MatroskaBlockTimes.last(source, from: start, track: tracks[index].identifier)
            else { continue }
            // Writers compute the end from the last block's time and its DefaultDuration, where no sound is longer.
            let tick = Double(scale)
            let end = Double(last.track) * tick
            guard abs(Double(duration) - (end + 1e9 / expected.value)) <= tick else { continue }
            let right = max(end + 1e9 / rate.value, Double(last.all) * tick).rounded()
            self.duration = UInt64(exactly: right) ?? duration
        }
    }
}
