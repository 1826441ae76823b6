import Foundation

/// Files of numbers that Tests/Oracle/effects.py made with SciPy.
enum ReferenceFile {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Reference")

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// The words of each line that is no comment.
    static func lines(_ name: String) throws -> [[Substring]] {
        String(decoding: try bytes(name), as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: " ") }
    }
}
