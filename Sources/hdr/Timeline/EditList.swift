import HDRPipeline

/// The statements of a timeline: from the words of a command line, or from a file with an edit list.
enum EditList {
    /// Endings of edit lists.
    static let endings = [".edl", ".timeline", ".otio"]

    static func statements(_ words: [Options.Word]) throws -> [EditStatement] {
        let lists = words.filter { endings.contains($0.file.ending) }
        guard let list = lists.first else {
            let tokens = words.map { EditToken(text: $0.text, file: $0.file, place: .commandLine) }
            return try EditParser.statements(tokens)
        }
        guard words.count == 1 else {
            throw UsageError(
                "\(list.file.shown) is an edit list, which stands alone: put the other statements into it")
        }
        return try read(list.file)
    }

    private static func read(_ file: FileName) throws -> [EditStatement] {
        let remedy = "write a line for each clip, such as clip a.mov from=1s to=3s"
        try InputCheck.check(file, "an edit list", whereEmpty: remedy)
        let bytes = try file.contents(upTo: 16 << 20, of: "edit list")
        guard !bytes.contains(0) else {
            throw Failure("\(file.shown) is no edit list: it is not text, although its name ends in \(file.ending)")
        }
        let first = bytes.drop { $0 <= 0x20 }.prefix(6)
        if first.elementsEqual("TITLE:".utf8) {
            throw Failure(
                "\(file.shown) is a list of CMX 3600, which names reels and no files: export the timeline as "
                    + "OpenTimelineIO (.otio)")
        }
        if file.ending == ".otio" { return try OTIOReader.statements(bytes, of: file) }
        let statements = try EditParser.statements(try EditToken.read(bytes, of: file), in: file.folder)
        guard !statements.isEmpty else {
            throw Failure("\(file.shown) is empty: \(remedy)")
        }
        return statements
    }

    /// Checks that all files are there.
    static func check(_ statements: [EditStatement]) throws {
        for statement in statements {
            var files: [FileName] = []
            switch statement.kind {
            case .clip(let clip): files = [clip.file]
            case .transition(let transition):
                if case .wipe(let wipe) = transition.kind, let map = wipe.map { files = [map] }
            default: break
            }
            for file in files {
                do { try InputCheck.check(file) } catch { throw statement.place.failure(error.description) }
            }
        }
    }
}
