import HDRPipeline

/// The options of `hdr tap`.
struct TapSettings {
    /// The course of a sweep.
    struct Sweep {
        /// The frequencies in Hz; without an end the sweep goes as high as the audio allows.
        let start: Double
        let end: Double?
        /// The bandwidth in cents.
        let bandwidth: Double
    }

    let effects: EffectChain
    let sweep: Sweep?
    /// The part of the input, in ns; no end is that of the sound.
    let start: UInt64
    let end: UInt64?
    let plays: Bool
    /// The file of the picture; `nil` for none, or for one beside the output where `drawsBeside` is set.
    let picture: FileName?
    let drawsBeside: Bool
    let isForced: Bool
    let isQuiet: Bool
    let isVerbose: Bool
    let wantsJSON: Bool
    let isDry: Bool

    static let options: [Option] = [
        .value(
            "--effect", "NAME",
            help: "effects with properties: bandpass,bandwidth=300,gain,gain=-6 (default bandpass)"),
        .flag("--sweep", help: "moves the centre of a band-pass through the frequencies, and draws a picture"),
        .value("--sweep-from", "HZ", help: "centre frequency at the start (default 20)"),
        .value(
            "--sweep-to", "HZ",
            help: "centre frequency at the end (default 20000, less for sample rates below 44100);\n"
                + "lower than --sweep-from to sweep downwards"),
        .value("--bandwidth", "CENTS", help: "width of the band, 100 to 12000 (default 600, which is half an octave)"),
    ]

    static let partOptions: [Option] = [
        .from, .to,
        .value("--duration", "SECONDS", help: "length of the part to take, in place of --to"),
        .flag("--demo", help: "takes chords and drums that this command makes itself, in place of INPUT"),
    ]

    static let outputOptions: [Option] = [
        Option(
            names: ["--output", "-o"], value: "OUTPUT",
            help: "the file to write: .wav or .flac (24 bits), .ogg (Vorbis) or .m4a (AAC), or a folder\n"
                + "(default NAME-EFFECT.wav, NAME-sweep.wav, in the current folder)"),
        .flag("--play", help: "plays instead of writing"),
        .value(
            "--picture", "FILE",
            help: "the PNG file with the spectrograms before and after; with --sweep\n"
                + "one is written beside the output by default"),
        .flag("--no-picture", help: "draws nothing"),
    ]

    /// The maximum of --duration, in seconds.
    private static let longest = 1e6
    /// The default bandwidth in cents.
    private static let defaultBandwidth = 600.0

    init(_ options: Options) throws {
        func exclude(_ first: String, _ second: String) throws(UsageError) {
            func isGiven(_ name: String) -> Bool { options.has(name) || options.value(name) != nil }
            if isGiven(first), isGiven(second) { throw UsageError("\(first) and \(second) exclude each other") }
        }
        try exclude("--play", "--output")
        try exclude("--picture", "--no-picture")
        try exclude("--to", "--duration")
        // Errors that do not depend on the element come first, since they do not need the plugin.
        let range = try TimeRange(options)
        let length = try options.number("--duration", in: 0.1...Self.longest, unit: "seconds")
        let start = range.start ?? 0
        self.start = start
        end = range.end ?? length.map { start + UInt64(($0 * 1e9).rounded()) }
        (effects, sweep) = try Self.effects(options)
        plays = options.has("--play")
        picture = options.file("--picture")
        drawsBeside = sweep != nil && !plays && picture == nil && !options.has("--no-picture")
        isForced = options.has("--force")
        isVerbose = options.has("--verbose")
        wantsJSON = options.has("--json")
        isQuiet = options.has("--quiet")
        isDry = options.has("--dry-run")
    }

    /// The requested effects, and the curve of a sweep.
    private static func effects(_ options: Options) throws -> (EffectChain, Sweep?) {
        let known = try EffectChain.known()
        func number(_ option: String, _ property: String, _ unit: String) throws -> Double? {
            let range = EffectChain.range(of: property, "bandpass", known)
            return try options.number(option, in: range ?? 0...Double(Int32.max), unit: unit)
        }
        var effects = try EffectChain(options.value("--effect") ?? "bandpass", known: known)
        let start = try number("--sweep-from", "center-frequency", "Hz")
        let end = try number("--sweep-to", "center-frequency", "Hz")
        let width = try number("--bandwidth", "bandwidth", "cents")
        if let width {
            guard effects.add("bandwidth", width.plain, to: "bandpass") else {
                throw UsageError("--bandwidth belongs to the effect bandpass")
            }
        }
        var sweep: Sweep?
        if options.has("--sweep") {
            guard let effect = effects.effects.first, effects.names == ["bandpass"] else {
                let names = effects.names.joined(separator: ",")
                throw UsageError("--sweep moves the effect bandpass: leave out --effect \(names)")
            }
            guard !effect.fields.contains(where: { $0.name == "center-frequency" }) else {
                throw UsageError("--sweep moves the centre: give --sweep-from and --sweep-to for center-frequency")
            }
            let own = effect.fields.last { $0.name == "bandwidth" }.flatMap { Double($0.value) }
            sweep = Sweep(start: start ?? 20, end: end, bandwidth: own ?? defaultBandwidth)
        } else if let name = ["--sweep-from", "--sweep-to"].first(where: { options.value($0) != nil }) {
            throw UsageError("\(name) belongs to --sweep: add that")
        }
        // A value that is no number shows only when it is set.
        _ = try effects.make()
        return (effects, sweep)
    }

    /// Whether nothing is to be printed while it works.
    var isSilent: Bool { isQuiet || wantsJSON }

    /// The suffix of the outputs' names.
    var suffix: String { "-" + (sweep != nil ? "sweep" : effects.names.joined(separator: "-")) }
}
