import Foundation
import PluginSupport
import TestSupport
import Testing

/// The plan of `--dry-run` is the one that the work has, and what the work would refuse, the plan refuses.
@Suite(.timeLimit(.minutes(10))) struct ExportPlanTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func object(_ words: [String]) async throws -> [String: Any] {
        try #require(try await HDRCommand.objects(words, in: folder).first)
    }

    @Test(
        arguments: [
            "export clip.mkv -o out.mov", "export clip.mkv -o out.mov --preset h264-640x480",
            "export clip.mkv -o out.mov --preset prores-422 --from 0.1 --to 0.2",
            "export clip.mkv -o out.mov --preset passthrough", "export clip.mkv -o out.m4a --preset m4a",
            "retag clip.mkv -o out.mov --light-levels 1000:100", "convert clip.mkv -o out.mp4 --no-picture",
            "convert clip.mkv -o out.mov --range pq", "concat clip.mkv clip.mkv -o out.mov",
        ])
    func thePlanIsThatOfTheWork(_ line: String) async throws {
        try await TestClip(color: "bt2100-hlg", frames: 10).make("clip.mkv", in: folder)
        let words = line.split(separator: " ").map(String.init)
        let plan = try await object(words + ["--dry-run"])
        #expect(folder.names == ["clip.mkv"])
        let done = try await object(words)
        for member in ["input", "output", "preset", "notes", "sound", "plan"] {
            #expect("\(plan[member] ?? "-")" == "\(done[member] ?? "-")", "\(member)")
        }
        #expect((plan["plan"] as? [String])?.isEmpty == line.contains("m4a"), "\(plan)")
        #expect(plan["frames"] == nil)
    }

    @Test func thePlanIsPrinted() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 10).make("clip.mkv", in: folder)
        let plan = try await HDRCommand.run(["export", "clip.mkv", "-o", "out.mov", "--dry-run"], in: folder)
        let lines = plan.output.split(separator: "\n")
        #expect(plan.status == 0 && plan.errors.isEmpty && folder.names == ["clip.mkv"], "\(plan)")
        #expect(lines.first == "clip.mkv to out.mov: preset hevc-highest-quality, file type mov", "\(plan)")
        for word in ["video: HEVC Main 10", "encoder: ", "picture: 320x180", "color: ", "rate: ", "sound: encoded"] {
            #expect(lines.contains { $0.hasPrefix("  " + word) }, "\(word): \(plan)")
        }
        let done = try await HDRCommand.run(["export", "clip.mkv", "-o", "out.mov", "--verbose"], in: folder)
        for line in lines.dropFirst() where !line.hasPrefix("  sound") {
            #expect(done.output.contains(line + "\n"), "\(done)")
        }
    }

    @Test(arguments: ["concat clip.mkv clip.mkv -o out.mov", "timeline clip.mkv dissolve 0.1s clip.mkv -o out.mov"])
    func ofSeveralClipsTheEncoderIsPrintedToo(_ line: String) async throws {
        try await TestClip(color: "bt2100-hlg", frames: 10).make("clip.mkv", in: folder)
        let words = line.split(separator: " ").map(String.init)
        let plan = try await HDRCommand.run(words + ["--dry-run"], in: folder)
        #expect(plan.status == 0 && plan.errors.isEmpty && folder.names == ["clip.mkv"], "\(plan)")
        for word in ["video: HEVC Main 10", "encoder: ", "picture: 320x180", "color: ", "rate: ", "sound: "] {
            #expect(plan.output.contains("\n  " + word), "\(word): \(plan)")
        }
        let done = try await HDRCommand.run(words + ["--verbose"], in: folder)
        for line in plan.output.split(separator: "\n").dropFirst() where !line.hasPrefix("  sound") {
            #expect(done.output.contains(line + "\n"), "\(done)")
        }
    }

    @Test func aTimelinesExportIsPlanned() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 10).make("clip.mkv", in: folder)
        let words = ["timeline", "clip.mkv", "dissolve", "0.1s", "clip.mkv", "-o", "out.mov"]
        let plan = try await object(words + ["--dry-run"])
        #expect(folder.names == ["clip.mkv"])
        let done = try await object(words)
        for member in ["preset", "sound", "export-plan", "notes"] {
            #expect("\(plan[member] ?? "-")" == "\(done[member] ?? "-")", "\(member)")
        }
        #expect((plan["export-plan"] as? [String])?.count ?? 0 > 3)
    }

    @Test(
        arguments: [
            ("export text.mkv", "is not a video"), ("convert text.mkv", "is not a video"),
            ("retag text.mkv --color bt709", "is not a video"),
            ("export clip.mkv --encoder x264enc", "is none that encodes HEVC"),
            ("export clip.mkv --preset m4a", "has no sound that can be exported"),
            ("export clip.mkv --from 9", "no frame of clip.mkv"), ("convert clip.mkv --range hlg", "is HLG already"),
            ("snapshot text.mkv", "is not a video"), ("sheet text.mkv", "is not a video"),
            ("light text.mkv", "is not a video"), ("compare clip.mkv text.mkv", "is not a video"),
            ("rpu extract text.mkv", "is not a video"), ("hdr10plus plot text.mkv", "is not a video"),
            ("snapshot clip.mkv --at 9", "is beyond the end of clip.mkv"),
            ("sheet clip.mkv --from 9", "has no frames there"), ("light clip.mkv --from 9", "has no frames there"),
            ("compare clip.mkv clip.mkv --from 9", "--from lies after the end"),
            ("compare clip.mkv clip.mkv --at 9", "have no frames at 0:09.000"),
            ("rpu remove clip.mkv", "has VP9: dynamic metadata are in HEVC and AV1"),
            ("hdr10plus info clip.mkv", "has VP9: dynamic metadata are in HEVC and AV1"),
        ])
    func thePlanRefusesToo(_ line: String, says: String) async throws {
        try await TestClip(color: "bt2100-hlg", frames: 5, hasSound: false).make("clip.mkv", in: folder)
        try folder.write("This is not a video at all.\n", to: "text.mkv")
        let words = line.split(separator: " ").map(String.init)
        var lines: Set<String> = []
        for more in [["--dry-run"], []] {
            let result = try await HDRCommand.run(words + more, in: folder)
            #expect(result.status == 1 && result.errors.contains(says) && result.output.isEmpty, "\(result)")
            #expect(result.errorLines.count == 1 && folder.names == ["clip.mkv", "text.mkv"], "\(result)")
            lines.insert(result.errors)
        }
        #expect(lines.count == 1, "the plan and the work say different things: \(lines)")
    }

    /// The exporter gets converted pictures, whose colours are not those of the file.
    @Test func theColoursOfAConversion() async throws {
        try await TestClip(color: "bt2100-pq", frames: 5, hasSound: false).make("clip.mkv", in: folder)
        for words in [["--dry-run"], ["--verbose", "--no-picture"]] {
            let result = try await HDRCommand.run(["convert", "clip.mkv"] + words, in: folder)
            let lines = result.output.split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix("  color: ") }, "\(result)")
            #expect(line.hasPrefix("  color: ITU_R_709_2/ITU_R_709_2/ITU_R_709_2, converted from PQ"), "\(line)")
        }
    }

    /// One input that cannot be read does not hide the plans of the others.
    @Test func plansOfSeveral() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 5, hasSound: false).make("clip.mkv", in: folder)
        let result = try await HDRCommand.run(["export", "absent.mkv", "clip.mkv", "--dry-run"], in: folder)
        #expect(result.status == 1 && result.output.contains("  encoder: "), "\(result)")
        #expect(
            result.errorLines.first == "hdr export: there is no file absent.mkv: check the spelling and the folder")
        #expect(result.errorLines.last == "hdr export: 1 of 2 files failed", "\(result)")
    }

    // MARK: Light levels that there are not

    /// What has no light levels is told before all of it is measured.
    @Test(
        arguments: [
            ("bt2100-hlg", "hevc-highest-quality", "becomes is HLG, whose light is relative to the display"),
            ("bt2100-hlg", "passthrough", "give --light-levels MaxCLL:MaxFALL, as hdr light has them"),
            ("bt2100-pq", "h264-640x480", "becomes is SDR, which has no light levels"),
            ("bt709", "passthrough", "becomes is SDR, which has no light levels"),
        ])
    func noLevelsToMeasure(color: String, preset: String, says: String) async throws {
        try await TestClip(color: color, frames: 5, hasSound: false).make("clip.mkv", in: folder)
        let words = ["export", "clip.mkv", "-o", "out.mov", "--preset", preset, "--two-pass-light-levels"]
        for more in [["--dry-run"], []] {
            let result = try await HDRCommand.run(words + more, in: folder)
            #expect(result.status == 1 && result.errors.contains(says), "\(result)")
            #expect(result.errorLines.count == 1 && folder.names == ["clip.mkv"], "\(result)")
        }
        let words2 = words.dropLast() + ["--two-pass", "--dry-run"]
        let plan = try await HDRCommand.run(Array(words2), in: folder)
        #expect(plan.status == 0 && plan.output.contains(", in two passes"), "\(plan)")
    }

    /// Levels of 0 are none.
    @Test func blackPictures() async throws {
        try await GrayClip(levels: [64, 64, 64]).make("black.mkv", in: folder)
        let levels = try await HDRCommand.run(
            ["export", "black.mkv", "-o", "out.mov", "--two-pass-light-levels"], in: folder)
        #expect(
            levels.errors == "hdr export: black.mkv is black, and light levels of 0 say nothing: leave "
                + "--two-pass-light-levels out\n", "\(levels)")
        #expect(levels.status == 1 && folder.names == ["black.mkv"])
        let both = try await HDRCommand.run(["export", "black.mkv", "-o", "out.mov", "--two-pass"], in: folder)
        #expect(both.status == 0 && both.errors.contains("note: black.mkv is black"), "\(both)")
    }
}
