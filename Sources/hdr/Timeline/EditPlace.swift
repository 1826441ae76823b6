import HDRPipeline

/// The place of a statement in an edit list, for messages.
struct EditPlace: Sendable {
    /// The file; `nil` on the command line.
    var file: FileName?
    /// The line, counted from 1; `nil` where the file has no meaningful lines, such as JSON.
    var line: Int?

    static let commandLine = EditPlace()

    /// An error at this place: a usage error on the command line, or a failure for a file.
    func error(_ text: String) -> any Error {
        guard file != nil else { return UsageError(text) }
        return Failure(prefix + text)
    }

    /// Stands before what is wrong with the content of what is named here.
    var prefix: String {
        guard let file else { return "" }
        return file.shown + (line.map { ", line \($0): " } ?? ": ")
    }

    /// An error of what a statement names, such as a file that is too short for it.
    func failure(_ text: String) -> Failure { Failure(prefix + text) }
}
