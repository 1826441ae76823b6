import HDRPipeline

/// The options of `hdr inspect`.
struct InspectOptions {
    let isJSON: Bool
    let isQuiet: Bool
    let isVerbose: Bool
    let isDry: Bool
    /// Access units to read of each video stream; `nil` for those of one second.
    let frames: Int?
    /// Whether all access units are read for the metadata that change with the pictures.
    let wantsDynamicMetadata: Bool
    /// The file into which they are drawn; `nil` for none.
    let plot: FileName?
    let replacesPlot: Bool
    /// The file that is drawn into, which takes the place of the plot when all is well.
    var plotPlace: FileName?
    /// Seconds for a file.
    let limit: Int
    let paths: [InputPath]
    /// The task of a child process (see ``Supervisor``): the file to begin with, and whether its table is coloured.
    let job: (first: Int, isColored: Bool)?

    static let childOption = Option.value("--as-child", "FIRST")
    static let placeOption = Option.value("--plot-place", "FILE")

    init(_ options: Options) throws(UsageError) {
        isJSON = options.has("--json")
        isQuiet = options.has("--quiet")
        isVerbose = options.has("--verbose")
        isDry = options.has("--dry-run")
        frames = try options.integer("--frames", in: 1...1_000_000)
        plot = options.file("--plot")
        replacesPlot = options.has("--force")
        plotPlace = options.file(Self.placeOption.names[0])
        wantsDynamicMetadata = options.has("--dynamic-metadata") || plot != nil
        limit = try options.integer("--timeout", in: 1...3600) ?? (wantsDynamicMetadata ? 3600 : 20)
        job = options.value(Self.childOption.names[0]).map { value in
            (Int(value.prefix { $0.isNumber }) ?? 0, value.hasSuffix("c"))
        }
        guard !options.words.isEmpty else {
            throw UsageError("name a video file: hdr inspect FILE... (--help says more)")
        }
        guard options.words.allSatisfy({ !$0.text.isEmpty }) else { throw UsageError(InputCheck.hasNoName) }
        // A folder without videos gets its error like a file that cannot be read.
        paths = options.words.flatMap { word in
            let videos = Inputs.content(of: word.file, endings: Inputs.videoEndings)
            return (videos.isEmpty ? [word.file] : videos).map { InputPath($0) }
        }
        if plot != nil, paths.count > 1 { throw UsageError("--plot takes one file: name one") }
    }

    /// The command line of a child process that goes on with the file of this index.
    func childArguments(from first: Int, isColored: Bool) -> [[CChar]] {
        var words = ["inspect", "\(Self.childOption.names[0])=\(first)\(isColored ? "c" : "")", "--timeout=\(limit)"]
        if isJSON { words.append("--json") }
        if let frames { words.append("--frames=\(frames)") }
        if wantsDynamicMetadata { words.append("--dynamic-metadata") }
        if replacesPlot { words.append("--force") }
        let files = [("--plot", plot), (Self.placeOption.names[0], plotPlace)].compactMap { name, file in
            file.map { (Array("\(name)=".utf8) + $0.bytes).map { CChar(bitPattern: $0) } + [0] }
        }
        return words.map { Array($0.utf8CString) } + files + [Array("--".utf8CString)] + paths.map(\.bytes)
    }
}
