import Foundation

/// An X server without a screen.
package final class XServer: Sendable {
    package static let isInstalled = Command.exists("Xvfb")

    /// The display's name, such as `:7`.
    package let display: String
    package let process: ChildProcess

    package init(depth: Int = 24, width: Int = 800, height: Int = 600, _ more: [String] = []) throws {
        let number = try OutputFile()
        let process = try ChildProcess(
            "Xvfb",
            ["-displayfd", "1", "-screen", "0", "\(width)x\(height)x\(depth)", "-noreset", "-ac"] + more,
            output: number.handle)
        self.process = process
        _ = eventually(within: .seconds(30), every: .milliseconds(10)) {
            number.text.hasSuffix("\n") || !process.isRunning
        }
        guard number.text.hasSuffix("\n") else {
            throw TestFailure("Xvfb gives no display")
        }
        display = ":" + number.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package func kill() {
        process.kill()
        _ = process.wait(.seconds(10))
    }
}
