/// What `hdr inspect` is asked to do.
struct InspectOptions {
    let isJSON: Bool
    let isQuiet: Bool
    /// Access units to read of each video stream; `nil` for those of one second.
    let frames: Int?
    /// Seconds for a file.
    let limit: Int
    let paths: [InputPath]
    /// The task of a child process (see ``Supervisor``): the file to begin with, and whether its table is coloured.
    let job: (first: Int, isColored: Bool)?

    static let childOption = Option.value("--as-child", "FIRST")

    init(_ options: Options) throws(UsageError) {
        isJSON = options.has("--json")
        isQuiet = options.has("--quiet")
        frames = try options.integer("--frames", in: 1...1_000_000)
        limit = try options.integer("--timeout", in: 1...3600) ?? 20
        job = options.value(Self.childOption.names[0]).map { value in
            (Int(value.prefix { $0.isNumber }) ?? 0, value.hasSuffix("c"))
        }
        guard !options.words.isEmpty else {
            throw UsageError("name a video file: hdr inspect FILE... (--help says more)")
        }
        // The names as the bytes that the system has, which need not be UTF-8.
        paths = options.words.compactMap { word in CommandLine.unsafeArgv[word.position].map { InputPath($0) } }
    }

    /// The command line of a child process that goes on with the file of this index.
    func childArguments(from first: Int, isColored: Bool) -> [[CChar]] {
        var words = ["inspect", "\(Self.childOption.names[0])=\(first)\(isColored ? "c" : "")", "--timeout=\(limit)"]
        if isJSON { words.append("--json") }
        if let frames { words.append("--frames=\(frames)") }
        words.append("--")
        return words.map { Array($0.utf8CString) } + paths.map(\.bytes)
    }
}
