import Foundation
import PluginSupport
import TestSupport
import Testing

/// The package Sources/Examples/BandpassApp, which depends on this one as an application does.
@Suite(.serialized, .timeLimit(.minutes(30)), .swiftIsThere)
struct BandpassAppTests {
    private static let folder = "Sources/Examples/BandpassApp"
    private static let isClone = FileManager.default.fileExists(atPath: Repository.path(".git"))
    let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    /// Builds the package and returns its program.
    private func build(_ package: String) async throws -> String {
        var command = Command(
            "swift", ["build", "--package-path", package, "--scratch-path", scratch.path("build")])
        command.limit = .seconds(1200)
        let outcome = try await command.run()
        try #require(outcome.status == 0, "\(outcome)")
        #expect(!outcome.output.contains("warning:"), "\(outcome)")
        return scratch.path("build/debug/BandpassApp")
    }

    /// The package in its place depends on the project by path, which SwiftPM resolves without a build.
    @Test func byPath() async throws {
        let outcome = try await Command(
            "swift",
            [
                "package", "--package-path", Repository.path(Self.folder), "--scratch-path", scratch.path("build"),
                "show-dependencies", "--format", "json",
            ]
        ).run()
        #expect(outcome.status == 0 && outcome.output.contains("\"gst-hdr\""), "\(outcome)")
    }

    /// Elsewhere it depends on a version of a repository, where SwiftPM refuses unsafe flags.
    @Test(.enabled(if: isClone, "this is no clone")) func byVersion() async throws {
        let repository = scratch.path("gst-hdr.git")
        _ = try GstTool.build("git", ["clone", "--quiet", "--bare", Repository.root.path, repository])
        _ = try GstTool.build("git", ["-C", repository, "tag", "0.1.0", "HEAD"])
        let package = scratch.url("application")
        try FileManager.default.copyItem(atPath: Repository.path(Self.folder), toPath: package.path)
        let manifest = package.appendingPathComponent("Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let byPath = ".package(name: \"gst-hdr\", path: \"../../..\")"
        #expect(text.contains(byPath))
        try text.replacing(byPath, with: ".package(url: \"file://\(repository)\", from: \"0.1.0\")")
            .write(to: manifest, atomically: true, encoding: .utf8)
        let program = try await build(package.path)
        #expect(try GstTool.run(program).status == 2)
        try await expectBandpass(program)
    }

    private func expectBandpass(_ program: String) async throws {
        let tone = scratch.path("a tone, 800 Hz.wav")
        try await GstLaunch.make(
            "audiotestsrc num-buffers=100 freq=800 volume=0.5 ! audio/x-raw,rate=44100 ! wavenc ! "
                + "filesink location=\(scratch.path("tone.wav"))")
        try FileManager.default.moveItem(atPath: scratch.path("tone.wav"), toPath: tone)
        // The response of the Audio EQ Cookbook's filter, of 300 cents around 800 Hz and around 4000 Hz.
        for (center, wanted) in [(800.0, 0.5), (4000, 0.0184)] {
            let outcome = try GstTool.run(program, [tone, "\(center)", "300", "fakesink", "fakesink"])
            expectClean(outcome)
            let peak = try #require(outcome.output.firstMatch(of: /^peak ([\d.]+)\n/)).1
            #expect(abs(try #require(Double(peak)) - wanted) < 0.02, "\(outcome)")
        }
        let missing = try GstTool.run(program, [scratch.path("none.wav"), "800", "300", "fakesink", "fakesink"])
        #expect(missing.status == 1 && missing.output.contains("Resource not found."), "\(missing)")
        #expect(try GstTool.run(program, [tone, "800", "much"]).status == 2)
    }
}
