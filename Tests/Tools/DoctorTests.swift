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
        // What mends several things is said once.
        #expect(table.output.ranges(of: "  apt-get install gstreamer1.0-libav\n").count == 1, "\(table.output)")
    }

    @Test func itTakesNoFiles() throws {
        let result = try HDRCommand.run(["doctor", "clip.mov"])
        #expect(
            result.status == 2 && result.errors == "hdr doctor: it takes no 'clip.mov': it examines the whole machine\n"
        )
    }
}
