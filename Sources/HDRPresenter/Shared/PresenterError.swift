/// The reason why a presenter cannot show pictures.
public struct PresenterError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A sentence that says what is wrong and how to fix it.
    public let description: String
    public init(_ description: String) { self.description = description }
}
