import Foundation
import Testing
import TestSupport

/// The promises of the build's scripts, without a build.
struct BuildScriptTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func make(_ name: String, _ text: String = "") throws {
        let url = folder.url.appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Compiled modules hold absolute paths: a folder of a clone that was copied or moved is of no use.
    @Test func scratchFoldersOfOtherPathsAreMadeAnew() async throws {
        try FileManager.default.createDirectory(atPath: folder.path("meson-wrap"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Repository.path("meson-wrap/build.sh"), toPath: folder.path("meson-wrap/build.sh"))
        let here = try #require(
            realpath(folder.url.path, nil).map { path in
                defer { free(path) }
                return String(cString: path)
            })
        // As SwiftPM lists what it compiles, and as the script marks what it has seen.
        try make("own/release.yaml", "inputs: [\"\(here)/Sources/A/a.swift\"]")
        try make("copied/release.yaml", "inputs: [\"/elsewhere/Sources/A/a.swift\"]")
        try make("debug/debug.yaml", "inputs: [\"/elsewhere/Sources/A/a.swift\"]")
        try make("marked/.made-at", "\(here)\n")
        try make("moved/.made-at", "/elsewhere\n")
        try make("moved/release.yaml", "inputs: [\"\(here)/Sources/A/a.swift\"]")
        let names = ["own", "copied", "debug", "marked", "moved"]
        for name in names { try make("\(name)/kept") }
        let line = "set -euo pipefail; . meson-wrap/build.sh; build_own_scratch \(names.joined(separator: " ")) new"
        let result = try await Command("bash", ["-c", line], directory: folder.url).run()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errorLines.count == 3, "\(result.errors)")
        let kept = names.filter { FileManager.default.fileExists(atPath: folder.path("\($0)/kept")) }
        #expect(kept == ["own", "marked"])
        for name in names + ["new"] {
            let owner = try String(contentsOfFile: folder.path("\(name)/.made-at"), encoding: .utf8)
            #expect(owner == here + "\n", "\(name)")
        }
    }

    /// Everything that is to be installed is named at once, without what this build leaves out.
    @Test(.swiftIsThere) func missingPackagesAreNamed() async throws {
        try make("bin/pkg-config", "#!/bin/sh\ncase $2 in xcb-shm | x265) exit 1 ;; esac\n")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path("bin/pkg-config"))
        let inherited = ProcessInfo.processInfo.environment
        let path = "\(folder.path("bin")):\(inherited["PATH"] ?? "")"
        for (x265, packages) in [("", "libxcb-shm0-dev libx265-dev"), ("no", "libxcb-shm0-dev")] {
            var command = Command(Repository.path("meson-wrap/build-plugin"), [], directory: folder.url)
            command.environment = inherited.merging(["PATH": path, "GST_HDR_X265": x265]) { $1 }
            let result = try await command.run()
            #expect(result.status == 1, "\(result)")
            #expect(result.errors.hasSuffix("apt-get install --no-install-recommends \(packages)\n"), "\(result)")
        }
    }
}
