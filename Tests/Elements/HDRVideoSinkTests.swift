import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdrvideosink` on X servers, on compositors without and with extended range, and in players.
@Suite(.serialized) struct HDRVideoSinkTests {
    /// Runs a check of Programs/hdrvideosink.py.
    private func check(
        _ name: String, environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = Repository.path("Tests/Elements/Programs/hdrvideosink.py")
        let outcome = try GstTool.run(
            "/usr/bin/python3", ["-B", path, name],
            environment: EDRSinkProgram.noDisplay.merging(environment) { $1 }, timeout: 90)
        #expect(outcome.status == 0 && outcome.output == "\(name) ok\n", "\(outcome)", sourceLocation: sourceLocation)
    }

    @Test(
        .enabled(if: EDRSinkWindowTests.hasX, "Xvfb or libX11 is not installed"),
        arguments: ["sdr-display", "colors", "midway", "turned", "turned-clip", "subtitles", "interfaces"])
    func onX11(_ name: String) throws {
        try check(name)
    }

    @Test(.enabled(if: EDRSinkWindowTests.hasX, "Xvfb or libX11 is not installed"))
    func playersTakeItByItsRank() async throws {
        let folder = try TemporaryFolder()
        try await TestClip(color: "bt2100-pq").make("clip.mkv", in: folder)
        // The line of the element's page.
        let rank = "hdrvideosink:MAX"
        let page = Repository.path("Sources/GstHDR/GstHDR.docc/hdrvideosink.md")
        #expect(
            try String(contentsOfFile: page, encoding: .utf8).contains("export GST_PLUGIN_FEATURE_RANK=\(rank)\n"))
        try check("players", environment: ["CLIP": folder.path("clip.mkv"), "GST_PLUGIN_FEATURE_RANK": rank])
    }

    @Test(arguments: ["properties", "flushes", "errors", "threads"]) func anywhere(_ name: String) throws {
        try check(name)
    }

    @Test(.enabled(if: EDRSinkCompositorTests.hasWeston, "Weston is not installed")) func onWeston() async throws {
        let weston = try await WestonServer()
        try check("weston", environment: weston.environment)
    }

    @Test func onADisplayWithExtendedRange() throws {
        let compositor = try HDRCompositor()
        try check("extended", environment: compositor.environment)
        #expect(!compositor.descriptions.isEmpty)
    }

    static let pipelines: [(line: String, status: Int32)] = [
        ("videotestsrc num-buffers=9 ! \(TestCaps.hdr),\(TestCaps.metadata) ! hdrvideosink sink=fakevideosink", 0),
        (
            "videotestsrc num-buffers=3 ! \(TestCaps.hdr) ! timeoverlay ! hdrvideosink sink=fakevideosink sync=false", 0
        ),
        (
            "concat name=c ! hdrvideosink sink=fakevideosink videotestsrc num-buffers=3 ! \(TestCaps.hdr) ! c. "
                + "videotestsrc num-buffers=3 ! \(TestCaps.sdr) ! c.", 0
        ),
        ("videotestsrc num-buffers=3 ! identity error-after=2 ! hdrvideosink sink=fakevideosink", 1),
        ("videotestsrc num-buffers=3 ! hdrvideosink", 1), ("videotestsrc num-buffers=0 ! hdrvideosink", 1),
    ]

    @Test(arguments: pipelines.indices) func nothingOutlivesThePipeline(_ index: Int) throws {
        let (line, status) = Self.pipelines[index]
        let environment = Player.leakTracing.merging(EDRSinkProgram.noDisplay) { $1 }
        let outcome = try Player.play(line, environment: environment)
        let alive = outcome.errors.split(separator: "\n").filter {
            $0.contains("object-alive,") && $0.contains("address=(gpointer)0x")
        }
        #expect(outcome.status == status, "\(outcome)")
        #expect(alive.isEmpty, "\(alive.joined(separator: "\n"))")
    }
}
