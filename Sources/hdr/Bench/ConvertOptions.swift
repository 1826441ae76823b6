import HDRKernels

/// What `hdrbench convert` is asked to measure.
struct ConvertOptions {
    let conversions: [Conversion]
    let sets: [InstructionSet]
    let threads: [Int]
    let qualities: [String]
    /// `nil`: those of each conversion.
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

    init(_ line: some Sequence<String>) {
        let arguments = Arguments(
            line, flags: ["--json", "--list", Processes.childFlag],
            values: [
                "--cpu", "--threads", "--quality", "--tone", "--size", "--content", "--frames", "--starts",
                "--from", "--to", "--set",
            ])
        let names = arguments.words(called: "conversions", of: Conversion.all.map(\.name))
        let listed =
            names.isEmpty
            ? Conversion.all.filter(\.isDefault)
            : names.compactMap { name in Conversion.all.first { $0.name == name } }
        let variation = Variation(arguments)
        conversions = listed.map { $0.varied(by: variation) }
        self.variation = variation
        sets = Self.sets(arguments)
        threads = arguments.numbers("--threads", upTo: 256) ?? [1]
        qualities = arguments.names("--quality", of: Conversion.qualityNames) ?? ["balanced"]
        tones = arguments.names("--tone", of: Conversion.toneNames)
        (width, height) = Self.size(arguments.value("--size") ?? "3840x2160")
        let contents = Content.allCases.map(\.rawValue)
        let asked = arguments.value("--content") ?? "natural"
        guard let content = Content(rawValue: asked) else {
            fail("--content: \(asked) is none: there are \(contents.joined(separator: ", "))")
        }
        self.content = content
        frames = arguments.number("--frames", or: 24)
        starts = arguments.number("--starts", or: 5)
        wantsJSON = arguments.has("--json")
        wantsList = arguments.has("--list")
        isChild = arguments.has(Processes.childFlag)
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

    private static func sets(_ arguments: Arguments) -> [InstructionSet] {
        let supported = InstructionSet.supported
        // Each has several names, of which the first is shown.
        let asked = (arguments.value("--cpu") ?? InstructionSet.best.names[0]).split(separator: ",").map(String.init)
        if asked == ["all"] { return supported }
        let shown = supported.map { $0.names[0] }.joined(separator: ", ")
        var found: [InstructionSet] = []
        for name in asked {
            guard let set = InstructionSet(name: name) else {
                let known = InstructionSet.allCases.map { $0.names[0] }.joined(separator: ", ")
                fail("--cpu: \(name) is none: there are \(known)")
            }
            guard supported.contains(set) else { fail("--cpu: this machine cannot run \(name): it runs \(shown)") }
            if !found.contains(set) { found.append(set) }
        }
        guard !found.isEmpty else { fail("--cpu wants names: this machine runs \(shown)") }
        return found
    }

    private static func size(_ text: String) -> (Int, Int) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), (16...16384).contains(width),
            (16...16384).contains(height)
        else { fail("--size wants WIDTHxHEIGHT, 16x16 to 16384x16384, not \(text)") }
        return (width, height)
    }
}
