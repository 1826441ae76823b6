/// What went wrong in a pipeline, or why something cannot be done with it.
public struct PipelineError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The element that it is about.
    public var element: String?
    /// What is wrong, and how to mend it where that is known.
    public var message: String
    /// What GStreamer adds for developers.
    public var details: String?

    /// What GStreamer calls it, such as `gst-resource-error-quark` and a number of that domain; `nil` where the error
    /// is not an element's.
    public var code: (domain: String, number: Int)? {
        get { domain.map { ($0, number) } }
        set { (domain, number) = (newValue?.domain, newValue?.number ?? 0) }
    }
    private var domain: String?
    private var number = 0
    /// The kind of the element that it is about, such as `filesink`.
    public var factory: String?

    /// The kind of element that was wanted and is not there.
    public var missing: String?

    public init(_ message: String, element: String? = nil, details: String? = nil) {
        self.message = message
        self.element = element
        self.details = details
    }

    public var description: String {
        // The first line of the details is a place in GStreamer's source; what follows is about the case.
        let more = details?.split(separator: "\n").dropFirst().joined(separator: " ") ?? ""
        return (element.map { "\($0): " } ?? "") + message + (more.isEmpty ? "" : " (\(more))")
    }
}
