/// Why a command cannot do what it was asked, and what helps.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// A file of sound alone, for what works on pictures.
    static func noVideo(_ name: String) -> Failure {
        Failure("\(name) has no video track: give a file with video")
    }

    /// The failure of a child process that has already printed its reason.
    static let alreadyReported = Failure("")
}
