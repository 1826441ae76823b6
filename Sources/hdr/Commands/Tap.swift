import HDRPipeline

/// `hdr tap`: the sound of files through effects.
enum TapSoundCommand: Command {
    static let name = "tap"
    static let summary = "processes the sound of files with effects of hdrtap, or with a band-pass that sweeps over it"
    /// Names of files.
    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: ["hdr tap [OPTION ...] INPUT ... [-o OUTPUT]", "hdr tap --sweep --demo"],
        about: """
            Processes the sound of files with effects of the element hdrtap, and writes or plays the result. INPUT is a
            sound file, or a video, whose first sound track is taken, or a folder of them.
            """,
        groups: [
            .init(title: "What is done:", options: TapSettings.options),
            .init(title: "What is taken:", options: TapSettings.partOptions),
            .init(title: "What is written:", options: TapSettings.outputOptions),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Effects on sound and their properties: gst-inspect-1.0 hdrtap. With the effect meter the levels are printed.

            hdr tap --effect gain,gain=-6 speech.wav                writes speech-gain.wav
            hdr tap --sweep music.flac                              writes music-sweep.wav and music-sweep.png
            hdr tap --from 1:00 --to 1:30 --play film.mkv           plays half a minute through a band-pass
            hdr tap --effect meter,loudness=true --json album/ -o out/

            An output is there only when it is whole. Of several inputs, one that fails does not stop the others.

            Exit status: 0 done; 1 an error, which one line says; 2 the command line is wrong; 128 and the signal's
            number: interrupted.
            """)

    static func run(_ options: Options) async throws -> CInt {
        let settings = try TapSettings(options)
        guard !options.words.isEmpty || options.has("--demo") else {
            throw UsageError("name a sound or video file, or take --demo")
        }
        guard options.words.isEmpty || !options.has("--demo") else {
            throw UsageError("--demo is in place of '\(options.words[0].text)': leave one of them out")
        }
        Output.keepErrors()
        Interruption.watch()
        if settings.plays, !settings.isDry { try SoundTarget.checkSpeakers() }
        // The file of the music goes with this object.
        let demo = options.has("--demo") ? try DemoMusic() : nil
        let pairs: [(input: FileName, output: FileName?)]
        if let demo {
            if !settings.isSilent { Output.report("hdr tap: note: music made by this command") }
            pairs = try Self.pairs(Inputs([demo.sound.file]), options, settings) { _ in demo.sound.stem }
        } else {
            let inputs = try Inputs(options.words, endings: TapJob.endings, kind: "sound or video files")
            if inputs.areSeveral, settings.picture != nil {
                throw UsageError("--picture names one file: leave it out with several inputs")
            }
            pairs = try Self.pairs(inputs, options, settings) { $0.last.stem }
        }
        let strays = StrayWords(options)
        var objects: [JSON] = []
        var failures = 0
        for (index, pair) in pairs.enumerated() {
            do {
                // A wrong name is a better reason than anything about the output.
                try strays.check(pair.input)
                let sound = try demo?.sound ?? SoundFile.open(pair.input)
                let job = try TapJob(sound, to: pair.output, settings)
                let label = pairs.count > 1 ? "\(index + 1) of \(pairs.count): " : ""
                let report = try await perform(job, sound, settings, label: label)
                objects.append(report.json)
                if settings.isDry ? !settings.wantsJSON : !settings.isSilent { Output.write(report.text) }
            } catch {
                let isOver = error is Interruption
                objects += (isOver ? Array(pairs[index...]) : [pair]).map { TapReport.json($0.input, error) }
                // With a single input its reason is the whole error.
                if isOver || pairs.count == 1 {
                    if settings.wantsJSON { Output.write(JSON.array(of: objects.map(\.line))) }
                    throw error
                }
                failures += 1
                Output.report("hdr tap: \(Reason.text(error))")
            }
        }
        if settings.wantsJSON { Output.write(JSON.array(of: objects.map(\.line))) }
        if failures > 0 { Output.report("hdr tap: \(failures) of \(pairs.count) files failed") }
        return failures > 0 ? 1 : 0
    }

    /// The output of each input's audio; none where it is played.
    /// - Parameter stem: makes the stem of an output's name from that of an input.
    private static func pairs(
        _ inputs: Inputs, _ options: Options, _ settings: TapSettings, stem: (FileName) -> FileName
    ) throws -> [(input: FileName, output: FileName?)] {
        guard !settings.plays else { return inputs.files.map { ($0, nil) } }
        return try inputs.outputs(options.file("--output")) { stem($0) + settings.suffix + ".wav" }
            .map { ($0.input, $0.output) }
    }

    private static func perform(
        _ job: TapJob, _ file: SoundFile, _ settings: TapSettings, label: String
    ) async throws -> TapReport {
        var sound = file
        // A guess must not decide what a part is, or how long a sweep takes.
        try await sound.probe(exactly: settings.sweep != nil || settings.start > 0)
        let run = try TapRun(sound, settings)
        if settings.isVerbose {
            Output.report(
                "hdr tap: \(sound.name): \(sound.rate) samples a second, channels: \(sound.channels), "
                    + Time.exact(sound.duration))
        }
        if let output = job.output { try SoundTarget.checkSize(of: output, sound, run.duration) }
        let final = job.output.map { SoundTarget.file($0, at: $0, of: sound) } ?? SoundTarget.speakers
        if settings.isVerbose, !settings.isDry { Output.writeError(run.line(final) + "\n") }
        guard !settings.isDry else {
            return TapReport(job: job, sound: sound, settings: settings, curve: run.curve, line: run.line(final))
        }
        if job.picture != nil { try LabelWriter.check() }
        let target = try job.output.map { name throws(Failure) in try OutputFile(name, prefix: "hdr-tap") }
        let drawing = try job.picture.map { name throws(Failure) in try OutputFile(name, prefix: "hdr-tap") }
        let picture = SweepPicture(run.curve)
        if drawing != nil { run.draw(picture.edges) }
        let last = target.map { SoundTarget.file($0.name, at: $0.path, of: sound) } ?? SoundTarget.speakers
        let elapsed = try await run.run(last, to: job.output, label: label)
        var failure: (any Error)?
        if let drawing {
            do { try picture.write(run, of: sound, settings, to: drawing) } catch { failure = error }
        }
        // Both files are published together, so an interruption before that leaves neither.
        try OutputFile.publish([target, failure == nil ? drawing : nil].compactMap { $0 })
        if let failure {
            throw job.output.map { Failure("\($0.shown) is complete, its picture is not: \(failure)") } ?? failure
        }
        return TapReport(
            job: job, sound: sound, settings: settings, curve: run.curve, levels: run.levels,
            position: sound.time(of: run.frames), elapsed: elapsed)
    }
}
