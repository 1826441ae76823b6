import Foundation
import TestSupport

/// A C program that prints lines `subject name=number … | text`. Compiled once, and run once for
/// each list of arguments.
package final class MeasuringProgram: @unchecked Sendable {
    /// The numbers of a subject, and the text after them.
    package struct Line {
        package var numbers: [String: Double] = [:]
        package var text = ""
        package subscript(name: String) -> Double? { numbers[name] }
    }

    private let folder: String
    private let name: String
    private let lock = NSLock()
    private var program: Result<String, any Error>?
    private var results: [[String]: Result<[String: Line], any Error>] = [:]
    private var scratch: TemporaryFolder?

    /// - Parameter folder: Where the source lies, such as `Peers/Programs`.
    package init(_ name: String, in folder: String) {
        self.name = name
        self.folder = Repository.path("Tests/\(folder)")
    }

    package var path: String { get throws { try lock.withLock { try compiled() } } }

    package func run(_ arguments: String...) throws -> [String: Line] {
        try lock.withLock {
            if results[arguments] == nil { results[arguments] = Result { try measure(arguments) } }
            return try results[arguments]?.get() ?? [:]
        }
    }

    private func measure(_ arguments: [String]) throws -> [String: Line] {
        let outcome = try GstTool.run(try compiled(), arguments, timeout: 60)
        guard outcome.status == 0 else { throw TestFailure("\(outcome)") }
        var lines: [String: Line] = [:]
        for line in outcome.output.split(separator: "\n") {
            let parts = line.split(separator: "|", maxSplits: 1)
            let words = parts[0].split(separator: " ")
            guard let subject = words.first else { continue }
            var parsed = Line()
            for pair in words.dropFirst().map({ $0.split(separator: "=") }) where pair.count == 2 {
                parsed.numbers[String(pair[0])] = Double(pair[1])
            }
            if parts.count > 1 { parsed.text = parts[1].trimmingCharacters(in: .whitespaces) }
            lines[String(subject)] = parsed
        }
        return lines
    }

    private func compiled() throws -> String {
        if program == nil { program = Result { try compile() } }
        return try program?.get() ?? ""
    }

    private func compile() throws -> String {
        let source = try String(contentsOfFile: "\(folder)/\(name).c", encoding: .utf8)
        let scratch = try TemporaryFolder()
        self.scratch = scratch
        return try scratch.compile(
            source, as: name,
            packages: ["gstreamer-check-1.0", "gstreamer-controller-1.0", "gstreamer-audio-1.0", "gstreamer-fft-1.0"],
            flags: [
                "-I", Repository.path("Tests/Support/Programs"), "-I", Repository.path("Sources/CHDRTap/include"),
                "-Werror", "-lm",
            ])
    }
}
