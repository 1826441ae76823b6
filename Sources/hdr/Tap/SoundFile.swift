import HDRContainer
import HDRPipeline

/// A file with sound, and what is known of that.
struct SoundFile {
    /// The file to read.
    let file: FileName
    /// The name for messages.
    let name: String
    /// The stem of the outputs' names.
    let stem: FileName
    /// Whether this command has made the file, so that it has no name of its own.
    let isMade: Bool
    /// Bytes to read in place of the file's own, and how long the file is then still, in ns.
    private(set) var edits: (patches: [MovieEdits.Patch], duration: UInt64?) = ([], nil)
    /// Samples a second, and channels.
    private(set) var rate = 0
    private(set) var channels = 0
    /// The duration in ns.
    private(set) var duration: UInt64 = 0

    /// Files whose header gives the length. That of others, such as MP3, is a guess, so they are decoded to learn it.
    private static let withLength = [
        "audio/x-wav", "audio/x-flac", "audio/x-aiff", "audio/x-caf", "audio/x-m4a", "audio/ogg", "application/ogg",
        "video/quicktime", "audio/webm", "video/webm", "audio/x-matroska", "video/x-matroska",
    ]

    init(_ file: FileName, name: String? = nil, stem: FileName? = nil, isMade: Bool = false) {
        self.file = file
        self.name = name ?? file.shown
        self.stem = stem ?? file.last.stem
        self.isMade = isMade
    }

    // MARK: Checks

    /// Checks that a file can be read and is whole.
    static func open(_ file: FileName) throws -> SoundFile {
        let name = file.shown
        try InputCheck.check(file, "a sound or video file")
        let bytes: InputFile
        do {
            bytes = try InputFile(file.withPointer { InputPath($0) })
        } catch {
            throw Failure("\(name) \(error.description)")
        }
        let defect: FileDefect?
        do {
            defect = try FileDefect.find(in: bytes)
        } catch {
            throw Failure("cannot read \(name): \(error)")
        }
        switch defect {
        case .truncated: throw Failure("\(name) is truncated, its end is missing: copy it again from its origin")
        case .headless:
            throw Failure(
                "\(name) has no index (moov), its recording or copy was cut short: copy it again from its origin")
        case nil: break
        }
        var sound = SoundFile(file)
        // A header that contradicts itself is left as it is: GStreamer judges it.
        if let container = try? ContainerInspection(bytes),
            let edits = try? MovieEdits(bytes, container, limit: ContainerInspection.defaultLimit)
        {
            sound.edits = (edits.patches, edits.patches.isEmpty ? nil : container.duration)
        }
        return sound
    }

    // MARK: What the sound is

    /// Fills in the data of the file's header and of its first decoded samples.
    /// - Parameter exactly: whether the duration has to be that of the audio, for which a file is decoded where its
    ///   header does not state it.
    mutating func probe(exactly: Bool) async throws {
        let pipeline = Pipeline()
        let decoder = try SoundDecoder(self, in: pipeline)
        let sink = try Element(make: "fakesink", ["sync": false])
        try pipeline.add(sink)
        try decoder.last.link(to: sink)
        let end = SoundClock()
        try decoder.last.pad("src").watch { pad, buffer in
            end.note(pad, buffer)
            return .pass
        }
        var isMissing = false
        var known: UInt64?
        // The format is no longer available once the pipeline has stopped.
        var format: Structure?
        func isKnown() -> Bool {
            guard end.current > 0 else { return false }
            format = format ?? decoder.format
            if known == nil, !exactly || Self.withLength.contains(decoder.kind ?? "") {
                known = edits.duration ?? pipeline.duration
            }
            return known != nil
        }
        do {
            try await Run.play(
                pipeline,
                tick: {
                    try decoder.check()
                    return !isKnown()
                },
                hear: { message in
                    if case .element(let fields) = message.kind, fields.name == "missing-plugin" { isMissing = true }
                    // At the first samples the pipeline reports that it is ready.
                    return !isKnown()
                })
        } catch {
            try decoder.check()
            // A video's track is known to the header; with nothing to play in it, the decoder's error is a general one.
            if error is PipelineError, let kind = decoder.kind, !isMissing,
                kind.hasPrefix("video/") || kind.hasPrefix("image/")
            {
                throw SoundExplanation.noSound(name)
            }
            throw SoundExplanation(source: name).failure(error)
        }
        try decoder.check()
        guard end.current > 0, let format, let rate = format["rate", as: Int.self],
            let channels = format["channels", as: Int.self], rate > 0, channels > 0
        else { throw SoundExplanation.damaged(name) }
        (self.rate, self.channels, duration) = (rate, channels, known ?? end.current)
    }

    /// The number of frames in a time in ns, rounded.
    func frames(in time: UInt64) -> UInt64 {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: Time.second)
        return seconds &* UInt64(rate) &+ (rest &* UInt64(rate) &+ Time.second / 2) / Time.second
    }

    /// The duration of a number of frames, in ns.
    func time(of frames: UInt64) -> UInt64 {
        guard rate > 0 else { return 0 }
        let (seconds, rest) = frames.quotientAndRemainder(dividingBy: UInt64(rate))
        return seconds &* Time.second &+ rest &* Time.second / UInt64(rate)
    }
}
