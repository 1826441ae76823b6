/// The error of `edrsink` where no presenter opens a display. `hdrvideosink` reads the reason out of it, so that both
/// have the wording from here.
enum OpeningFailure {
    private static let beginning = "No picture can be shown. "
    private static let end = " With presenter=offscreen no display is needed."

    /// The sentence about a presenter that could not be used, which starts with the presenter's name.
    static func refusal(_ presenter: String, _ reason: String) -> String {
        "\(presenter): \(reason)\(reason.hasSuffix(".") ? "" : ".")"
    }

    /// The error's text.
    static func text(_ refusals: [String]) -> String { beginning + refusals.joined(separator: " ") + end }

    /// The sentence of the only presenter that was asked; `nil` where the text is of another error.
    static func reason(of presenter: String, in text: String) -> String? {
        let start = beginning + presenter + ": "
        guard text.hasPrefix(start), text.hasSuffix(end), text.count >= start.count + end.count else { return nil }
        return String(text.dropFirst(start.count).dropLast(end.count))
    }
}
