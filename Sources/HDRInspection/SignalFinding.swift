/// Something about a stream's signal that its reader should know.
package struct SignalFinding: Equatable, Sendable {
    package enum Kind: String, Equatable, Sendable {
        /// The container and the bitstream say different things.
        case disagreement
        /// A value that cannot be believed, or that does not fit the others.
        case defect
        /// Something is not there that players or displays look for.
        case missing
        case note
    }

    package let kind: Kind
    /// A stable name for programs, in kebab case.
    package let code: String
    /// One line for people.
    package let text: String

    package init(_ kind: Kind, _ code: String, _ text: String) {
        self.kind = kind
        self.code = code
        self.text = text
    }
}
