import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdr doctor` where all is there, where the plugin is not, and where GStreamer has hardly any element.
@Suite struct DoctorTests {
    private struct Report: Decodable {
        struct Check: Decodable {
            let area, name, state, detail: String
            let install: String?
        }
        let version: String
        let checks: [Check]

        subscript(area: String, name: String) -> Check? { checks.first { $0.area == area && $0.name == name } }
    }

    private func report(_ environment: [String: String]) throws -> (Report, Int32) {
        let result = try HDRCommand.run(["doctor", "--json"], environment: environment)
        #expect(result.errors.isEmpty, "\(result)")
        return (try JSONDecoder().decode(Report.self, from: Data(result.output.utf8)), result.status)
    }

    @Test func allIsThere() throws {
        let (found, status) = try report(Displays.none)
        #expect(status == 0 && !found.checks.contains { $0.state == "missing" || $0.install != nil })
        #expect(
            found["base", "plugin"]?.detail
                == "\(Repository.path("build/plugins/libgsthdr.so")), version \(found.version)")
        #expect(
            found["base", "x265 plugin"]?.detail.hasPrefix(Repository.path("build/plugins/libgsthdrx265.so")) == true)
        #expect(found["encode", "HEVC"]?.detail == "hdrx265enc" && found["display", "wayland"]?.state == "absent")
        #expect(found["display", "offscreen"]?.detail.contains("headroom 4.93") == true)
        let table = try HDRCommand.run(["doctor"], environment: Displays.none)
        #expect(table.status == 0 && table.output.hasSuffix("\n\nAll is there.\n") && !table.output.contains("\u{1B}"))
        let lines = table.output.split(separator: "\n").count
        #expect(lines == found.checks.count + 1)
        let quiet = try HDRCommand.run(["doctor", "-q"], environment: Displays.none)
        #expect(quiet.status == 0 && quiet.output.isEmpty && quiet.errors.isEmpty)
    }

    @Test func whatIsMissingIsNamedWithItsCure() throws {
        let folder = try TemporaryFolder()
        // A registry of its own, and folders of plugins without any.
        let bare = [
            "GST_PLUGIN_PATH": "", "GST_PLUGIN_SYSTEM_PATH": folder.url.path, "GST_REGISTRY": folder.path("registry"),
        ]
        let (found, status) = try report(bare.merging(Displays.none) { $1 })
        #expect(status == 1)
        #expect(found["base", "plugin"]?.install?.hasPrefix("meson-wrap/build-plugin") == true)
        #expect(found["encode", "HEVC"]?.install == "apt-get install gstreamer1.0-plugins-bad")
        #expect(found["decode", "HEVC"]?.install == "apt-get install gstreamer1.0-libav")
        let table = try HDRCommand.run(["doctor"], environment: bare.merging(Displays.none) { $1 })
        #expect(table.status == 1 && table.output.contains(" missing:\n"))
        // A fix for several problems is named once.
        #expect(table.output.ranges(of: "  apt-get install gstreamer1.0-libav\n").count == 1, "\(table.output)")
    }

    /// With the first plugin alone: HEVC is encoded by another element, and who asks for this one is told why not.
    @Test func theOtherPluginIsMissing() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: Repository.path("build/plugins/libgsthdr.so"), toPath: folder.path("libgsthdr.so"))
        let alone = ["GST_PLUGIN_PATH": folder.url.path, "GST_REGISTRY": folder.path("registry")]
        let (found, status) = try report(alone.merging(Displays.none) { $1 })
        let check = try #require(found["base", "x265 plugin"])
        #expect(status == 0 && check.state == "absent" && check.install?.hasPrefix("meson-wrap/build-plugin") == true)
        for text in ["libgsthdrx265.so", "libx265", "no hdrx265enc", "x265enc is there"] {
            #expect(check.detail.contains(text), "\(check.detail)")
        }
        #expect(found["encode", "HEVC"]?.detail == "x265enc")
        let line = "videotestsrc num-buffers=2 ! video/x-raw,width=64,height=64 ! x265enc ! h265parse ! qtmux !"
        expectClean(try GstTool.launch("\(line) filesink location=\(folder.path("in.mov"))"))
        let export = ["export", folder.path("in.mov"), "-o", folder.path("out.mov"), "--encoder", "hdrx265enc"]
        let result = try HDRCommand.run(export, environment: alone)
        #expect(result.status == 1, "\(result)")
        for text in ["no plugin libgsthdrx265.so", "gstreamer1.0-hdr-x265", "use x265enc, which is installed"] {
            #expect(result.errors.contains(text), "\(result.errors)")
        }
        #expect(!result.errors.contains("plugins-base"))
    }

    @Test func itTakesNoFiles() throws {
        let result = try HDRCommand.run(["doctor", "clip.mov"])
        #expect(
            result.status == 2 && result.errors == "hdr doctor: it takes no 'clip.mov': it examines the whole machine\n"
        )
    }
}
