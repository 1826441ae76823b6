/// `hdr bench`: how fast the elements of this project are, beside GStreamer's own.
enum BenchCommand: Command {
    static let name = "bench"
    static let summary =
        "measures how fast hdrconvert, hdrtap and hdrcompositor are, beside GStreamer's own elements"

    static let subjects: [String]? = ["convert", "tap", "effects", "compose"]

    static let help = CommandHelp(
        usage: [
            "hdr bench convert [CONVERSION ...] [OPTION ...]", "hdr bench tap [--starts N] [--buffers N] [--json]",
            "hdr bench effects [CHAIN ...] [OPTION ...]", "hdr bench compose [OPTION ...]",
        ],
        about: "Measures the elements of this project beside GStreamer's own.",
        groups: [
            .init(
                title: "convert: hdrconvert, beside videoconvert on the same frames and memcpy of as many bytes",
                options: ConvertOptions.known),
            .init(
                title: "tap: hdrtap on stereo F32 at 48 kHz, 1024 frames a buffer, beside identity, audiochebband and "
                    + "equalizer-3bands",
                options: TapOptions.known),
            .init(
                title: "effects: hdrtap's effects on PQ video, beside hdrconvert on the same frames and GStreamer's "
                    + "nearest effects in 8 bits; a CHAIN is names with commas between them",
                options: EffectsOptions.known),
            .init(
                title:
                    "compose: hdrcompositor on PQ video, with one of a quarter of its area over it and in a dissolve, "
                    + "beside GStreamer's compositor in 10 and in 8 bits",
                options: CompositionOptions.known),
            .init(title: "all:", options: common),
        ],
        notes: """
            A LIST has commas between its members. Where the plugin is neither installed nor in ../plugins beside the
            command, GST_PLUGIN_PATH has to name the folder of libgsthdr.so.

            JSON, an array with an object for each row:
              convert  conversion, from, to, element, set, tone, quality, cpu, threads, width, height, content, fps,
                       fps-min, fps-max, ns-per-pixel, cpu-ms-per-frame, gb-per-s, times-videoconvert,
                       times-videoconvert-cpu (by processor time), spread-percent, spread-percent-cpu, starts
              convert --list
                       conversion, from, to, measured-by-default, tones, cpus
              tap      name, ns-per-buffer, over-identity (ns more than identity takes), times-real-time,
                       spread-percent, starts
              effects  name, cpu, cpu-ms-per-frame, over-pq-to-hlg, over-pq-to-sdr, over-sepia (ratios to the times of
                       these), spread-percent-cpu, starts
              compose  name, cpu, ms-per-frame, cpu-ms-per-frame, frames-per-second, spread-percent-cpu, starts
            What a row has not is null. Where it fails, one object with error.

            Exit status: 0, 1 where something cannot be measured, 2 where the command line is wrong, 128 and the
            signal's number where it was interrupted.
            """)

    static let common: [Option] = [
        .value("--starts", "N", help: "processes to start for each subject, of which the median counts (default 5)"),
        .flag("--json", help: "print JSON in place of a table"),
        ChildMeasurement.option,
    ]

    static func json(_ options: Options, failed reason: String) -> JSON {
        .array([.object([("error", .string(reason))])])
    }

    static func run(_ options: Options) throws -> CInt {
        if !options.has(ChildMeasurement.option.names[0]) { Interruption.watch() }
        guard let subject = options.words.first else {
            throw UsageError("say what to measure: convert, tap, effects or compose (--help says more)")
        }
        switch subject.text {
        case "convert": try BenchConvert(options: ConvertOptions(options)).run()
        case "tap": try BenchTap(options: TapOptions(options)).run()
        case "effects": try BenchEffects(options: EffectsOptions(options)).run()
        case "compose": try BenchCompose(options: CompositionOptions(options)).run()
        default: throw UsageError(no: "subject", called: subject.text, among: subjects ?? [])
        }
        return 0
    }
}
