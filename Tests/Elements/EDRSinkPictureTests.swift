import Foundation
import Testing

/// The light of `edrsink` on an offscreen display, against formulas in Float64.
@Suite struct EDRSinkPictureTests {
    static let oracle = Repository.root.deletingLastPathComponent().appendingPathComponent("shared/oracle").path
    static let hasOracle = FileManager.default.fileExists(atPath: oracle + "/hdr_oracle.py")

    /// At headrooms of 1, 2, 4 and 10, half floats and 10-bit PQ within a code.
    @Test(arguments: ["rolloff", "clip", "bt2390"]) func rampFollowsTheCurve(_ curve: String) throws {
        try EDRSinkProgram.check("picture", "ramp-\(curve)")
    }

    @Test(arguments: ["colors", "white", "hlg", "peaks"]) func highDynamicRange(_ check: String) throws {
        try EDRSinkProgram.check("picture", check)
    }

    @Test(arguments: ["sdr", "extended-sdr", "as-sdr"]) func standardDynamicRange(_ check: String) throws {
        try EDRSinkProgram.check("picture", check)
    }

    @Test(.enabled(if: hasOracle, "the folder ../shared/oracle is not there"))
    func withoutExtendedRangeItIsTheOracles() throws {
        try EDRSinkProgram.check("picture", "oracle", environment: ["ORACLE": Self.oracle])
    }

    @Test func lightBeyondTheHeadroomIsCut() throws {
        try EDRSinkProgram.check("picture", "beyond")
    }
}
