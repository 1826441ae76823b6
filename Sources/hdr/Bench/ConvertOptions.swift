import HDRKernels

/// The options of `hdr bench convert`.
struct ConvertOptions {
    let conversions: [Conversion]
    let sets: [InstructionSet]
    let threads: [Int]
    let qualities: [String]
    /// The tone curves to measure; `nil` for those of each conversion.
    let tones: [String]?
    let variation: Variation
    let width: Int
    let height: Int
    let content: Content
    /// Frames of each subject and process.
    let frames: Int
    let starts: Int
    let wantsJSON: Bool
    /// Whether this process measures for another one.
    let isChild: Bool
    let wantsList: Bool

    static let known: [Option] = [
        .flag("--list", help: "list the conversions and the instruction sets of this machine, and measure nothing"),
        .value("--cpu", "LIST", help: "instruction sets: baseline, v3, v4 or all (default: the best of this machine)"),
        .value("--threads", "LIST", help: "values of n-threads for hdrconvert and videoconvert (default 1)"),
        .value(
            "--quality", "LIST",
            help: "values of hdrconvert's quality: fast, balanced, reference or all (default balanced)"),
        .value(
            "--tone", "LIST",
            help: """
                tone curves, for conversions that use one (see --list): auto (hdrconvert's defaults), or a curve's name
                (with gamut-mapping=clip and peak-detection=off)
                """),
        .value(
            "--from", "FORMAT",
            help: "pixel format of the source by GStreamer's name, in place of the conversions' own"),
        .value("--to", "FORMAT", help: "pixel format of the target, in place of the conversions' own"),
        .value(
            "--set", "PROPERTIES",
            help: "properties of hdrconvert as on a launch line: \"tone-mapping-domain=ictcp gamut-mapping=softclip\""),
        .value("--size", "WxH", help: "size of the frames (default 3840x2160)"),
        .value(
            "--content", "WHAT", help: "content of the frames: natural (default), random or flat",
            choices: Content.allCases.map(\.rawValue)),
        .value("--frames", "N", help: "frames for each subject and process (default 24); slow subjects get fewer"),
    ]

    init(_ options: Options) throws(UsageError) {
        try options.allow(only: Self.known + BenchCommand.common, for: "convert")
        let names = try Options.names(
            Array(options.words.dropFirst()), kind: "conversion", of: Conversion.all.map(\.name))
        let listed =
            names.isEmpty
            ? Conversion.all.filter(\.isDefault)
            : names.compactMap { name in Conversion.all.first { $0.name == name } }
        let variation = try Variation(options)
        conversions = listed.map { $0.varied(by: variation) }
        self.variation = variation
        sets = try Self.sets(options)
        threads = try options.integers("--threads", in: 1...256) ?? [1]
        qualities = try options.names("--quality", kind: "quality", of: Conversion.qualityNames) ?? ["balanced"]
        tones = try options.names("--tone", kind: "tone curve", of: Conversion.toneNames)
        (width, height) = try Self.size(options.value("--size") ?? "3840x2160")
        let asked = options.value("--content") ?? "natural"
        guard let content = Content(rawValue: asked) else {
            throw UsageError(no: "content", called: asked, among: Content.allCases.map(\.rawValue))
        }
        self.content = content
        frames = try options.integer("--frames") ?? 24
        starts = try options.integer("--starts") ?? 5
        wantsJSON = options.has("--json")
        wantsList = options.has("--list")
        isChild = options.has(ChildMeasurement.option.names[0])
    }

    /// The command line of a process that measures the same.
    var childArguments: [String] {
        var words = ["convert"] + conversions.map(\.name)
        words += ["--threads", threads.map(String.init).joined(separator: ",")]
        words += ["--quality", qualities.joined(separator: ",")]
        if let tones { words += ["--tone", tones.joined(separator: ",")] }
        words += variation.words
        return words + ["--size", "\(width)x\(height)", "--content", content.rawValue, "--frames", "\(frames)"]
    }

    static func sets(_ options: Options) throws(UsageError) -> [InstructionSet] {
        let supported = InstructionSet.supported
        // Messages show the first of an instruction set's names.
        let asked = (options.value("--cpu") ?? InstructionSet.best.names[0]).split(separator: ",").map(String.init)
        if asked == ["all"] { return supported }
        let shown = supported.map { $0.names[0] }.joined(separator: ", ")
        var found: [InstructionSet] = []
        for name in asked {
            guard let set = InstructionSet(name: name) else {
                throw UsageError(
                    no: "instruction set", called: name, among: InstructionSet.allCases.map { $0.names[0] })
            }
            guard supported.contains(set) else {
                throw UsageError("--cpu: this machine cannot run \(name): it runs \(shown)")
            }
            if !found.contains(set) { found.append(set) }
        }
        guard !found.isEmpty else { throw UsageError("--cpu wants names: this machine runs \(shown)") }
        return found
    }

    static func size(_ text: String) throws(UsageError) -> (Int, Int) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), (16...16384).contains(width),
            (16...16384).contains(height)
        else { throw UsageError("--size wants WIDTHxHEIGHT, 16x16 to 16384x16384, not '\(text)'") }
        return (width, height)
    }
}
