import HDRExport
import HDRPipeline

/// `hdr export`: files by a preset or settings.
enum ExportCommand: Command {
    static let name = "export"
    static let summary =
        "exports video by a preset: HEVC, ProRes or H.264, with the same HDR metadata in stream and file"

    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: [
            "hdr export [OPTION ...] INPUT... [-o OUTPUT]", "hdr export --list [INPUT] [--file-type TYPE] [--json]",
        ],
        about: """
            Exports a video with all its sound through the element hdrmux-settings, as AVAssetExportSession does: HEVC
            and ProRes presets keep the source's dynamic range and its HDR metadata, in the stream and in the file's
            header alike; H.264 presets convert to SDR. No frame is added or dropped, and each keeps its time. At the
            end it says what the file holds. INPUT is a video file, such as MOV, MP4, Matroska, MPEG-TS or Y4M, or a
            folder of such. Without OUTPUT, a file in the current folder is named after input and preset.
            """,
        groups: [
            .init(options: [
                .output,
                .value(
                    "--preset", "PRESET",
                    help: """
                        hevc-highest-quality (default), hevc-1920x1080, h264-1280x720, prores-422, passthrough and
                        others (see --list), or AVFoundation's names, such as AVAssetExportPresetHEVCHighestQuality.
                        Pictures are never enlarged. passthrough copies the streams, m4a exports the sound alone
                        """,
                    choices: ExportPreset.allCases.map(\.rawValue)),
                .presetFile,
                .flag("--list", help: "list the presets that are possible, and what each makes of INPUT"),
                .fileType, .from, .to, .assume,
            ]),
            .init(
                title: "HDR metadata:",
                options: [
                    .value(
                        "--mastering-display", "MDCV",
                        help: """
                            mastering display (MDCV) to write: Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min, CIE x and y in units
                            of 0.00002, luminance in units of 0.0001 cd/m2; default: the source's
                            """),
                    .value(
                        "--light-levels", "LEVELS",
                        help: """
                            MaxCLL:MaxFALL to write, in cd/m2; or auto: measured during the export, and therefore
                            written into the file's header only, not into the stream; default: the source's
                            """),
                    .flag(
                        "--two-pass",
                        help: """
                            measure in a first pass: each scene that is tone-mapped gets the curve for its own light
                            from its first frame to its last, and PQ gets its light levels in stream and header
                            """),
                    .flag(
                        "--two-pass-light-levels",
                        help: "as --two-pass, but fail where there are no light levels: with HLG, SDR and black"),
                    .dynamicMetadata, .noHDRMetadata,
                ]),
            .init(title: "Encoding:", options: [.settings, .speed, .encoder, .software, .optimizeForNetwork]),
            .init(title: "All:", options: Option.ofWriters),
        ],
        notes: """
            Examples:
              hdr export holiday.mov                             holiday-hevc-highest-quality.mov
              hdr export --preset prores-422 in.mkv -o master.mov
              hdr export --preset h264-1280x720 --two-pass *.mov -o shared/
              hdr export in.mp4 -o part.mp4 --from 1:02 --to 1:10.5

            JSON, an array with an object for each file: input, output, preset, frames, seconds, sound (a list), plan (a
            list), notes (a list); error in place of all but input where it failed. With --dry-run without frames and
            seconds.

            Exit status: 0 exported; 1 an error, which one line on standard error explains, of the file or of one of
            several; 2 the command line is wrong, a preset or an encoder that there is not and an ending that an output
            may not have among it; 128 and the signal's number where it was interrupted. An output is there only when it
            is whole.
            """)

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        if options.has("--list") { return try await list(options) }
        if options.has("--two-pass-light-levels"), options.value("--light-levels") != nil {
            throw UsageError("--two-pass-light-levels and --light-levels exclude each other")
        }
        let asked = try ExportOptions(options)
        return try await export(options, asked, title: "hdr export", deed: "exported") { input in
            input.last.stem + "-" + asked.title + asked.ending(for: input)
        }
    }

    /// Exports the inputs that the words of a command line name.
    /// - Parameters:
    ///   - title: the command's name for messages.
    ///   - deed: the verb for what is done to an input.
    ///   - derive: makes the name of an output, without a folder, from that of an input.
    static func export(
        _ options: Options, _ asked: ExportOptions, title: String, deed: String, derive: (FileName) -> FileName
    ) async throws -> CInt {
        let range = try TimeRange(options)
        let assumed = try options.choice(.assume)
        let batch = try Batch(options, title: title, deed: deed, derive: derive)
        func job(_ input: FileName, _ output: FileName, _ isQuiet: Bool) -> ExportJob {
            ExportJob(
                input: input, output: output, options: asked, assumed: assumed, range: range,
                measuresFirst: options.has("--two-pass") || options.has("--two-pass-light-levels"),
                wantsLevels: options.has("--two-pass-light-levels"),
                hasLevels: options.value("--light-levels") != nil, isQuiet: isQuiet)
        }
        return try await batch.run(
            check: { input, output in
                // A wrong preset or name is a better reason than anything about the output.
                let fileType = try asked.fileType(of: output)
                try asked.check(fileType)
                try InputCheck.check(input)
                try OutputFile.check(
                    output, endings: asked.fileType == nil ? ExportOptions.endings : [], inputs: [input],
                    force: options.has("--force"))
                var plan = "\(input.shown) to \(output.shown): preset \(asked.title), file type \(fileType)"
                if options.has("--two-pass") || options.has("--two-pass-light-levels") { plan += ", in two passes" }
                return plan
            },
            plan: { input, output in try await job(input, output, batch.isSilent).plan() },
            work: { input, output in
                let result = try await job(input, output, batch.isSilent).run()
                return ExportSummary(
                    input: input, output: output, what: asked.title, report: result.outcome.report,
                    count: result.outcome.count, elapsed: result.elapsed, sound: result.outcome.sound)
            })
    }

    private static func list(_ options: Options) async throws -> CInt {
        if options.words.count > 1 {
            throw UsageError("there is no use for '\(options.words[1].text)': --list takes one")
        }
        let fileType = try options.fileType() ?? "mov"
        var list: PresetList
        if let file = options.words.first?.file {
            Interruption.watch()
            try InputCheck.check(file)
            let assumed = try options.choice(.assume)
            let decoded = try await FileProbe(file, assumed: assumed)
            guard let video = decoded.video else {
                throw Failure("\(file.shown) has no video track: give a file with HDR video")
            }
            let coded = try await FileProbe(file, assumed: assumed, isDecoded: false).video
            list = try PresetList(
                fileType: fileType, raw: "\(video)", coded: coded.map { "\($0)" }, hasSound: !decoded.info.sound.isEmpty
            )
        } else {
            list = try PresetList(fileType: fileType, raw: nil, coded: nil, hasSound: true)
        }
        for preset in try UserPresets(options.file("--preset-file")).presets {
            let more = preset.settings.map { ", \($0.key)=\($0.value)" }.joined()
            let speed = preset.speed.map { ", speed \($0)" } ?? ""
            list.rows.append((preset.name, "your own: \(preset.base)\(speed)\(more)"))
        }
        if options.has("--json") {
            Output.write(list.json)
        } else {
            Output.write(list.text)
        }
        return 0
    }
}
