/// What went wrong in a pipeline, or why something cannot be done with it.
public struct PipelineError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The element that it is about.
    public var element: String?
    /// What is wrong, and how to mend it where that is known.
    public var message: String
    /// What GStreamer adds for developers.
    public var details: String?

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
