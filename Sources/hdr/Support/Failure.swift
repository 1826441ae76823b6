/// Why a command cannot do what it was asked, and what helps.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// A child process has already said why.
    static let alreadyReported = Failure("")
}
