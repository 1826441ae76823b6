import Foundation
import TestSupport
import Testing

/// Readers of others, in Python: the interpreter that GST_HDR_TEST_PYTHON names, or that of build/test-venv, or python3.
enum Python {
    static let arguments: [String] = {
        if let named = ProcessInfo.processInfo.environment["GST_HDR_TEST_PYTHON"] { return [named] }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let own = root.appendingPathComponent("build/test-venv/bin/python").path
        return FileManager.default.isExecutableFile(atPath: own) ? [own] : ["python3"]
    }()

    static func has(_ module: String) -> Bool { (try? run("import \(module)")) != nil }

    static let hasPNG = has("png")
    static let hasPillow = has("PIL")
    static let hasCodecs = has("imagecodecs, numpy")
    static let hasOpenEXR = has("OpenEXR, numpy")

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a program and gives what it prints.
    @discardableResult
    static func run(_ program: String, _ files: String...) throws -> String {
        let output = try OutputFile()
        let process = try ChildProcess(
            arguments[0], arguments[1...] + ["-c", program] + files, output: output.handle, errors: output.handle)
        guard process.wait(.seconds(120)) == .exited(0) else { throw Failure(description: output.text) }
        return output.text
    }
}
