import PluginSupport
import Testing
import TestSupport

/// What applications change, ask and seek while elements run.
@Suite struct ApplicationChangeTests {
    @Test(
        arguments: [
            "release-pads", "settings-at-the-start", "save-on-error", "again-in-a-flush", "views-anywhere",
            "upright-again", "segments", "other-format",
        ])
    func whileElementsRun(_ name: String) throws {
        let path = Repository.path("Tests/Elements/Programs/changes.py")
        let outcome = try GstTool.run(
            "/usr/bin/python3", ["-B", path, name], environment: EDRSinkProgram.noDisplay, timeout: 60)
        #expect(outcome.status == 0 && outcome.output == "\(name) ok\n", "\(outcome)")
    }
}
