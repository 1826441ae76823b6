import Foundation
import PluginSupport
import TestSupport
import Testing

/// `edrsink` on Wayland compositors without a screen.
@Suite(.serialized) struct EDRSinkCompositorTests {
    static let hasWeston = Command.exists("weston")
    private static let hasBus = Command.exists("dbus-daemon")

    /// Whether a compositor is installed, of the first version with color-management-v1 or later, and the bus for it.
    private static func has(_ program: String, since first: String) -> Bool {
        guard hasBus, Command.exists(program), let outcome = try? GstTool.run(program, ["--version"]),
            let version = outcome.output.firstMatch(of: /\d+(\.\d+)+/)?.0
        else { return false }
        return version.compare(first, options: .numeric) != .orderedAscending
    }

    @Test(
        .enabled(if: has("mutter", since: "48.0"), "Mutter 48 or later and dbus-daemon are not installed"),
        arguments: ["mutter", "mutter-hdr"])
    func onMutter(_ check: String) throws {
        try EDRSinkProgram.check("compositors", check)
    }

    @Test(.enabled(if: has("kwin_wayland", since: "6.3"), "KWin 6.3 or later and dbus-daemon are not installed"))
    func onKWin() throws {
        try EDRSinkProgram.check("compositors", "kwin")
    }

    @Test(.enabled(if: hasWeston, "Weston is not installed")) func onWeston() throws {
        try EDRSinkProgram.check("compositors", "weston")
    }
}
