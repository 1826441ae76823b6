import Foundation

/// Where the project lies, found from this file's place in it.
package enum Repository {
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    package static func path(_ relative: String) -> String { root.appendingPathComponent(relative).path }
}
