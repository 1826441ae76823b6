import HDRJSON
import HDRPipeline

/// `info` of dynamic metadata: one picture's in full, or a summary of each of the inputs. An input that fails does not
/// keep the others from theirs.
struct MetadataInfo {
    /// The summary of one input.
    struct Summary {
        let notes: [String]
        /// Lines of the table, each with its end.
        let text: String
        let json: [(String, JSON)]
    }

    private let title: String
    private let files: [FileName]
    private let frame: Int?
    private let isJSON: Bool
    private let isDry: Bool
    private let isVerbose: Bool

    /// Whether nothing but the answer is to be printed.
    let isSilent: Bool

    /// - Parameters:
    ///   - title: the command's name for messages.
    ///   - object: what is to be named where no input is.
    ///   - endings: the endings of files that count in folders.
    ///   - kind: what such files hold, in words.
    init(_ options: Options, title: String, object: String, endings: [String], kind: String) throws {
        guard !options.words.isEmpty else { throw UsageError("name \(object): \(title) INPUT") }
        self.title = title
        frame = try options.integer("--frame", in: 0...100_000_000)
        files = try Inputs(options.words, endings: endings, kind: kind).files
        if frame != nil, files.count > 1 { throw UsageError("--frame takes one input") }
        isJSON = options.has("--json")
        isDry = options.has("--dry-run")
        isVerbose = options.has("--verbose")
        isSilent = isJSON || options.has("--quiet")
    }

    /// - Parameters:
    ///   - look: checks whether a file has metadata, as far as its beginning shows.
    ///   - one: describes the metadata of the picture with this number.
    ///   - summary: summarizes all of a file's metadata.
    /// - Returns: the exit status.
    func run(
        look: (FileName) async throws -> Void,
        one: (Int, FileName) async throws -> JSON,
        summary: (FileName) async throws -> Summary
    ) async throws -> CInt {
        Interruption.watch()
        if isVerbose { Output.report("\(title): \(Checkup.versions)") }
        var objects: [JSON] = []
        var failures = 0
        for file in files {
            do {
                try InputCheck.check(file)
                objects.append(try await say(of: file, look, one, summary))
            } catch {
                let isOver = error is Interruption
                objects += (isOver ? Array(files.dropFirst(objects.count)) : [file]).map {
                    .object([("input", .string($0.shown)), ("error", .string(Reason.text(error)))])
                }
                // With a single file its reason is the whole error.
                if isOver || files.count == 1 {
                    if isJSON { Output.write(.array(objects)) }
                    throw error
                }
                failures += 1
                Output.report("\(title): \(Reason.text(error))")
            }
        }
        if isJSON { Output.write(.array(objects)) }
        if failures > 0 { Output.report("\(title): \(failures) of \(files.count) files failed") }
        return failures > 0 ? 1 : 0
    }

    /// Prints the information about an input, and returns it.
    private func say(
        of file: FileName, _ look: (FileName) async throws -> Void, _ one: (Int, FileName) async throws -> JSON,
        _ summary: (FileName) async throws -> Summary
    ) async throws -> JSON {
        let name = ("input", JSON.string(file.shown))
        guard !isDry else {
            try await look(file)
            if !isSilent { Output.write(file.shown + "\n") }
            return .object([name, ("plan", .array([.string(file.shown)]))])
        }
        if let frame {
            let found = try await one(frame, file)
            if !isJSON { Output.write(found) }
            guard case .object(let members) = found else { return .object([name]) }
            return .object([name] + members)
        }
        let said = try await summary(file)
        if !isSilent {
            for note in said.notes { Output.report("\(title): note: \(file.shown): \(note)") }
            Output.write(file.shown + "\n" + said.text)
        }
        return .object([name] + said.json)
    }
}
