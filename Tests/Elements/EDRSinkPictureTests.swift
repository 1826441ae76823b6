import Testing
import TestSupport

/// The light of `edrsink` on an offscreen display, against formulas in Float64.
@Suite struct EDRSinkPictureTests {
    /// At headrooms of 1, 2, 4 and 10, half floats and 10-bit PQ are within a code.
    @Test(arguments: ["rolloff", "clip", "bt2390", "reference-white"])
    func rampFollowsTheCurve(_ curve: String) throws {
        try EDRSinkProgram.check("picture", "ramp-\(curve)")
    }

    @Test(arguments: ["colors", "white", "hlg", "peaks"]) func highDynamicRange(_ check: String) throws {
        try EDRSinkProgram.check("picture", check)
    }

    @Test func nothingJumpsWhileTheHeadroomMoves() throws {
        try EDRSinkProgram.check("picture", "moving-headroom")
    }

    @Test(arguments: ["sdr", "extended-sdr", "as-sdr", "approximate"]) func standardDynamicRange(_ check: String) throws
    {
        try EDRSinkProgram.check("picture", check)
    }

    @Test(.enabled(if: Oracle.canRun, "numpy is not installed"))
    func withoutExtendedRangeItIsTheOracles() throws {
        try EDRSinkProgram.check("picture", "oracle", environment: ["ORACLE": Oracle.folder])
    }

    @Test func lightBeyondTheHeadroomIsCut() throws {
        try EDRSinkProgram.check("picture", "beyond")
    }
}
