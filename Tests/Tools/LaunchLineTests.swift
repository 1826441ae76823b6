import Foundation
import PluginSupport
import TestSupport
import Testing

/// A launch line with the elements gives the same file as the command: policy is in the elements.
@Suite(.timeLimit(.minutes(20))) struct LaunchLineTests {
    static let hasReader = Command.exists("ffprobe")
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// All data that ffprobe reads of a file, each packet with its times and a hash of its data, without the creation
    /// time.
    private func facts(_ name: String) async throws -> [Substring] {
        let result = try await Command(
            "ffprobe",
            [
                "-v", "error", "-show_format", "-show_streams", "-show_packets", "-show_data_hash", "MD5",
                folder.path(name),
            ]
        ).run()
        #expect(result.status == 0, "\(result)")
        let lines = result.output.split(separator: "\n").filter { line in
            !["creation_time", "filename="].contains { line.contains($0) }
        }
        guard name.hasSuffix(".mkv") else { return lines }
        // A Matroska track's identifier is a random number, of which the leading zeros are not written: what lies
        // behind it may be a byte earlier.
        let format = lines.firstIndex(of: "[FORMAT]") ?? lines.endIndex
        return lines[..<format].filter { !$0.hasPrefix("pos=") }
            + lines[format...].filter { !$0.hasPrefix("size=") && !$0.hasPrefix("bit_rate=") }
    }

    @Test(
        Samples.areThere, .enabled(if: hasReader, "ffmpeg is not installed"), arguments: Samples.files,
        ["passthrough", "hevc-highest-quality"])
    func sameFile(_ sample: String, preset: String) async throws {
        let (path, ending) = (Samples.path(sample), String(sample.suffix(4)))
        let type = [".mov": "mov", ".mp4": "mp4", ".mkv": "matroska"][ending] ?? ""
        let isCopy = preset == "passthrough"
        let (line, command) = ("line\(ending)", "command\(ending)")
        let speed = isCopy ? [] : ["--speed", "ultrafast"]
        let made = try await HDRCommand.run(
            ["export", "--preset", preset, path, "-o", command, "--quiet"] + speed, in: folder)
        #expect(made.status == 0, "\(made)")
        let wanted = try await facts(command)
        let sound = wanted.contains("codec_type=audio") ? " s.audio_0 ! queue ! m.audio_0" : ""
        let outcome = try GstTool.launch(
            "hdrsrc location=\(path) decode=\(!isCopy) name=s s.video_0 ! queue ! m.video_0 hdrmux-settings name=m "
                + "preset=\(preset) file-type=\(type)\(isCopy ? "" : " speed-preset=ultrafast") ! "
                + "filesink location=\(folder.path(line))\(sound)", timeout: 120)
        #expect(outcome.status == 0, "\(outcome)")
        let found = try await facts(line)
        #expect(found.count == wanted.count)
        for (a, b) in zip(found, wanted) where a != b { Issue.record("\(a) where the command has \(b)") }
        let sizes = try [line, command].map { try Data(contentsOf: folder.url.appendingPathComponent($0)).count }
        #expect(abs(sizes[0] - sizes[1]) <= (type == "matroska" ? 8 : 0))
    }
}
