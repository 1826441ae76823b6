import Foundation
import Testing
import TestSupport

/// The frames that `edrsink` hands out, saves and records.
@Suite struct EDRSinkFrameTests {
    @Test(arguments: ["png", "signals", "refusals"]) func stillsSayWhatTheyAre(_ check: String) throws {
        try EDRSinkProgram.check("stills", check)
    }

    @Test(.enabled(if: Command.exists("ffmpeg"), "ffmpeg is not installed"), arguments: ["values", "sdr", "exr"])
    func stillsHaveTheSourcesValues(_ check: String) throws {
        try EDRSinkProgram.check("stills", check)
    }

    @Test(arguments: [
        "record", "bounded", "untimed", "late", "item-time", "copies", "paused-copy", "outputs", "flushed",
    ])
    func framesByTime(_ check: String) throws {
        try EDRSinkProgram.check("frames", check)
    }

    @Test(arguments: ["display-link", "slow-handler"]) func refreshes(_ check: String) throws {
        try EDRSinkProgram.check("frames", check)
    }
}
