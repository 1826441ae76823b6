import Glibc
import HDRPipeline

/// Functions that these example programs share.
public enum Program {
    /// Runs a program with its arguments and exits: with status 2 where there are too few or too many arguments, and
    /// with status 1 and a line on standard error where `body` throws.
    public static func run(
        _ usage: String, _ count: ClosedRange<Int>, _ body: ([String]) async throws -> Void
    ) async -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard count.contains(arguments.count) else {
            complain("give it these arguments: \(usage)")
            exit(2)
        }
        do {
            try await body(arguments)
        } catch {
            complain("\(error)")
            exit(1)
        }
        exit(0)
    }

    private static func complain(_ text: String) {
        let name = FileName(CommandLine.arguments.first ?? "").last
        "\(name): \(text)\n".withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// The beginning of a launch line that decodes the pictures of a file, or of what a URI names.
    public static func pictures(of input: String) -> String {
        let name = Pipeline.quoted(input)
        let isURI = input.contains("://")
        return (isURI ? "uridecodebin uri=\(name)" : "filesrc location=\(name) ! decodebin") + " ! video/x-raw"
    }
}
