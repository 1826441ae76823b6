/// An error in a pipeline, or the reason why an operation on it failed.
public struct PipelineError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the element that the error is about.
    public var element: String?
    /// What is wrong, and how to fix it where that is known.
    public var message: String
    /// GStreamer's additional text for developers.
    public var details: String?

    /// GStreamer's error domain, such as `gst-resource-error-quark`, and the number in that domain; `nil` where the
    /// error is not an element's.
    public var code: (domain: String, number: Int)? {
        get { domain.map { ($0, number) } }
        set { (domain, number) = (newValue?.domain, newValue?.number ?? 0) }
    }
    private var domain: String?
    private var number = 0
    /// The factory name of the element that the error is about, such as `filesink`.
    public var factory: String?

    /// The factory name of the element that is not installed.
    public var missing: String?

    /// Makes an error of the application's own, which has no code of GStreamer's.
    public init(_ message: String, element: String? = nil, details: String? = nil) {
        self.message = message
        self.element = element
        self.details = details
    }

    public var description: String {
        // The first line of the details is a position in GStreamer's source; the following ones are about the case.
        let more = details?.split(separator: "\n").dropFirst().joined(separator: " ") ?? ""
        return (element.map { "\($0): " } ?? "") + message + (more.isEmpty ? "" : " (\(more))")
    }
}
