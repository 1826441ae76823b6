import HDRJSON
import HDRPipeline

/// `info` of dynamic metadata: one picture's in full, or a summary of each of the inputs. An input that fails does not
/// keep the others from theirs.
struct MetadataInfo {
    /// What is said of one input.
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
        frame = try options.integer("--frame", in: 0...Int.max)
        files = try Inputs(options.words, endings: endings, kind: kind).files
        if frame != nil, files.count > 1 { throw UsageError("--frame takes one input") }
        isJSON = options.has("--json")
        isSilent = isJSON || options.has("--quiet")
    }

    /// - Parameters:
    ///   - one: the metadata of the picture of this number.
    ///   - summary: what all of a file's metadata say.
    /// - Returns: the exit status.
    func run(
        one: (Int, FileName) async throws -> JSON,
        summary: (FileName) async throws -> Summary
    ) async throws -> CInt {
        Interruption.watch()
        if let frame {
            try InputCheck.check(files[0])
            write(try await one(frame, files[0]))
            return 0
        }
        var objects: [JSON] = []
        var failures = 0
        for file in files {
            do {
                try InputCheck.check(file)
                let said = try await summary(file)
                objects.append(.object([("input", .string(file.shown))] + said.json))
                guard !isSilent else { continue }
                for note in said.notes { Output.report("\(title): note: \(file.shown): \(note)") }
                Output.write(file.shown + "\n" + said.text)
            } catch let interruption as Interruption {
                throw interruption
            } catch {
                // With a single one its reason is the whole error.
                if files.count == 1, !isJSON { throw error }
                failures += 1
                if !isJSON { Output.report("\(title): \(error)") }
                objects.append(.object([("input", .string(file.shown)), ("error", .string("\(error)"))]))
            }
        }
        if isJSON {
            write(.array(objects))
        } else if failures > 0 {
            Output.report("\(title): \(failures) of \(files.count) files failed")
        }
        return failures > 0 ? 1 : 0
    }

    private func write(_ json: JSON) {
        var text = ""
        json.write(to: &text, indent: "")
        Output.write(text + "\n")
    }
}
