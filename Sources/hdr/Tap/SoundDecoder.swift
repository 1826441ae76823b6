import HDRConcurrency
import HDRPipeline

/// Decodes the first sound track of a file, without gaps.
final class SoundDecoder {
    /// The audio format of the whole command: hdrtap computes in double precision, and float loses nothing that was in
    /// the file.
    static let samples = "audio/x-raw,format=F32LE,layout=interleaved"
    /// Bytes of a sample of one channel.
    static let sampleSize = 4

    /// The element where the sound comes out.
    let last: Element
    private let found = Locked<(kind: String?, failure: Failure?)>((nil, nil))
    private var connections: [SignalConnection] = []

    /// The launch line for the elements that are built here.
    static func line(_ file: FileName) -> [LaunchElement] {
        [
            LaunchElement("filesrc", ("location", file)), LaunchElement("decodebin"), LaunchElement("audioconvert"),
            LaunchElement("audiorate"), .format(samples),
        ]
    }

    init(_ sound: SoundFile, in pipeline: Pipeline) throws {
        let reader = try Element(make: "filesrc", ["location": sound.file])
        let decoder = try Element(make: "decodebin", ["caps": "audio/x-raw", "expose-all-streams": false])
        try pipeline.add(reader, decoder)
        if !sound.edits.patches.isEmpty { try reader.pad("src").patch(sound.edits.patches) }
        let chain = [
            try Element(make: "audioconvert"), try Element(make: "audiorate"),
            try Element(make: "capsfilter", ["caps": Self.samples]),
        ]
        try pipeline.add(chain)
        last = chain[2]
        let entry = try chain[0].pad("sink")
        let (found, name) = (found, sound.name)
        let pads = Locked<[Pad]>([])
        connections = [
            try decoder.on("pad-added") { arguments in
                guard let pad = arguments[0, as: Pad.self], pad.accepts("audio/x-raw") else { return }
                pads.withLock { $0.append(pad) }
            },
            // All pads are there and none has data yet. GStreamer offers them in any order.
            try decoder.on("no-more-pads") { _ in
                let all = pads.current.map { (pad: $0, stream: $0.streamIdentifier ?? "") }
                guard let first = all.min(by: { $0.stream < $1.stream }) else {
                    found.withLock { $0.failure = SoundExplanation.noSound(name) }
                    return
                }
                do {
                    try first.pad.link(to: entry)
                } catch {
                    found.withLock { $0.failure = Failure("\(name) cannot be decoded: \(error)") }
                }
            },
            try pipeline["typefind"].on("have-type") { arguments in
                let kind = arguments[1, as: Structure.self]?.name
                found.withLock { $0.kind = kind }
            },
        ]
    }

    /// The kind of file, as GStreamer calls it, such as `audio/x-wav`; `nil` before it is known.
    var kind: String? { found.current.kind }

    /// The format of the sound; `nil` before it is known.
    var format: Structure? { (try? last.pad("src"))?.format }

    /// Throws what a callback has found.
    func check() throws(Failure) { if let failure = found.current.failure { throw failure } }
}

/// The progress of audio, in ns of its stream.
final class SoundClock: Sendable {
    private let end = Locked<UInt64>(0)

    var current: UInt64 { end.current }

    func note(_ pad: Pad, _ buffer: Buffer) {
        guard let time = pad.streamTime(of: buffer) else { return }
        let stop = time.plus(buffer.duration ?? 0)
        end.withLock { $0 = max($0, stop) }
    }
}
