import Foundation
import Testing
import TestSupport

/// `edrsink` on an X server without a screen.
@Suite(.serialized) struct EDRSinkWindowTests {
    static let hasX = Command.exists("Xvfb") && dlopen("libX11.so.6", RTLD_LAZY) != nil

    @Test(
        .enabled(if: hasX, "Xvfb or libX11 is not installed"),
        arguments: ["x11-24", "x11-30", "x11-window", "resize", "pixel-aspect", "views", "navigation", "closed"])
    func onX11(_ check: String) throws {
        try EDRSinkProgram.check("window", check)
    }
}
