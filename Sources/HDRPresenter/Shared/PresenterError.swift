/// Why a presenter cannot show pictures.
public struct PresenterError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong and how to fix it, as a sentence.
    public let description: String
    public init(_ description: String) { self.description = description }
}
