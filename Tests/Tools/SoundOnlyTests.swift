import PluginSupport
import TestSupport
import Testing

/// Commands that work on pictures, and a file that has none.
@Suite(.timeLimit(.minutes(5))) struct SoundOnlyTests {
    let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        try await TestClip(color: "bt2100-hlg", frames: 3, hasSound: false).make("clip.mkv", in: folder)
        try await GstLaunch.make(
            "audiotestsrc num-buffers=20 ! avenc_aac ! mp4mux ! filesink location=\(folder.path("sound.m4a"))")
    }

    @Test(
        arguments: [
            "snapshot sound.m4a", "snapshot sound.m4a --thumbnail 64", "snapshot sound.m4a --at 0.1",
            "sheet sound.m4a", "light sound.m4a", "compare sound.m4a clip.mkv", "compare clip.mkv sound.m4a",
            "retag sound.m4a --color bt709",
        ])
    func thereIsNoVideo(_ line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let result = try await HDRCommand.run(words, in: folder)
        #expect(result.status == 1 && result.output.isEmpty, "\(result)")
        #expect(
            result.errors == "hdr \(words[0]): sound.m4a has no video track: give a file with video\n", "\(result)")
        #expect(folder.names == ["clip.mkv", "sound.m4a"])
    }

    /// Only `hdr export` has a preset to choose instead.
    @Test func exportAdvisesItsPreset() async throws {
        let result = try await HDRCommand.run(["export", "sound.m4a"], in: folder)
        #expect(result.status == 1 && result.errors.contains("or choose the preset m4a"), "\(result)")
    }
}
