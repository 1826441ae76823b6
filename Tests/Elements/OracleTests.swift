import Foundation
import PluginSupport
import TestSupport
import Testing

/// The Float64 definition of the colour maths, which is a Python program of the tests.
enum Oracle {
    static let folder = Repository.path("Tests/Oracle")
    static let canRun =
        (try? Command("/usr/bin/python3", ["-c", "import numpy"]).runToEnd())?.status == 0

    static func run(_ program: String, _ arguments: [String] = []) throws -> Command.Result {
        try GstTool.run("/usr/bin/python3", ["-B", "\(folder)/\(program).py"] + arguments, timeout: 120)
    }
}

/// The release plugin beside a definition that shares nothing with it.
@Suite(.enabled(if: Oracle.canRun, "numpy is not installed")) struct OracleTests {
    /// The definition takes most of the time.
    private static let size = "240x135"

    @Test func theOracleGivesPublishedFigures() throws {
        let outcome = try Oracle.run("hdr_oracle")
        expectClean(outcome)
        #expect(outcome.output == "ok\n")
    }

    /// Colours of a seed of the day, which a failure names, in each format and by each curve.
    @Test(arguments: ["y444-10le", "y444-12le", "y444-16le", "gbr-10le", "gbr-12le"])
    func referenceQualityIsWithinACode(_ format: String) throws {
        let seed = Int(Date().timeIntervalSince1970) / 86400
        let outcome = try Oracle.run(
            "compare_element",
            ["hdrconvert", "quality=reference", "--seed", "\(seed)", "--format", format, "--size", Self.size])
        expectClean(outcome)
        #expect(outcome.output.contains("0 of 39 conversions beyond 1 codes"), "\(outcome)")
    }

    /// The comparison in 8 bits, with dither, whose pattern has to be the oracle's.
    @Test(arguments: ["ordered", "blue-noise"], ["y444-10le", "gbr-12le"])
    func ditherIsWithinACode(_ dither: String, _ format: String) throws {
        let seed = Int(Date().timeIntervalSince1970) / 86400
        let outcome = try Oracle.run(
            "compare_element",
            [
                "hdrconvert", "quality=reference", "--seed", "\(seed)", "--format", format, "--dither", dither,
                "--share", "0.005", "--size", Self.size,
            ])
        expectClean(outcome)
        #expect(outcome.output.contains("0 of 39 conversions beyond 1 codes"), "\(outcome)")
    }

    /// Behind a Gaussian blue noise has less error than ordered dither, on flat fields and on ramps, and no peak in its
    /// spectrum.
    @Test func blueNoiseShowsLess() throws {
        let outcome = try Oracle.run("dither", ["hdrconvert"])
        expectClean(outcome)
        #expect(outcome.output.contains("flat fields: RMS"), "\(outcome)")
    }
}
