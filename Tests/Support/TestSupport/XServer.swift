import Foundation

/// An X server without a screen.
public final class XServer: Sendable {
    public static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: "\($0)/Xvfb") }

    /// As `:7`.
    public let display: String
    public let process: ChildProcess

    public init(depth: Int = 24, width: Int = 800, height: Int = 600, _ more: [String] = []) throws {
        let number = try OutputFile()
        process = try ChildProcess(
            "Xvfb",
            ["-displayfd", "1", "-screen", "0", "\(width)x\(height)x\(depth)", "-noreset", "-ac"] + more,
            output: number.handle)
        for _ in 0..<3000 where process.isRunning && !number.text.hasSuffix("\n") { usleep(10000) }
        guard number.text.hasSuffix("\n") else {
            throw ChildProcess.NotStarted(description: "Xvfb gives no display")
        }
        display = ":" + number.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    public func kill() {
        process.kill()
        _ = process.wait(.seconds(10))
    }
}
