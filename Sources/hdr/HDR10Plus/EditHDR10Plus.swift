import HDRJSON
import HDRPipeline

/// `hdr hdr10plus edit`: entries removed and repeated.
enum EditHDR10Plus: Verb {
    static let name = "edit"
    static let words = "INPUT --edits EDITS.json [-o META.json]"
    static let summary = "a document with entries removed and repeated, for a video that was cut"
    static let options =
        [
            Option.value(
                "--edits", "EDITS.json", help: "file of changes, as the editor of hdr10plus_tool takes it; see below")
        ]
        + HDR10PlusCommand.writers

    static func run(_ options: Options) async throws -> CInt {
        guard let file = options.file("--edits") else {
            throw UsageError("say what to change: hdr hdr10plus edit INPUT --edits EDITS.json")
        }
        let batch = try Batch(options, title: "hdr hdr10plus edit", deed: "edited") {
            $0.last.stem + "-edited.json"
        }
        return try await batch.run(
            check: { input, output in
                try InputCheck.check(input)
                try InputCheck.check(file, "a file of edits")
                try OutputFile.check(output, endings: [], inputs: [input, file], force: options.has("--force"))
                return "\(input.shown) by \(file.shown) to \(output.shown)"
            },
            plan: { input, _ in
                _ = try edits(of: file)
                try await HDR10PlusList.look(at: input)
                return nil
            },
            work: { input, output in
                let target = try OutputFile(output, prefix: "hdr10plus")
                let edits = try edits(of: file)
                var list = try await HDR10PlusList(input, ProgressLine(quiet: batch.isSilent))
                do { list.frames = try edits.applied(to: list.frames) } catch {
                    throw Failure("\(file.shown): \(error)")
                }
                try target.write(list.document.text)
                try target.publish()
                return MetadataSummary(
                    line: "Wrote \(output.shown): \(list.title)", notes: list.notes, json: list.json)
            })
    }

    private static func edits(of file: FileName) throws -> FrameEdits {
        do {
            return try FrameEdits(try InputFile.bytes(file, limit: 64 << 20))
        } catch let error as JSONError {
            throw Failure("\(file.shown): \(error)")
        }
    }
}
