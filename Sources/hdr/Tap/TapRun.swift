import HDRConcurrency
import HDRPipeline
import HDRSpectrogram

/// Sends the sound of one input through the effects, to a file or to the loudspeakers.
final class TapRun {
    private let sound: SoundFile
    private let settings: TapSettings
    /// The curve of a sweep; `nil` for constant effects.
    let curve: SweepCurve?
    /// The duration of the part that is processed, in ns.
    let duration: UInt64
    /// The sound before and after, where there is a picture.
    private(set) var spectrograms: (before: Spectrogram, after: Spectrogram)?
    /// The measurements of the effect `meter`.
    private(set) var levels = SoundLevels()
    /// Frames that went into the effects.
    private(set) var frames: UInt64 = 0

    /// The state of the streaming thread.
    private struct Progress: Sendable {
        var count = ProgressLine.Count()
        var frames: UInt64 = 0
        var failure: (any Error)?
    }
    private let progress = Locked(Progress())

    init(_ sound: SoundFile, _ settings: TapSettings) throws(Failure) {
        self.sound = sound
        self.settings = settings
        guard settings.start < sound.duration else {
            throw Failure(
                "--from lies after the end of \(sound.name), which is \(Time.exact(sound.duration)) long")
        }
        let duration = min(settings.end ?? .max, sound.duration) - settings.start
        self.duration = duration
        curve = try settings.sweep.map { sweep throws(Failure) in
            try SweepCurve(from: sweep.start, to: sweep.end, seconds: Double(duration) / 1e9, of: sound)
        }
    }

    /// Makes spectrograms of what passes.
    /// - Parameter edges: frequencies between their rows, in Hz.
    func draw(_ edges: [Double]) {
        func make() -> Spectrogram {
            Spectrogram(rate: sound.rate, channels: sound.channels, edges: edges, duration: Double(duration) / 1e9)
        }
        spectrograms = (make(), make())
    }

    /// The pipeline as a launch line, followed by what a launch line cannot express.
    func line(_ last: [LaunchElement]) -> String {
        let parts = SoundDecoder.line(sound.file).map(\.text) + ["queue", settings.effects.text] + last.map(\.text)
        var lines = ["gst-launch-1.0 " + parts.joined(separator: " ! ")]
        if settings.start > 0 || settings.end != nil {
            lines.append("# the sound from \(Time.exact(settings.start)) to \(Time.exact(settings.start + duration))")
        }
        if let curve {
            lines.append(
                "# effect::center-frequency moves from \(curve.start.plain) to \(curve.end.plain) Hz in "
                    + Time.exact(duration))
        }
        return lines.joined(separator: "\n")
    }

    /// - Parameters:
    ///   - last: the elements behind the effects.
    ///   - target: what is written; `nil` for nothing.
    /// - Returns: the seconds that it took.
    func run(_ last: [LaunchElement], to target: FileName?, label: String) async throws -> Double {
        let pipeline = Pipeline()
        let decoder = try SoundDecoder(sound, in: pipeline)
        let tap = try settings.effects.make()
        // The spectrogram of what goes in is made on the decoder's thread, the other one on the effects'.
        let queue = try Element(make: "queue")
        try pipeline.add([queue, tap] + last.map { element throws(PipelineError) in try element.make() })
        try decoder.last.link(to: queue)
        let cut = SoundCut(sound, from: settings.start, to: settings.end)
        if settings.start > 0 || settings.end != nil { try decoder.last.pad("src").watch(cut.take) }
        if let curve {
            let effect = try tap.child("effect")
            // The curve takes its place; what is left of it is how long the band-pass rings after the end.
            try effect.set("center-frequency", to: curve.end)
        }
        try watch(tap, behind: queue)
        let line = ProgressLine(duration, quiet: settings.isSilent, label: label)
        defer { line.clear() }
        do {
            try await Run.play(
                pipeline,
                tick: {
                    let now = progress.current
                    if let failure = now.failure { throw failure }
                    try decoder.check()
                    try cut.check()
                    try line.show(now.count, of: sound.name)
                    return true
                },
                hear: { message in
                    if case .element(let fields) = message.kind { levels.note(fields) }
                    return true
                })
        } catch {
            if let failure = progress.current.failure { throw failure }
            try decoder.check()
            throw SoundExplanation(source: sound.name, target: target).failure(error)
        }
        if let failure = progress.current.failure { throw failure }
        frames = progress.current.frames
        guard frames > 0 else { throw SoundExplanation.damaged(sound.name) }
        spectrograms?.before.finish()
        spectrograms?.after.finish()
        return line.elapsed
    }

    /// Watches what goes into the effects and what comes out.
    private func watch(_ tap: Element, behind queue: Element) throws {
        let (progress, sound, curve) = (progress, sound, curve)
        let size = SoundDecoder.sampleSize * sound.channels
        let before = spectrograms.map { SpectrogramFeed($0.before) }
        let after = spectrograms.map { SpectrogramFeed($0.after) }
        let effect = curve == nil ? nil : try tap.child("effect")
        try tap.pad("sink").watch { pad, buffer in
            let isFirst = progress.current.frames == 0
            if isFirst, let curve, let effect, let origin = pad.streamTime(of: buffer) {
                do {
                    try effect.move("center-frequency", through: curve.points(from: origin))
                } catch {
                    progress.withLock { $0.failure = error }
                }
            }
            let count = UInt64(buffer.count / size)
            progress.withLock {
                $0.frames += count
                $0.count.note(sound.time(of: $0.frames), isFrame: false)
            }
            return .pass
        }
        guard let before, let after else { return }
        try queue.pad("sink").watch { _, buffer in
            before.take(buffer)
            return .pass
        }
        try tap.pad("src").watch { _, buffer in
            after.take(buffer)
            return .pass
        }
    }
}

/// Feeds a spectrogram on the one thread that its buffers come by.
private final class SpectrogramFeed: @unchecked Sendable {
    private let spectrogram: Spectrogram
    init(_ spectrogram: Spectrogram) { self.spectrogram = spectrogram }

    func take(_ buffer: Buffer) {
        // A demuxer's samples may begin at any byte.
        let samples = buffer.withBytes { bytes in
            let size = MemoryLayout<Float>.size
            return stride(from: 0, to: bytes.count / size * size, by: size).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: Float.self)
            }
        }
        samples?.withUnsafeBufferPointer { spectrogram.feed($0) }
    }
}
