import HDRConcurrency
import HDRPipeline

/// Lets a part of the sound pass, to the sample, at times from 0 on.
final class SoundCut: Sendable {
    private let sound: SoundFile
    /// Frames of the stream.
    private let part: Range<UInt64>
    /// The time that is subtracted from timestamps, in ns; `nil` before the first audio has passed.
    private let shift = Locked<UInt64?>(nil)
    private let failure = Locked<(any Error)?>(nil)
    private let hasEnded = Locked(false)

    /// - Parameters:
    ///   - start: where the part begins, in ns of stream time.
    ///   - end: where it ends; `nil` for the end of the sound.
    init(_ sound: SoundFile, from start: UInt64, to end: UInt64?) {
        self.sound = sound
        let first = sound.frames(in: start)
        part = first..<max(end.map { sound.frames(in: $0) } ?? .max, first)
    }

    func check() throws { if let failure = failure.current { throw failure } }

    func take(_ pad: Pad, _ buffer: Buffer) -> Pad.Verdict {
        let size = SoundDecoder.sampleSize * sound.channels
        guard let time = buffer.time, let stream = pad.streamTime(of: buffer) else { return .drop }
        let first = sound.frames(in: stream)
        guard first < part.upperBound else {
            // The decoder may go on to its own end: decoders of FLAC take a refusal for an error.
            let isFirst = hasEnded.withLock { hasEnded in
                defer { hasEnded = true }
                return !hasEnded
            }
            if isFirst { pad.endStream() }
            return .drop
        }
        let count = UInt64(buffer.count / size)
        let (end, overflow) = first.addingReportingOverflow(count)
        guard !overflow else { return .drop }
        let kept = max(first, part.lowerBound)..<max(min(end, part.upperBound), max(first, part.lowerBound))
        guard !kept.isEmpty else { return .drop }
        let offset = sound.time(of: kept.lowerBound - first)
        let running = pad.runningTime(of: buffer) ?? 0
        let shift = shift.withLock { shift in
            // Audio from the beginning keeps its time.
            shift = shift ?? (part.lowerBound == 0 ? 0 : running &+ offset)
            return shift ?? 0
        }
        if kept == first..<end, shift == 0 { return .pass }
        do {
            let bytes = Int(kept.lowerBound - first) * size..<Int(kept.upperBound - first) * size
            return .replace(
                try buffer.retimed(
                    bytes, time: (time &+ offset) &- min(shift, time &+ offset),
                    duration: sound.time(of: UInt64(kept.count))))
        } catch {
            failure.withLock { $0 = $0 ?? error }
            return .drop
        }
    }
}
