import HDRMetadata

/// The frame rate in a container's tables, in frames per second.
package struct FrameRate: Equatable, Sendable {
    package var numerator: UInt64
    package var denominator: UInt64
    /// Whether all frames have the same duration, except for the last one. Otherwise the rate is the average.
    package var isConstant: Bool

    /// The rate in lowest terms; `nil` where either number is 0.
    package init?(_ numerator: UInt64, _ denominator: UInt64, isConstant: Bool = true) {
        guard numerator > 0, denominator > 0 else { return nil }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        self.numerator = numerator / a
        self.denominator = denominator / a
        self.isConstant = isConstant
    }

    package var value: Double { Double(numerator) / Double(denominator) }

    /// The duration of `ticks` of a clock with `timescale` ticks per second, in nanoseconds, rounded; `nil` where it is
    /// longer than 292 years or `timescale` is 0.
    static func nanoseconds(_ ticks: UInt64, timescale: UInt64) -> UInt64? {
        guard timescale > 0 else { return nil }
        let product = ticks.multipliedFullWidth(by: 1_000_000_000)
        guard product.high < timescale else { return nil }
        let (quotient, remainder) = timescale.dividingFullWidth(product)
        // The remainder is not doubled, since that may overflow.
        let result = quotient.addingReportingOverflow(remainder >= timescale - remainder ? 1 : 0)
        return result.overflow || result.partialValue > UInt64(Int64.max) ? nil : result.partialValue
    }
}

/// The timing tables of a movie's track.
struct MovieTiming {
    private let reader: BoxReader
    /// The number of ticks per second of the media.
    let timescale: UInt64
    /// The duration in nanoseconds according to the media header; `nil` where it has none, as in fragments.
    let duration: UInt64?
    private let track: Box

    /// Reads the media header of a track; `nil` where it has no timescale.
    init?(_ reader: BoxReader, _ track: Box) {
        guard let media = try? reader.first([.mdia, "mdhd"], below: track),
            let header = TimedHeader(reader, media, isTrack: false), header.timescale > 0
        else { return nil }
        self.reader = reader
        self.track = track
        timescale = UInt64(header.timescale)
        duration = header.duration == 0 ? nil : FrameRate.nanoseconds(header.duration, timescale: timescale)
    }

    /// The rate according to `stts` (ISO/IEC 14496-12 section 8.6.1.2), or to the default sample duration in `trex` of
    /// a fragmented movie.
    func frameRate(sampleDuration: UInt32?) -> FrameRate? {
        let samples = entries()
        guard let first = samples.first else {
            return sampleDuration.flatMap { FrameRate(timescale, UInt64($0)) }
        }
        // The last sample may be shorter or have no duration.
        var steady = samples
        if let last = steady.last, steady.count > 1, last.count == 1 { steady.removeLast() }
        if steady.allSatisfy({ $0.delta == first.delta }) { return FrameRate(timescale, UInt64(first.delta)) }
        var (count, ticks): (UInt64, UInt64) = (0, 0)
        for sample in samples {
            let part = UInt64(sample.count).multipliedReportingOverflow(by: UInt64(sample.delta))
            let sum = ticks.addingReportingOverflow(part.partialValue)
            guard !part.overflow, !sum.overflow else { return nil }
            ticks = sum.partialValue
            count += UInt64(sample.count)
        }
        let scaled = count.multipliedReportingOverflow(by: timescale)
        return scaled.overflow ? nil : FrameRate(scaled.partialValue, ticks, isConstant: false)
    }

    private func entries() -> [(count: UInt32, delta: UInt32)] {
        guard let box = try? reader.first([.mdia, .minf, .stbl, "stts"], below: track) else { return [] }
        let start = box.payload.lowerBound + 8
        guard let count = BigEndian.u32(reader.bytes, start - 4), box.end > start else { return [] }
        return (0..<min(Int(count), (box.end - start) / 8)).compactMap { index in
            guard let count = BigEndian.u32(reader.bytes, start + 8 * index), count > 0,
                let delta = BigEndian.u32(reader.bytes, start + 8 * index + 4)
            else { return nil }
            return (count, delta)
        }
    }

    // MARK: The movie

    /// The default sample duration in `trex`.
    static func sampleDuration(_ reader: BoxReader, _ moov: Box, track: UInt64) -> UInt32? {
        guard let extends = try? reader.first(.mvex, in: moov.payload) else { return nil }
        var boxes = reader.boxes(in: extends.payload)
        while let box = try? boxes.next() {
            let start = box.payload.lowerBound
            guard box.type == "trex", BigEndian.u32(reader.bytes, start + 4).map(UInt64.init) == track else {
                continue
            }
            return BigEndian.u32(reader.bytes, start + 12).flatMap { $0 > 0 ? $0 : nil }
        }
        return nil
    }

    /// The duration in nanoseconds: that of `mvhd`, or of `mehd` where the movie is in fragments.
    static func duration(_ reader: BoxReader, _ moov: Box) -> UInt64? {
        guard let box = try? reader.first(.mvhd, in: moov.payload),
            let header = TimedHeader(reader, box, isTrack: false)
        else { return nil }
        var ticks = header.duration
        if ticks == 0, let extends = try? reader.first([.mvex, "mehd"], below: moov) {
            let start = extends.payload.lowerBound
            let isLong = BigEndian.u8(reader.bytes, start) == 1
            ticks = BigEndian.number(reader.bytes, at: start + 4, count: isLong ? 8 : 4) ?? 0
        }
        return ticks == 0 ? nil : FrameRate.nanoseconds(ticks, timescale: UInt64(header.timescale))
    }
}
