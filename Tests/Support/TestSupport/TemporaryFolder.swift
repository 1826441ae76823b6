import Foundation

/// An empty folder that is removed with its owner.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("gst-hdr-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func url(_ name: String) -> URL { url.appendingPathComponent(name) }
    package func path(_ name: String) -> String { url(name).path }
    package func data(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

    /// The text of a file, empty where there is none.
    package func text(_ name: String) -> String { String(decoding: (try? data(name)) ?? Data(), as: UTF8.self) }

    /// Writes a file and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url(name))
        return path(name)
    }

    /// The names in the folder, hidden ones too, in order.
    package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}
