import Foundation
import PluginSupport
import TestSupport
import Testing

/// `edrsink` on compositors that speak color-management-v1, without a screen.
@Suite(.serialized, .enabled(if: Command.exists("dbus-daemon"), "dbus-daemon is not installed"))
struct EDRSinkCompositorTests {
    /// Whether a compositor is installed, of the first version with that protocol or later.
    private static func has(_ program: String, since first: String) -> Bool {
        guard Command.exists(program), let outcome = try? GstTool.run(program, ["--version"]),
            let version = outcome.output.firstMatch(of: /\d+(\.\d+)+/)?.0
        else { return false }
        return version.compare(first, options: .numeric) != .orderedAscending
    }

    @Test(
        .enabled(if: has("mutter", since: "48.0"), "Mutter 48 or later is not installed"),
        arguments: ["mutter", "mutter-hdr"])
    func onMutter(_ check: String) throws {
        try EDRSinkProgram.check("compositors", check)
    }

    @Test(.enabled(if: has("kwin_wayland", since: "6.3"), "KWin 6.3 or later is not installed")) func onKWin() throws {
        try EDRSinkProgram.check("compositors", "kwin")
    }
}
