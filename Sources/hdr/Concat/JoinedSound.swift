import HDRConcurrency
import HDRPipeline

/// The sound of joined clips: as long as the pictures of each, with silence where a clip has none.
final class JoinedSound: Sendable {
    /// Interleaved floating point.
    struct Format: Sendable {
        let rate: Int
        let channels: Int
        /// The size of an audio frame in bytes.
        var frame: Int { 4 * channels }

        /// A format for all clips: their own rate where they agree, and as many channels as the most of them has.
        /// - Parameter clips: the decoded sound of each clip that has any.
        init(_ clips: [Structure]) {
            let rates = Set(clips.compactMap { $0["rate", as: Int.self] })
            rate = rates.count == 1 ? rates.first ?? 48000 : 48000
            let most = clips.compactMap { $0["channels", as: Int.self] }.max() ?? 2
            channels = most <= 2 ? max(most, 1) : 6
        }

        var caps: String {
            let mask = channels == 1 ? "" : ",channel-mask=(bitmask)\(channels == 2 ? "0x3" : "0x3f")"
            return "audio/x-raw,format=F32LE,layout=interleaved,rate=\(rate),channels=\(channels)\(mask)"
        }

        /// The sample that is nearest to a time in ns.
        func sample(_ time: UInt64) -> Int {
            let (high, low) = time.multipliedFullWidth(by: UInt64(rate))
            guard high < 500_000_000 else { return Int.max }
            let second: UInt64 = 1_000_000_000
            let (quotient, rest) = second.dividingFullWidth((high, low))
            return Int(clamping: quotient) + (rest >= second / 2 ? 1 : 0)
        }

        /// The time of a sample in ns.
        func time(_ sample: Int) -> UInt64 {
            let (high, low) = UInt64(sample).multipliedFullWidth(by: 1_000_000_000)
            return UInt64(rate).dividingFullWidth((high, low)).quotient
        }
    }

    /// Audio that is off its intended position by no more than this, in seconds, is joined without a gap or an overlap.
    private static let tolerance = 0.002

    let format: Format
    private let feed: Element
    private let course = Monitor(Course())

    private struct Course {
        /// The start of the current clip, in ns of the output.
        var base: UInt64 = 0
        /// Running time of the clip's first picture.
        var first: UInt64?
        /// The end of the pictures so far, in ns of the output.
        var end: UInt64 = 0
        /// Whether the clip's pictures are over.
        var isOver = false
        /// Whether the clip's own sound is over, or was never there.
        var isSilent = true
        var isStopped = false
        /// Samples of sound so far.
        var written = 0
    }

    /// - Parameter feed: an `appsrc`.
    init(_ format: Format, into feed: Element) {
        self.format = format
        self.feed = feed
    }

    // MARK: The course of the pictures

    func beginClip(at base: UInt64, hasSound: Bool) {
        course.change { course in
            (course.base, course.first, course.isOver, course.isSilent) = (base, nil, false, !hasSound)
        }
    }

    /// - Parameters:
    ///   - first: the running time of the clip's first picture.
    ///   - end: of the picture that was shown last, in ns of the output.
    func note(first: UInt64, end: UInt64) throws {
        let isSilent = course.change { course in
            course.first = course.first ?? first
            course.end = max(course.end, end)
            return course.isSilent
        }
        if isSilent { try fill(to: format.sample(end)) }
    }

    /// The clip's pictures are over, and soon its sound too.
    func endPictures() { course.change { $0.isOver = true } }

    /// The clip's own sound is over: silence follows, as far as the pictures have come.
    func endSound() throws {
        let end = course.change { course in
            course.isSilent = true
            return course.end
        }
        try fill(to: format.sample(end))
    }

    /// Wakes all that wait; nothing more is passed on.
    func stop() { course.change { $0.isStopped = true } }

    // MARK: Sound

    /// Passes a buffer of the clip's sound on as far as its pictures have come, and waits for these.
    /// - Parameter time: the buffer's running time in the clip.
    func append(_ buffer: Buffer, at time: UInt64) throws {
        guard let place = begin(time) else { return }
        var (start, written) = place
        let count = buffer.count / format.frame
        if abs(start - written) <= Int(Self.tolerance * Double(format.rate)) { start = written }
        while written < start {
            guard let room = room(behind: written) else { return }
            let until = min(start, room)
            try fill(to: until)
            written = until
        }
        var skip = max(written - start, 0)
        while skip < count {
            guard let room = room(behind: written) else { return }
            let take = min(count - skip, room - written)
            let part = skip * format.frame..<(skip + take) * format.frame
            try push(try buffer.retimed(part, time: nil, duration: nil), samples: take)
            skip += take
            written += take
        }
    }

    /// Waits for the clip's first picture.
    /// - Returns: the sample at which a buffer of a running time begins, and how many were written; `nil` where it is
    ///   not wanted any more.
    private func begin(_ time: UInt64) -> (start: Int, written: Int)? {
        course.wait { course -> (start: Int, written: Int)?? in
            if course.isStopped { return .some(nil) }
            guard let first = course.first else { return course.isOver ? .some(nil) : nil }
            let place = course.base.plus(time)
            guard place >= first else { return (0, course.written) }
            return (self.format.sample(place - first), course.written)
        } ?? nil
    }

    /// Waits until the pictures are behind a sample.
    /// - Returns: the sample at their end; `nil` where that will not be.
    private func room(behind sample: Int) -> Int? {
        course.wait { course -> Int?? in
            if course.isStopped { return .some(nil) }
            let end = self.format.sample(course.end)
            if end > sample { return end }
            return course.isOver ? .some(nil) : nil
        } ?? nil
    }

    /// Silence up to a sample.
    private func fill(to end: Int) throws {
        while true {
            let written = course.withLock { $0.isStopped ? Int.max : $0.written }
            guard written < end else { return }
            let count = min(end - written, format.rate)
            let silence = try Buffer(count: count * format.frame) { bytes in
                bytes.initializeMemory(as: UInt8.self, repeating: 0)
            }
            try push(silence, samples: count)
        }
    }

    private func push(_ buffer: Buffer, samples: Int) throws {
        let start = course.withLock { course in
            defer { course.written += samples }
            return course.written
        }
        let time = format.time(start)
        try feed.emit(
            "push-buffer", try buffer.retimed(time: time, duration: format.time(start + samples) - time),
            as: String.self)
    }
}
