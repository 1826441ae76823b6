import Foundation

/// Real HDR files, which are not part of the repository: the folder that GST_HDR_SAMPLES names, or ../shared/samples.
package enum Samples {
    package static let folder =
        ProcessInfo.processInfo.environment["GST_HDR_SAMPLES"].map { URL(fileURLWithPath: $0) }
        ?? Repository.root.deletingLastPathComponent().appendingPathComponent("shared/samples")

    package static let exist = FileManager.default.fileExists(atPath: folder.path)

    /// The movies among them, by name.
    package static let files: [String] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { name in ["mov", "mp4", "mkv", "webm"].contains { name.hasSuffix("." + $0) } }.sorted()
    }()
}
