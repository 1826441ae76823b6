import PluginSupport
import Testing
import TestSupport

/// Programs of others read in an export, in its container and its bitstream, what the source said.
@Suite struct OtherReadersTests {
    private static let tools = ["ffprobe", "mediainfo", "mkvmerge"]
    private static let missing = tools.filter { !Command.exists($0) }

    @Test(
        .enabled(if: missing.isEmpty, "not installed: \(missing.joined(separator: ", "))"),
        arguments: ["hdr10", "hlg", "sdr"])
    func agree(_ kind: String) throws {
        let folder = try TemporaryFolder()
        let program = Repository.path("Tests/Elements/Programs/readers.py")
        let outcome = try GstTool.run(
            "/usr/bin/python3", ["-B", program, kind, folder.url.path], timeout: 90)
        expectClean(outcome)
        #expect(outcome.output == "\(kind) ok\n", "\(outcome)")
    }
}
