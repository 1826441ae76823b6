import HDRPipeline

/// Where a statement of an edit list stands, for what is said of it.
struct EditPlace: Sendable {
    /// `nil` on the command line.
    var file: FileName?
    /// From 1; `nil` where the file has no lines that a person would count, such as JSON.
    var line: Int?

    static let commandLine = EditPlace()

    /// An error of what stands here: the command line's own fault, or that of a file.
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
