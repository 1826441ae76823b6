import PluginSupport
import TestSupport
import Testing

/// Frame steps and rates that change without a flush, behind `hdrtap` and in `edrsink`, for a program in Python.
@Suite struct StepsAndRatesTests {
    @Test(arguments: [
        "time-steps", "far", "reverse", "boundary", "next-clip", "step-while-playing", "changed-rate",
        "rate-in-a-pause",
        "rate-over-clips", "copies-at-a-rate",
    ])
    func framesByTime(_ check: String) throws {
        let path = Repository.path("Tests/Elements/Programs/steps_and_rates.py")
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", path, check], timeout: 110)
        expectClean(outcome)
        #expect(outcome.output == "\(check) ok\n", "\(outcome)")
    }
}
