import Foundation
import TestSupport
import Testing

/// Readers of others, in Python: the interpreter that GST_HDR_TEST_PYTHON names, or that of build/test-venv, or
/// python3.
enum Python {
    static let arguments: [String] = {
        if let named = ProcessInfo.processInfo.environment["GST_HDR_TEST_PYTHON"] { return [named] }
        let own = Repository.path("build/test-venv/bin/python")
        return FileManager.default.isExecutableFile(atPath: own) ? [own] : ["python3"]
    }()

    static func has(_ module: String) -> Bool { (try? run("import \(module)")) != nil }

    static let hasPNG = has("png")
    static let hasPillow = has("PIL")
    static let hasCodecs = has("imagecodecs, numpy")
    static let hasOpenEXR = has("OpenEXR, numpy")

    /// Runs a program and gives what it prints.
    @discardableResult
    static func run(_ program: String, _ files: String...) throws -> String {
        let result = try Command(arguments[0], arguments[1...] + ["-c", program] + files).runToEnd()
        guard result.status == 0 else { throw TestFailure("\(result)") }
        return result.output
    }
}
