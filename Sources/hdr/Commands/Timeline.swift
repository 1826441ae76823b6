import HDRExport

/// `hdr timeline`: an edit list, played or made into a file.
enum TimelineCommand: Command {
    static let name = "timeline"
    static let summary = "edits by a list: parts of clips, transitions and titles, previewed or written into one file"

    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: [
            "hdr timeline [OPTION ...] STATEMENT... [-o OUTPUT]", "hdr timeline [OPTION ...] EDITLIST [-o OUTPUT]",
        ],
        about: """
            Puts parts of clips of any dynamic range, size and frame rate one after another, with transitions and titles
            that are blended in linear light, and writes one file, or plays the result where no OUTPUT is named. It is
            HLG if one clip is HLG, else PQ if one is PQ, else SDR; white of SDR and of titles is reference white (203
            cd/m2). Cuts are exact to the frame of the timeline, and to the sample of the sound.

            STATEMENTs follow one another, optionally with + between them:
              FILE, or clip FILE [from=TIME] [to=TIME | for=TIME]
                                   a video, or a part of it; a PNG or JPEG picture, for 5s by default
              gap TIME             black without sound
              dissolve TIME        from the clip before it to the one after it, which overlap for TIME; at the ends of
                                   the timeline, from black and to black. The same holds for wipe and push
              wipe SHAPE TIME [softness=0..1] [reverse=yes] [map=FILE]
                                   SHAPE: bar-left, bar-right, bar-up, bar-down, diagonal, iris, diamond, clock,
                                   barn-door, or map: a greyscale picture, of which dark parts come first
              push DIRECTION TIME  to left, right, up or down
              dip-to-black TIME, dip-to-white TIME
                                   half of TIME at the end of the clip before it, half at the start of the next
              title TEXT [at=TIME] [for=TIME] [size=8] [position=center|lower|upper] [fade=TIME]
                                   at a time of the timeline (default 0s), for 3s; size in percent of the height
            TIME is 2, 1.5s, 500ms or 1:02:03.5. An EDITLIST is a file with the same statements, one or more a line, #
            before comments, whose name ends in .edl or .timeline; or a timeline of OpenTimelineIO (.otio) with one
            track of clips, gaps and transitions. Names in it are relative to its folder.
            """,
        groups: [
            .init(options: [
                .outputFile,
                .value(
                    "--preset", "PRESET",
                    help: "export preset (see hdr export --list); default hevc-highest-quality. H.264 presets make SDR",
                    choices: ExportPreset.allCases.filter(\.encodesPictures).map(\.rawValue)),
                .value(
                    "--rate", "RATE",
                    help: "frames per second, as 25, 24000/1001 or 29.97; default: the highest rate of any clip"
                ),
                .value(
                    "--size", "SIZE",
                    help: """
                        size of the picture: that of the first (default) or largest clip, or WIDTHxHEIGHT; other clips
                        get black borders
                        """
                ),
                TimelineJob.rangeOption, TimelineJob.blendSpaceOption,
                .value("--from", "TIME", help: "begin at this time of the timeline; default: its start"),
                .value("--to", "TIME", help: "end at this time of the timeline; default: its end"),
                .assume, .presetFile, .fileType, .settings, .speed, .encoder, .software, .optimizeForNetwork,
                .dynamicMetadata, .noHDRMetadata,
            ]),
            .init(
                title: "Preview, without OUTPUT:",
                options: [
                    .presenter, .noAudio,
                ]),
            .init(
                title: "All:",
                options: [
                    .force, .quiet, .verbose, .json,
                    .flag(
                        "--dry-run",
                        help: "print the plan: what is shown when, and with OUTPUT what is encoded; write nothing"),
                    .noInstall,
                ]),
        ],
        notes: """
            Examples:
              hdr timeline a.mov b.mkv -o cut.mov
              hdr timeline a.mov from=1s to=3.5s + dissolve 1s + b.mkv + dissolve 2s -o film.mov
              hdr timeline film.edl
              hdr timeline film.edl --dry-run

            film.edl:
              clip a.mov from=1s to=3.5s
              wipe iris 1s softness=0.1
              clip b.mkv
              title "The title" at=2s for=3s fade=500ms

            Keys of the preview, in the terminal and in the window: space pauses, q ends.

            JSON, an array with one object: output (null for a preview), size, frame-rate, dynamic-range, frames,
            seconds, plan (a list of kind, what, first-frame, frames, start-seconds, and from-seconds: the time in the
            clip at which it begins, or null); with OUTPUT also preset, sound (a list), export-plan (a list), notes (a
            list); error in place of all but output where it failed.

            Exit status: 0 done; 1 an error, which one line on standard error explains; 2 the command line is wrong; 128
            and the signal's number where it was interrupted. OUTPUT is there only when it is whole.
            """)

    static func json(_ options: Options, failed reason: String) -> JSON {
        .array([.object([("output", .text(options.file("--output")?.shown)), ("error", .string(reason))])])
    }

    static func run(_ options: Options) async throws -> CInt {
        Output.keepErrors()
        try await TimelineJob(options).run()
        return 0
    }
}
