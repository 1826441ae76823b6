import Foundation
import PluginSupport
import TestSupport
import Testing

/// The output of `--json` where a command fails: an object with the reason, in addition to the line on standard error.
@Suite(.timeLimit(.minutes(10))) struct JSONErrorTests {
    let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        try await TestClip(color: "bt2100-hlg", frames: 3, hasSound: false).make("clip.mkv", in: folder)
        try folder.write("This is not a video at all.\n", to: "text.mkv")
    }

    private func objects(
        _ words: [String], status: Int32 = 1
    ) async throws -> (objects: [[String: Any]], result: Command.Result) {
        let result = try await HDRCommand.run(words + ["--json"], in: folder)
        #expect(result.status == status, "\(result)")
        let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        return (try #require(list, "\(result)"), result)
    }

    /// The lines of a single input, by the member that names it.
    static let lines = [
        ("convert text.mkv", "input"), ("export text.mkv", "input"), ("export text.mkv --dry-run", "input"),
        ("retag text.mkv --color bt709", "input"), ("snapshot text.mkv", "input"), ("sheet text.mkv", "input"),
        ("light text.mkv", "input"), ("rpu extract text.mkv", "input"), ("rpu info text.mkv", "input"),
        ("rpu info text.mkv --frame 0", "input"), ("hdr10plus info text.mkv", "input"),
        ("hdr10plus plot text.mkv", "input"), ("tap text.mkv", "input"), ("export absent.mkv", "input"),
        ("snapshot absent.mkv", "input"), ("rpu info absent.bin", "input"), ("tap absent.wav", "input"),
        ("export clip.mkv --preset-file absent --preset x", "input"), ("play absent.mkv", "file"),
        ("play text.mkv --presenter offscreen", "file"), ("play text.mkv --dry-run", "file"),
        ("concat clip.mkv text.mkv -o all.mov", "output"), ("concat clip.mkv absent.mkv -o all.mov", "output"),
        ("timeline text.mkv -o all.mov", "output"), ("compare clip.mkv text.mkv", "a"),
        ("compare clip.mkv absent.mkv --dry-run", "a"),
    ]

    @Test(arguments: lines) func anErrorIsSaidTwice(_ line: String, member: String) async throws {
        let found = try await objects(line.split(separator: " ").map(String.init))
        let errors = found.result.errorLines
        let object = try #require(found.objects.first, "\(found.result)")
        let error = try #require(object["error"] as? String, "\(found.result)")
        #expect(found.objects.count == 1 && object[member] is String && !error.isEmpty, "\(found.result)")
        #expect(errors.count == 1 && errors.first?.hasSuffix(": " + error) == true, "\(found.result)")
        #expect(folder.names == ["clip.mkv", "text.mkv"])
    }

    /// An object for each input, and a line for each error.
    @Test(
        arguments: [
            ["export", "clip.mkv", "absent.mkv", "--dry-run"], ["snapshot", "clip.mkv", "text.mkv", "-o", "."],
            ["rpu", "info", "clip.mkv", "absent.bin"], ["convert", "text.mkv", "absent.mkv"],
        ])
    func eachInputHasAnObject(_ words: [String]) async throws {
        let found = try await objects(words)
        let inputs = words.filter { $0.contains(".mkv") || $0.hasSuffix(".bin") }
        #expect(found.objects.map { $0["input"] as? String } == inputs, "\(found.result)")
        let last = try #require(found.objects.last?["error"] as? String, "\(found.result)")
        #expect(found.result.errors.contains(": \(last)\n"), "\(found.result)")
    }

    /// Where a display is missing, the file is not played.
    @Test func playWithoutADisplay() async throws {
        var command = HDRCommand.command(["play", "--json", "clip.mkv"], in: folder)
        command.environment = ["DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_RUNTIME_DIR": ""]
        let result = try await command.run()
        let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        let object = try #require(list?.first, "\(result)")
        #expect(result.status == 1 && object["position-seconds"] is NSNull, "\(result)")
        #expect(result.errors == "hdr play: \(object["error"] as? String ?? "-")\n", "\(result)")
    }

    @Test func wrongSettings() async throws {
        let found = try await objects(["export", "clip.mkv", "--preset", "hevc"], status: 2)
        #expect((found.objects.first?["error"] as? String)?.hasPrefix("no preset is called hevc") == true)
        #expect(found.result.errorLines.count == 1, "\(found.result)")
    }

    @Test func oneRPUIsAnArrayToo() async throws {
        let config = """
            {"profile": "8.1", "length": 2, "level6": {"max_display_mastering_luminance": 1000,
             "min_display_mastering_luminance": 1, "max_content_light_level": 1000,
             "max_frame_average_light_level": 400}}
            """
        try folder.write(config, to: "config.json")
        let made = try await HDRCommand.run(["rpu", "generate", "config.json", "-o", "film.bin", "-q"], in: folder)
        try #require(made.status == 0, "\(made)")
        let one = try await objects(["rpu", "info", "film.bin", "--frame", "1"], status: 0)
        #expect(one.objects.count == 1 && one.objects[0]["input"] as? String == "film.bin", "\(one.result)")
        let plain = try await HDRCommand.run(["rpu", "info", "film.bin", "--frame", "1"], in: folder)
        let object = try JSONSerialization.jsonObject(with: Data(plain.output.utf8)) as? [String: Any]
        #expect(Set(one.objects[0].keys) == Set(object?.keys ?? [:].keys).union(["input"]), "\(plain)")
    }

    /// JSON is asked for, and quiet does not take it away.
    @Test(
        arguments: [
            (["inspect", "clip.mkv"], 0), (["inspect", "clip.mkv", "absent.mkv"], 2), (["doctor"], nil),
            (["displays"], nil), (["snapshot", "clip.mkv", "-o", "a.png"], 0), (["rpu", "info", "clip.mkv"], 1),
            (["compare", "clip.mkv", "clip.mkv", "--no-picture"], 0), (["bench", "convert", "--list"], 0),
        ] as [([String], Int32?)])
    func quietAndJSON(_ words: [String], status: Int32?) async throws {
        let quiet = words[0] == "bench" ? [] : ["-q"]
        let result = try await HDRCommand.run(words + quiet + ["--json"], in: folder)
        if let status { #expect(result.status == status, "\(result)") }
        let found = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        #expect((found as? [Any])?.isEmpty == false || (found as? [String: Any])?.isEmpty == false, "\(result)")
    }
}
