import Foundation
import PluginSupport
import TestSupport
import Testing

/// Parts of files of which neither pictures nor sound begin and end where the part does.
@Suite(.enabled(if: Command.exists("ffmpeg"), "ffmpeg is not installed"), .timeLimit(.minutes(10)))
struct PartTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func probe(_ name: String, _ stream: String, _ entries: String) async throws -> [String] {
        let result = try await Command(
            "ffprobe",
            [
                "-v", "error", "-select_streams", stream, "-show_entries", entries, "-of", "csv=p=0", folder.path(name),
            ]
        ).run()
        return result.output.split(separator: "\n").compactMap { line in
            line.split(separator: ",").first.map(String.init)
        }
    }

    /// Pictures that are shown before the key frame of their group, and refer to the group before.
    @Test(arguments: ["mov", "mkv", "ts"], [2.1, 4.1])
    func copiesOfOpenGroups(_ ending: String, from: Double) async throws {
        try await GstLaunch.make(
            "videotestsrc num-buffers=200 pattern=ball ! video/x-raw,format=I420_10LE,width=192,height=108,"
                + "framerate=30000/1001,colorimetry=bt2100-pq ! x265enc key-int-max=60 "
                + "option-string=\"bframes=4:open-gop=1:keyint=60:min-keyint=60:scenecut=0\" ! h265parse ! qtmux ! "
                + "filesink location=\(folder.path("open.mov"))")
        let copy = try await HDRCommand.run(
            [
                "export", "--preset", "passthrough", "--from", "\(from)", "--to", "\(from + 0.1)", "open.mov", "-o",
                "part.\(ending)",
            ], in: folder)
        #expect(copy.status == 0, "\(copy)")
        let times = try await probe("part.\(ending)", "v", "packet=pts_time").compactMap(Double.init).sorted()
        let places = times.map { ($0 - (times.first ?? 0)) * 30 / 1.001 }
        #expect(places.allSatisfy { abs($0 - $0.rounded()) < 0.06 }, "\(times)")
        // From the key frame on, which is 2.94 frames before the part: each once.
        let frames = places.map { Int($0.rounded()) }
        #expect(Set(frames).count == frames.count && Set(frames).isSuperset(of: 0...5), "\(frames)")
    }

    /// Three chapters, of which the part begins in the first, ends in the second, and leaves out the third.
    @Test func chaptersOfAPart() async throws {
        try await TestClip(color: "bt709", frames: 90).make("plain.mkv", in: folder)
        let chapters = [(0, 1000), (1000, 2000), (2000, 3000)].enumerated().map { index, range in
            "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(range.0)\nEND=\(range.1)\ntitle=Part \(index + 1)\n"
        }
        let list = try folder.write(";FFMETADATA1\n" + chapters.joined(), to: "chapters.txt")
        let made = try await Command(
            "ffmpeg",
            [
                "-v", "error", "-i", folder.path("plain.mkv"), "-i", list, "-map_metadata", "1", "-c", "copy",
                folder.path("film.mkv"),
            ]
        ).run()
        try #require(made.status == 0, "\(made)")
        func read(_ name: String) async throws -> [String] {
            let result = try await Command(
                "ffprobe",
                [
                    "-v", "error", "-show_entries", "chapter=start_time,end_time:chapter_tags=title", "-of", "csv=p=0",
                    folder.path(name),
                ]
            ).run()
            return result.output.split(separator: "\n").map(String.init)
        }
        for preset in ["hevc-highest-quality", "passthrough"] {
            // Copies begin with a key frame, which is the first one here.
            let isCopy = preset == "passthrough"
            let part = try await HDRCommand.run(
                [
                    "export", "--force", "--preset", preset, "--from", isCopy ? "0" : "0.5", "--to", "1.5", "film.mkv",
                    "-o", "part.mkv",
                ], in: folder)
            #expect(part.status == 0 && !part.errors.contains("chapters"), "\(part)")
            let wanted =
                isCopy
                ? ["0.000000,1.000000,Part 1", "1.000000,1.500000,Part 2"]
                : ["0.000000,0.500000,Part 1", "0.500000,1.000000,Part 2"]
            #expect(try await read("part.mkv") == wanted)
        }
        let whole = try await HDRCommand.run(
            ["export", "--speed", "ultrafast", "film.mkv", "-o", "all.mkv"], in: folder)
        #expect(whole.status == 0 && whole.errors.isEmpty, "\(whole)")
        #expect(try await read("all.mkv") == read("film.mkv"))
        let movie = try await HDRCommand.run(
            ["export", "--speed", "ultrafast", "film.mkv", "-o", "all.mov"], in: folder)
        #expect(
            movie.notes == [
                "hdr export: note: chapters are not in the file, of which the source has 3: only Matroska "
                    + "files get them"
            ])
        let joined = try await HDRCommand.run(
            ["concat", "--speed", "ultrafast", "film.mkv", "film.mkv", "-o", "twice.mkv"], in: folder)
        #expect(joined.notes == ["hdr concat: note: chapters of the clips were left out: 6"])
        // A film that two clips come from has its chapters once.
        let words = ["timeline", "--speed", "ultrafast", "film.mkv", "to=0.5s", "+", "film.mkv", "from=1s", "to=1.5s"]
        let cut = try await HDRCommand.run(words + ["-o", "cut.mov"], in: folder)
        #expect(cut.notes == ["hdr timeline: note: chapters of the clips were left out: 3"], "\(cut)")
        let plan = try await HDRCommand.run(words + ["--dry-run", "--json", "-o", "plan.mov"], in: folder)
        #expect(plan.output.contains("chapters of the clips were left out: 3"), "\(plan)")
    }

    /// A track of timecodes, which GStreamer shows no pad for.
    @Test func timecodesAreMissed() async throws {
        try await TestClip(color: "bt709", frames: 10).make("plain.mkv", in: folder)
        let made = try await Command(
            "ffmpeg",
            [
                "-v", "error", "-i", folder.path("plain.mkv"), "-timecode", "01:00:00:00", "-c:v", "libx264",
                folder.path("film.mov"),
            ]
        ).run()
        try #require(made.status == 0, "\(made)")
        let whole = try await HDRCommand.run(["export", "--speed", "ultrafast", "film.mov", "-o", "a.mov"], in: folder)
        #expect(whole.status == 0 && whole.notes == ["hdr export: note: the file's timecode was left out"], "\(whole)")
        let joined = try await HDRCommand.run(
            ["concat", "--speed", "ultrafast", "film.mov", "film.mov", "-o", "b.mov"], in: folder)
        #expect(joined.notes == ["hdr concat: note: timecodes of the clips were left out: 2"], "\(joined)")
    }

    /// AAC whose edit list leaves out what the encoder needed to begin.
    @Test(arguments: [("0", "0.5", 0.5), ("2", "3", 1), ("1.0", "1.02", 0.02), ("3", "3.001", 0.001)])
    func soundOfAPart(_ from: String, _ to: String, lasts: Double) async throws {
        try await GstLaunch.make(
            "videotestsrc num-buffers=120 ! video/x-raw,format=I420_10LE,width=64,height=48,framerate=30/1,"
                + "colorimetry=bt2100-hlg ! x265enc speed-preset=ultrafast ! h265parse ! qtmux ! "
                + "filesink location=\(folder.path("silent.mov"))")
        let made = try await Command(
            "ffmpeg",
            [
                "-v", "error", "-i", folder.path("silent.mov"), "-f", "lavfi", "-i",
                "sine=duration=4:sample_rate=48000", "-c:v", "copy", "-tag:v", "hvc1", "-c:a", "aac",
                folder.path("film.mov"),
            ]
        ).run()
        try #require(made.status == 0, "\(made)")
        let part = try await HDRCommand.run(
            ["export", "--from", from, "--to", to, "--speed", "ultrafast", "film.mov", "-o", "part.mov"], in: folder)
        #expect(part.status == 0, "\(part)")
        let duration = try await probe("part.mov", "a", "stream=duration").first.flatMap(Double.init) ?? 0
        // A tick of the file's clock.
        #expect(abs(duration - lasts) < 0.0001, "\(duration)")
    }
}
