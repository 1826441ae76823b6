import Foundation

/// Real files in the folder `shared/samples` beside the repository.
package enum SampleFiles {
    package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/samples")
    package static let areThere = FileManager.default.fileExists(atPath: folder.path)

    package static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}
