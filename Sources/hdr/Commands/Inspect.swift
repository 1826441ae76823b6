/// `hdr inspect`: reports the dynamic range of video files.
enum InspectCommand: Command {
    static let name = "inspect"
    static let summary = "reports what video files say of their dynamic range, and where they contradict themselves"

    static let subjects: [String]? = nil

    static let help = CommandHelp(
        usage: ["hdr inspect [OPTION ...] FILE..."],
        about: """
            Reports what video files say of their dynamic range: colour, HDR10, HDR10+ and Dolby Vision metadata of the
            container and of the bitstream, which of them counts, where they disagree, and what is missing. FILE may be
            a folder, which stands for the videos in it.
            """,
        groups: [
            .init(options: [
                .flag("--json", help: "an array with one object for each file, in place of tables"),
                .value(
                    "--frames", "N",
                    help: """
                        access units to read of each video stream, 1 to 1000000 (default: one second, 60 at unknown
                        rates)
                        """),
                .flag(
                    "--dynamic-metadata",
                    help: "read all access units, and report levels of Dolby Vision and HDR10+ for each shot"),
                .value(
                    "--plot", "FILE",
                    help: """
                        draw level 1 of Dolby Vision and MaxSCL of HDR10+ over time as a PNG file; for one
                        file, of which all access units are read
                        """),
                .force,
                .value(
                    "--timeout", "N",
                    help: "seconds that a file may take, 1 to 3600 (default 20; 3600 where all access units are read)"),
                .flag(
                    "--quiet", "-q", help: "print nothing, or with --json only that; the exit status tells the result"),
                .versions,
                .flag("--dry-run", help: "list what would be inspected, and read none of it"), .noInstall,
                InspectOptions.childOption, InspectOptions.placeOption,
            ])
        ],
        notes: """
            Exit status: 0 HDR video in every file; 1 a file has SDR video only; 2 a file cannot be read or has no
            video, or the command line is wrong; 128 and the signal's number: interrupted. Of several files the highest
            status counts. A file is HDR where any of its video streams is: AVFoundation's containsHDRVideo. Colours are
            left out where NO_COLOR is set or the output is no terminal.

            The colour that counts is the container's where it says something, and the bitstream's for the rest.

            JSON, all names stable, what is unknown null:
              file, container, size-bytes, duration-seconds, contains-hdr-video, video, audio, findings; error in place
              of all but file where the file cannot be read
              video:  index, enabled, main (the one that is exported and played: the first enabled one that is a
                      picture by itself), enhancement-layer (Dolby Vision's), codec, codec-tag, profile, level,
                      width-pixels, height-pixels, display-width-pixels, display-height-pixels, rotation-degrees
                      (clockwise), mirrored (left to right, before it is turned), pixel-aspect-ratio,
                      frames-per-second, frame-rate-constant (false: that is the average),
                      bit-depth-bits, chroma-format, contains-hdr-video, dynamic-range (SDR, HLG, HDR10, PQ or none:
                      what displays without dynamic metadata get), hdr-formats, color, mastering-display,
                      content-light-level, ambient-viewing (these four with container, bitstream and effective),
                      dolby-vision, st2094-50, frames-read, frames-with-hdr10-plus, frames-with-dolby-vision,
                      frames-with-st2094-50, findings
              color:  primaries, transfer, matrix with -code of ITU-T H.273, full-range, chroma-location
              mastering-display: gamut, red, green, blue, white (CIE x, y), peak-cd-m2, black-cd-m2
              content-light-level: max-cll-cd-m2, max-fall-cd-m2    ambient-viewing: illuminance-lux, light (CIE x, y)
              dolby-vision: profile, compatibility, level, name, base-layer, announced-by-container
              st2094-50: reference-white-cd-m2, baseline-headroom-stops (of the picture; null: no tone map),
                      alternate-headrooms-stops (null: those that the reference white implies)
              dynamic-metadata, with --dynamic-metadata alone: pictures, pictures-with-dolby-vision,
                      pictures-with-hdr10-plus, shots-by (flag: scene_refresh_flag; runs of the same metadata; jumps of
                      the average), shots: first-picture, pictures, seconds, level1 (minimum, maximum and average, each
                      -pq, a code of 0 to 4095, and -cd-m2), levels (the other blocks, in dovi_tool's JSON), hdr10-plus
                      (maxscl-cd-m2, average-maxrgb-cd-m2, first-picture: its entry in hdr10plus_tool's JSON)
              audio:  index, codec, channels, sample-rate-hz, bit-rate-bits-per-second, language
              findings: kind (disagreement, defect, missing, note), code, text
            """)

    static let errorStatus: CInt = 2

    static func json(_ options: Options, failed reason: String) -> JSON { failures(options, "file", reason) }

    static func run(_ options: Options) async throws -> CInt {
        var asked = try InspectOptions(options)
        if let plot = asked.plot, asked.job == nil {
            do {
                try OutputFile.check(
                    plot, endings: [".png"], inputs: asked.paths.map(\.fileName), force: asked.replacesPlot)
            } catch { throw UsageError(Reason.text(error)) }
        }
        if let job = asked.job {
            await Worker(asked, isColored: job.isColored).serve(from: job.first)
        }
        if asked.isVerbose { Output.report("hdr inspect: \(Checkup.versions)") }
        Interruption.watch()
        if asked.isDry { return rehearse(asked) }
        // The file that takes the plot's place belongs to this process, which knows of an interruption in any case.
        let drawing = try asked.plot.map { name throws(Failure) in try OutputFile(name, prefix: "inspect") }
        asked.plotPlace = drawing?.path
        var status: CInt = 0
        var objects: [String] = []
        try await Supervisor(asked, isColored: Style.ofStandardOutput.isColored).run { index, record in
            status = max(status, record.status)
            if !record.error.isEmpty, !asked.isQuiet { Output.report(record.error) }
            if asked.isJSON {
                objects.append(record.text)
            } else if !record.text.isEmpty, !asked.isQuiet {
                Output.write((index > 0 ? "\n" : "") + record.text)
            }
        }
        if status < errorStatus { try drawing?.publish() }
        if asked.isJSON { Output.write(JSON.array(of: objects)) }
        return status
    }

    /// Lists what would be inspected.
    private static func rehearse(_ asked: InspectOptions) -> CInt {
        var status: CInt = 0
        var objects: [JSON] = []
        for path in asked.paths {
            let name = ("file", JSON.string(path.name))
            do throws(Failure) {
                _ = try InputFile(path)
                let plan = path.fileName.shown + (asked.plot.map { ", and a plot in \($0.shown)" } ?? "")
                objects.append(.object([name, ("plan", .array([.string(plan)]))]))
                if !asked.isJSON, !asked.isQuiet { Output.write(plan + "\n") }
            } catch {
                status = errorStatus
                objects.append(.object([name, ("error", .string(error.description))]))
                if !asked.isQuiet { Output.report("hdr inspect: \(path.name): \(error)") }
            }
        }
        if asked.isJSON { Output.write(JSON.array(of: objects.map(\.line))) }
        return status
    }
}
