import Foundation
import PluginSupport
import TestSupport
import Testing

/// The lines for pasting on pages that have no tests of their own: each page's in their order and as they are written,
/// in a folder with the clips that they name.
@Suite(
    .enabled(if: Displays.missingXvfb == nil, "Xvfb is not installed"),
    .enabled(if: InspectToolTests.hasX265, "x265enc is not there: apt-get install gstreamer1.0-plugins-bad"))
struct PageLinesTests {
    static let pages = [
        "from-avfoundation", "hdrconvert", "hdrmetaparse", "hdrmux-settings", "hdrvideosink", "peak-detection",
        "troubleshooting", "video-effects",
    ]

    /// Programs of packages that need not be there, and a file that is somebody's.
    private static func isRunnable(_ line: String, in folder: TemporaryFolder) -> Bool {
        if line.hasPrefix("gst-play-1.0 ") { return Command.exists("gst-play-1.0") }
        return !line.contains("film.mkv") || folder.names.contains("film.mkv")
    }

    private static func clips(in folder: TemporaryFolder) async throws {
        let pattern = "videotestsrc num-buffers=30 pattern=smpte75 ! video/x-raw,width=320,height=180,framerate=30/1"
        let pq = "\(pattern),format=I420_10LE,colorimetry=bt2100-pq"
        let levels =
            "mastering-display-color-volume=34000:16000:13250:34500:7500:3000:15635:16450:10000000:50 "
            + "content-light-level-info=414:314 speed-preset=ultrafast"
        for line in [
            "\(pq) ! m.video_0 hdrmux-settings name=m file-type=matroska \(levels) ! filesink "
                + "location=\(folder.path("hdr.mkv"))",
            "\(pq) ! m.video_0 audiotestsrc num-buffers=40 ! m.audio_0 hdrmux-settings name=m \(levels) ! filesink "
                + "location=\(folder.path("clip.mov"))",
            "\(pattern),format=I420_10LE,colorimetry=bt709 ! x265enc speed-preset=ultrafast ! h265parse ! mp4mux ! "
                + "filesink location=\(folder.path("washed-out.mp4"))",
        ] { expectClean(try GstTool.launch(line, timeout: 60)) }
        let film = Samples.path("dolby-vision-8.1-hdr10.mkv")
        if FileManager.default.fileExists(atPath: film) {
            try FileManager.default.createSymbolicLink(atPath: folder.path("film.mkv"), withDestinationPath: film)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: pages) func linesRun(_ page: String) async throws {
        let folder = try TemporaryFolder()
        try await Self.clips(in: folder)
        let display = try XServer()
        let text = try String(
            contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/\(page).md"), encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        let path = "\(Repository.path("build/bin")):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        var rank = ""
        var count = 0
        for line in lines {
            if line.hasPrefix("export GST_PLUGIN_FEATURE_RANK=") { rank = "\(line); " }
            guard ["gst-launch-1.0 ", "gst-play-1.0 ", "hdr "].contains(where: line.hasPrefix),
                Self.isRunnable(line, in: folder)
            else { continue }
            let words = rank + line.replacing("/home/me/", with: "\(folder.url.path)/")
            let outcome = try GstTool.run(
                "bash", ["-o", "pipefail", "-c", "cd '\(folder.url.path)' && \(words)"],
                environment: display.environment.merging(["PATH": path]) { $1 }, timeout: 150)
            // The exit status says that no display here can show HDR.
            let status: Int32 = line.hasPrefix("hdr displays") ? 1 : 0
            #expect(outcome.status == status && !outcome.errors.contains("ERROR"), "\(outcome)")
            count += 1
        }
        #expect(count >= 2, "\(page)")
    }
}
