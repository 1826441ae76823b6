import Foundation
import Testing

/// Real HDR files, which are not part of the project; the script `Tests/samples` fetches them and says what is missing.
package enum Samples {
    /// The folder that GST_HDR_SAMPLES names, or else the first of ../shared/samples and build/samples that is there.
    package static let folder: URL = {
        if let named = ProcessInfo.processInfo.environment["GST_HDR_SAMPLES"] { return URL(fileURLWithPath: named) }
        let shared = Repository.root.deletingLastPathComponent().appendingPathComponent("shared/samples")
        let isThere = FileManager.default.fileExists(atPath: shared.path)
        return isThere ? shared : Repository.root.appendingPathComponent("build/samples")
    }()

    /// The movies among them.
    package static let files = [
        "dolby-vision-8.1-hdr10.mkv", "hdr10-av1.mp4", "hdr10-plus-no-colr.mp4", "hdr10-plus.mkv", "hlg10.mp4",
        "iphone-dolby-vision-8.4-hlg.mov",
    ]

    package static let exist = (files + ["rpu/profile84.bin"]).allSatisfy {
        FileManager.default.fileExists(atPath: path($0))
    }

    /// For tests and suites that read real files.
    package static let areThere: ConditionTrait = .enabled(
        if: exist, "real HDR files are missing: Tests/samples fetches them")

    package static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    package static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }
}
