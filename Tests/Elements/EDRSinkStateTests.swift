import Foundation
import PluginSupport
import Testing
import TestSupport

/// The reports of `edrsink` about the display, its settings, and its behaviour without a display.
@Suite struct EDRSinkStateTests {
    @Test(arguments: ["display-state", "natural", "sdr-headroom"])
    func stateIsReported(_ check: String) throws {
        try EDRSinkProgram.check("state", check)
    }

    @Test(arguments: ["force-headroom", "unforce", "settings", "always", "playing"])
    func settingsActAtOnce(_ check: String) throws {
        try EDRSinkProgram.check("state", check)
    }

    @Test(arguments: ["missing", "automatic"]) func withoutADisplay(_ check: String) throws {
        try EDRSinkProgram.check("state", check)
    }

    /// gst-launch-1.0 ends, and says what to do.
    @Test(arguments: [("wayland", "XDG_RUNTIME_DIR"), ("x11", "DISPLAY")])
    func aLaunchLineWithoutADisplayEnds(_ presenter: String, _ missing: String) throws {
        let outcome = try GstTool.run(
            "env",
            ["-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "gst-launch-1.0", "videotestsrc", "num-buffers=5", "!"]
                + ["edrsink", "presenter=\(presenter)"], timeout: 10)
        #expect(outcome.status > 0, "\(outcome)")
        #expect(
            outcome.errors.contains(missing) && outcome.errors.contains("presenter=offscreen"),
            "\(outcome)")
    }

    /// Pictures are shown offscreen, where they are not seen, on request only, with `-q` or without.
    @Test(arguments: [["-q"], []]) func aLaunchLineDoesNotGoOffscreenByItself(_ options: [String]) throws {
        let outcome = try GstTool.run(
            "env",
            [
                "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "gst-launch-1.0",
            ] + options + ["videotestsrc", "num-buffers=5", "!", "edrsink"],
            timeout: 20)
        #expect(outcome.status > 0, "\(outcome)")
        for text in ["No picture can be shown", "wayland: ", "x11: ", "presenter=offscreen"] {
            #expect(outcome.errors.contains(text), "\(outcome)")
        }
    }

    /// Every format of the pad's template is shown.
    @Test(arguments: [
        "P010_10LE", "NV12", "I420", "I420_10LE", "YV12", "NV21", "Y42B", "Y444", "I420_12LE", "I422_10LE", "I422_12LE",
        "Y444_10LE", "Y444_12LE", "Y444_16LE", "P012_LE", "P016_LE", "RGBA", "BGRA", "ARGB", "ABGR", "RGBx", "BGRx",
        "xRGB",
        "xBGR", "RGB", "BGR", "RGB10A2_LE", "BGR10A2_LE", "ARGB64_LE", "RGBA64_LE", "GBR_10LE", "GBR_12LE", "GBRA_12LE",
        "AYUV64", "v210",
    ]) func formatsAreTaken(_ format: String) throws {
        let line = "videotestsrc num-buffers=2 ! video/x-raw,format=\(format),width=37,height=21,framerate=30/1 ! "
        try expectClean(GstTool.launch(line + "edrsink presenter=offscreen sync=false"))
    }
}
