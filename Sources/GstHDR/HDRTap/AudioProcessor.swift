import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// What raw audio looks like to a tap.
struct TapFormat {
    let info: GstAudioInfo
    let sample: SampleFormat
    let rate: Int
    let channels: Int
    let isPlanar: Bool
    /// Bytes of a frame within a plane.
    let frameBytes: Int
    /// One for each channel of planar formats.
    let planeCount: Int

    static let mostChannels = 64

    init?(_ info: GstAudioInfo) {
        guard let details = info.finfo?.pointee, info.rate > 0, info.channels > 0,
            let sample = SampleFormat(
                bytes: Int(details.width) / 8, depth: Int(details.depth),
                isSigned: details.flags.rawValue & GST_AUDIO_FORMAT_FLAG_SIGNED.rawValue != 0,
                isFloat: details.flags.rawValue & GST_AUDIO_FORMAT_FLAG_FLOAT.rawValue != 0,
                isBigEndian: details.endianness == 4321)
        else { return nil }
        self.info = info
        self.sample = sample
        rate = Int(info.rate)
        channels = Int(info.channels)
        isPlanar = info.layout == GST_AUDIO_LAYOUT_NON_INTERLEAVED
        planeCount = isPlanar ? channels : 1
        frameBytes = Int(details.width) / 8 * (isPlanar ? 1 : Int(info.channels))
    }

    /// Writes silence to `frames` frames of every plane, from `first` on.
    @_noLocks func silence(_ planes: UnsafePointer<UnsafeMutableRawPointer>, from first: Int, frames: Int) {
        for plane in 0..<planeCount { silence(plane, planes[plane] + first &* frameBytes, frames: frames) }
    }

    @_noLocks func silence(_ plane: Int, _ place: UnsafeMutableRawPointer, frames: Int) {
        sample.fillSilence(place, stride: 1, count: frames &* (isPlanar ? 1 : channels))
    }
}

/// Frames of one process call, in place in a buffer's memory.
struct TapCall {
    let planes: UnsafePointer<UnsafeMutableRawPointer>
    let frames: Int
    /// Index of the first frame since the section's start, among the frames that went in.
    let first: Int
    /// Whether the source has ended: the frames are silence, which makes the processor give what it still holds.
    let isDraining: Bool
}

/// A processor of audio in the element: an application's callbacks, its signals, or an effect.
///
/// `prepare`, `process` and `unprepare` are called in this order on the streaming thread (`unprepare` also on the one that
/// stops the element); `finalize` once, afterwards, on another thread.
class AudioTap: @unchecked Sendable {
    /// Frames by which the output comes late; known after `prepare`.
    var latency: Int { 0 }
    /// Frames that sound on after the source's end.
    var tail: UInt64 { 0 }

    /// - Returns: `nil`, or why the processor refuses.
    func prepare(_ format: TapFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? { nil }

    func unprepare() {}

    /// A section begins: the next call's frames do not continue those before.
    func begin(_ section: Section) {}

    /// Processes in place.
    /// - Returns: frames made (the rest is silent), and whether the processor's output has ended.
    func process(_ call: TapCall, in section: Section) -> (frames: Int, hasEnded: Bool) { (call.frames, false) }

    /// A section has ended.
    func end(_ section: Section) {}

    func finalize() {}
}

/// Frames that follow each other without a break.
struct Section {
    /// Stream time of the frames that go in.
    let clock: SampleClock
    /// Whether the stream time is known.
    let isTimed: Bool
    /// Time stamp of the first frame, in ns, and the running time of it.
    var pts: UInt64?
    let runningTime: UInt64?
    /// The segment's rate: the times of frames pass as much faster than the running time does, or backwards.
    let speed: Double
    /// Frames that have gone in.
    var fed = 0
    /// Frames that have come out, without those that the latency took.
    var emitted = 0
    /// Frames of the latency that are still to be dropped.
    var toDrop: Int

    /// The time stamp of a frame, in ns.
    func pts(_ frame: Int) -> UInt64? {
        guard let pts else { return nil }
        return pts &+ ClockTime.nanoseconds(frames: frame, rate: clock.rate)
    }

    /// The running time of a frame, in ns.
    func runningTime(_ frame: Int) -> UInt64? {
        guard let runningTime else { return nil }
        let passed = ClockTime.nanoseconds(frames: frame, rate: clock.rate)
        if speed == 1 { return runningTime &+ passed }
        let scaled = Double(passed) / speed
        guard scaled.magnitude < 9e18 else { return nil }
        let time = Int64(clamping: runningTime).addingReportingOverflow(Int64(scaled))
        return time.overflow || time.partialValue < 0 ? nil : UInt64(time.partialValue)
    }

    /// Stream time of a frame in frames, as callbacks are told it.
    func streamFrame(_ frame: Int) -> Int64 {
        Int64(ClockTime.frames(nanoseconds: clock.origin, rate: clock.rate)) &+ Self.scaled(frame, clock.appliedRate)
    }

    static func scaled(_ frames: Int, _ appliedRate: Double) -> Int64 {
        if appliedRate == 1 { return Int64(frames) }
        let product = (Double(frames) * appliedRate).rounded(.down)
        return product.magnitude < 9e18 ? Int64(product) : 0
    }
}
