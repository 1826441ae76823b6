/// A remark on a stream's signal.
package struct SignalFinding: Equatable, Sendable {
    package enum Kind: String, Equatable, Sendable {
        /// The container and the bitstream disagree.
        case disagreement
        /// A value that is not credible or contradicts others.
        case defect
        /// Something that players or displays need is missing.
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
