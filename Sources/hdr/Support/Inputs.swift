import HDRPipeline

/// The files that a command line names, and where what is made of each goes.
struct Inputs {
    /// Endings of the videos that are taken from a folder.
    static let videoEndings = [
        ".mov", ".mp4", ".m4v", ".mkv", ".webm", ".ts", ".mts", ".m2ts", ".mxf", ".hevc", ".h265", ".ivf", ".y4m",
    ]

    /// The files in the order of the command line; those of a folder sorted by name.
    let files: [FileName]
    /// Whether there are several, or a folder was given, so that the output has to be a folder.
    let areSeveral: Bool

    /// - Parameters:
    ///   - endings: of what is taken from folders, hidden files and folders in it apart.
    ///   - kind: what has these endings.
    init(_ words: [Options.Word], endings: [String] = Self.videoEndings, kind: String = "videos") throws {
        var files: [FileName] = []
        var hasFolder = false
        for word in words {
            guard word.file.kind == .folder else {
                files.append(word.file)
                continue
            }
            hasFolder = true
            let found = Self.content(of: word.file, endings: endings)
            guard !found.isEmpty else {
                throw Failure(
                    "\(word.file.shown) is a folder without \(kind): name files, or a folder with files that end in "
                        + "\(endings.prefix(4).joined(separator: ", ")) or the like")
            }
            files += found
        }
        self.files = files
        areSeveral = files.count > 1 || hasFolder
    }

    /// The files of a folder that have one of some endings, by name; none where it is no folder.
    static func content(of folder: FileName, endings: [String]) -> [FileName] {
        guard folder.kind == .folder else { return [] }
        return folder.content.filter { endings.contains($0.ending) && $0.kind == .file }
    }

    /// Files that no command line names.
    init(_ files: [FileName]) { (self.files, areSeveral) = (files, files.count > 1) }

    /// The output of each input.
    /// - Parameters:
    ///   - named: by the user: a file for one input, or a folder that is there; `nil` for names in the current folder.
    ///   - derive: makes an output's name, without a folder, of an input's last part without its ending.
    func outputs(_ named: FileName?, derive: (FileName) -> FileName) throws -> [(input: FileName, output: FileName)] {
        if named?.bytes.isEmpty == true { throw UsageError("--output has no name: name the file to write") }
        let isFolder = named.map { $0.kind == .folder || $0.bytes.last == UInt8(ascii: "/") } ?? false
        if let named, !isFolder {
            guard !areSeveral || named.bytes == Array("-".utf8) else {
                throw UsageError(
                    "several inputs need a folder for what is made of them: -o FOLDER/, not \(named.shown)")
            }
            return files.map { ($0, named) }
        }
        if let named, named.kind != .folder {
            throw Failure("there is no folder \(named.shown): create it first (mkdir -p)")
        }
        let pairs = files.map { file -> (input: FileName, output: FileName) in
            let name = derive(file)
            return (file, named.map { $0.appending(name) } ?? name)
        }
        var seen: [FileName: FileName] = [:]
        for (input, output) in pairs {
            if let other = seen[output] {
                throw Failure(
                    "\(other.shown) and \(input.shown) would both become \(output.shown): take one at a time, with -o"
                )
            }
            seen[output] = input
        }
        // No output may replace an input that has not been read yet.
        for (input, output) in pairs where output.kind == .file {
            guard let other = files.first(where: { $0 != input && $0.isSameFile(as: output) }) else { continue }
            throw Failure(
                "\(output.shown), made of \(input.shown), would replace the input \(other.shown): name another folder "
                    + "with -o")
        }
        return pairs
    }
}
