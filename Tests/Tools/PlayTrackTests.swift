import Foundation
import PluginSupport
import TestSupport
import Testing

/// What `hdr play` chooses and shows beside the picture: tracks, chapters, captions, views, and variants of a stream.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PlayTrackTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let hasFFmpeg = Command.exists("ffmpeg")
    static let hasText =
        (try? GstTool.run("gst-inspect-1.0", ["--exists", "textoverlay"]).status) == 0

    func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Command.Result {
        var command = Command(HDRCommand.program, ["play"] + arguments, directory: folder.url)
        command.environment = GstTool.environment.merging(Displays.none) { $1 }.merging(environment) { $1 }
        command.limit = .seconds(60)
        return try await command.run()
    }

    /// Runs the command on a terminal: where its output matches a pattern, keys are typed.
    func type(_ steps: [(pattern: String, keys: String)], _ arguments: String...) async throws -> Command.Result {
        let list = try JSONEncoder().encode(steps.map { [$0.pattern, $0.keys] })
        let program = Repository.path("Tests/Tools/Programs/terminal.py")
        var command = Command(
            "/usr/bin/python3",
            [program, String(decoding: list, as: UTF8.self), HDRCommand.program, "play", "--presenter", "offscreen"]
                + arguments,
            directory: folder.url)
        command.environment = GstTool.environment.merging(Displays.none) { $1 }
        command.limit = .seconds(60)
        return try await command.run()
    }

    func ffmpeg(_ line: String) async throws {
        let words = ["-v", "error", "-nostdin", "-y"] + line.split(separator: " ").map(String.init)
        let result = try await Command("ffmpeg", words, directory: folder.url).run()
        try #require(result.status == 0, "\(result)")
    }

    func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: folder.url.appendingPathComponent(name))
    }

    /// Ten seconds with sound in English and German, subtitles in both, and three chapters.
    func makeFilm() async throws {
        try await TestClip(color: "bt2100-pq", frames: 300, hasSound: false).make("video.mkv", in: folder)
        for (name, text) in [("en", "Hello"), ("de", "Hallo")] {
            try write("1\n00:00:00,000 --> 00:00:10,000\n\(text)\n", name + ".srt")
        }
        let chapters = [("One", 0), ("Two", 4000), ("Three", 8000)].map { title, start in
            "[CHAPTER]\nTIMEBASE=1/1000\nSTART=\(start)\nEND=\(min(start + 4000, 10000))\ntitle=\(title)\n"
        }
        try write(";FFMETADATA1\n" + chapters.joined(), "chapters.txt")
        try await ffmpeg(
            "-i video.mkv -f lavfi -i sine=440:duration=10 -f lavfi -i sine=880:duration=10 -i en.srt -i de.srt "
                + "-i chapters.txt -map 0 -map 1 -map 2 -map 3 -map 4 -map_chapters 5 -c:v copy -c:a aac -c:s srt "
                + "-metadata:s:a:0 language=eng -metadata:s:a:1 language=ger -metadata:s:s:0 language=eng "
                + "-metadata:s:s:1 language=ger film.mkv")
    }

    // MARK: - Tracks

    @Test(.enabled(if: hasFFmpeg && hasText, "ffmpeg or textoverlay (gstreamer1.0-x) is not there"))
    func choosesTracks() async throws {
        try await makeFilm()
        // The next sound behind the German one is the English one again; behind the last subtitles there are none.
        let chosen = try await type(
            [
                ("0:01 /", "a"), ("sound 1 of 2: en", "v"), ("no subtitles", "v"), ("subtitles 1 of 2: en", "v"),
                ("subtitles 2 of 2: de", "q"),
            ], "--sound", "deu", "--subtitles", "de", "film.mkv")
        #expect(chosen.status == 0 && !chosen.timedOut, "\(chosen)")
        let byNumber = try await type(
            [("0:0[2-9] /", "a"), ("sound 1 of 2: en", "q")], "--sound", "2", "--from", "2", "film.mkv")
        #expect(byNumber.status == 0 && !byNumber.timedOut, "\(byNumber)")
        let absent = try await run(
            ["--presenter", "offscreen", "--duration", "1", "--sound", "fr", "--subtitles", "7", "film.mkv"])
        #expect(absent.status == 0)
        #expect(absent.errors.contains("note: film.mkv: there is no sound fr: the file has 1 (en"), "\(absent)")
        #expect(absent.errors.contains("note: film.mkv: there is no subtitles 7"), "\(absent)")
        for (word, reason) in [("/dev/zero", "is not a regular file"), ("/dev", "is a folder")] {
            let wrong = try await run(["--subtitles", word, "film.mkv"])
            #expect(wrong.status == 2 && wrong.errors.contains("and \(word) \(reason)"), "\(wrong)")
        }
        let file = try await run(["--presenter", "offscreen", "--to", "0.5", "--subtitles", "de.srt", "video.mkv"])
        #expect(file.status == 0 && file.errors.isEmpty, "\(file)")
        // All cues of such a part have been read when the subtitles are chosen.
        try write(
            "1\n00:00:00,200 --> 00:00:01,000\nA\n\n2\n00:00:01,500 --> 00:00:02,500\nB\n\n"
                + "3\n00:00:04,000 --> 00:00:06,000\nC\n", "cues.srt")
        try await ffmpeg(
            "-i video.mkv -f lavfi -i sine=440:duration=10 -i cues.srt -map 0 -map 1 -map 2 -c:v copy -c:a aac "
                + "-c:s srt cues.mkv")
        let part = try await run(
            ["--presenter", "offscreen", "--from", "0.6", "--to", "1.2", "--subtitles", "1", "cues.mkv", "cues.mkv"])
        #expect(part.status == 0 && !part.timedOut, "\(part)")
        for (option, value) in [("--subtitles", "none.srt"), ("--sound", "0"), ("--sound", "x1")] {
            let refused = try await run([option, value, "film.mkv"])
            #expect(refused.status == 2 && refused.errors.hasPrefix("hdr play: \(option) wants a number"), "\(refused)")
        }
    }

    @Test(.enabled(if: hasFFmpeg, "ffmpeg is not there"))
    func goesByChapters() async throws {
        try await makeFilm()
        let result = try await type(
            [
                ("0:01 /", "\u{1b}[6~"), ("chapter 2 of 3: Two", "\u{1b}[6~"), ("chapter 3 of 3: Three", "\u{1b}[6~"),
                ("this is the last chapter", "\u{1b}[5~"), ("chapter 2 of 3: Two", "q"),
            ], "film.mkv")
        #expect(result.status == 0 && !result.timedOut, "\(result)")
    }

    @Test(.enabled(if: hasFFmpeg, "ffmpeg is not there"))
    func saysWhatItWouldPlay() async throws {
        try await makeFilm()
        let result = try await run(["--dry-run", "--json", "film.mkv", "absent.mkv"])
        #expect(result.status == 1)
        let list = try #require(
            JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]], "\(result)")
        #expect(list.count == 2 && (list[1]["error"] as? String)?.hasPrefix("there is no file absent.mkv") == true)
        let film = list[0]
        func languages(_ kind: String) -> [String?] {
            (film[kind] as? [[String: Any]] ?? []).map { $0["language"] as? String }
        }
        #expect(languages("sound") == ["en", "de"] && languages("subtitles") == ["en", "de"])
        #expect((film["chapters"] as? [[String: Any]])?.map { $0["title"] as? String } == ["One", "Two", "Three"])
        #expect((film["picture"] as? String) == "320x180, bt2100-pq", "\(result)")
        let text = try await run(["--dry-run", "film.mkv"])
        #expect(text.status == 0 && text.output.contains("  chapter 2: 0:04.000  Two\n"), "\(text)")
    }

    @Test func playsAPart() async throws {
        try await TestClip(color: "bt2100-pq", frames: 90).make("clip.mkv", in: folder)
        let result = try await run(["--presenter", "offscreen", "--from", "1", "--to", "1.5", "--json", "clip.mkv"])
        #expect(result.status == 0, "\(result)")
        let list = try #require(
            JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]], "\(result)")
        let position = try #require(list.first?["position-seconds"] as? Double)
        #expect(abs(position - 1.5) < 0.05, "\(result)")
        let frames = ["frames-shown", "frames-dropped"].compactMap { list.first?[$0] as? Int }.reduce(0, +)
        #expect((10...17).contains(frames), "\(result)")
    }

    // MARK: - Views

    @Test func showsASecondView() async throws {
        try await TestClip(color: "bt2100-pq", frames: 300).make("clip.mkv", in: folder)
        let result = try await type(
            [("0:01 /", "w"), ("0:01 /", "w"), ("0:0[12] /", "w"), ("0:0[12] /", "q")], "--second-view", "part",
            "clip.mkv")
        #expect(result.status == 0 && !result.timedOut && !result.output.contains("note:"), "\(result)")
        let wrong = try await run(["--second-view", "corner", "clip.mkv"])
        #expect(wrong.status == 2 && wrong.errors.contains("there are off, part, whole"), "\(wrong)")
    }

    // MARK: - Captions

    /// Writes CEA-608's captions into the pictures of an H.264 stream, as ATSC A/53 has them.
    static func addCaptions(_ text: String, to stream: Data) -> Data {
        func parity(_ byte: UInt8) -> UInt8 { byte.nonzeroBitCount % 2 == 0 ? byte | 0x80 : byte }
        var words: [(UInt8, UInt8)] = [
            (0x14, 0x20), (0x14, 0x20), (0x14, 0x2e), (0x14, 0x2e), (0x14, 0x70), (0x14, 0x70),
        ]
        let letters = Array(text.utf8)
        for index in stride(from: 0, to: letters.count, by: 2) {
            words.append((letters[index], index + 1 < letters.count ? letters[index + 1] : 0))
        }
        words += [(0x14, 0x2f), (0x14, 0x2f)]
        var result = Data()
        var picture = 0
        let delimiter = Data([0, 0, 0, 1, 9])
        var position = stream.startIndex
        while let found = stream.range(of: delimiter, in: position..<stream.endIndex) {
            let end = stream.range(of: delimiter, in: found.upperBound..<stream.endIndex)?.lowerBound ?? stream.endIndex
            let (a, b) = picture < words.count ? words[picture] : (0, 0)
            picture += 1
            let payload: [UInt8] =
                [0xb5, 0, 0x31] + Array("GA94".utf8) + [3, 0xc1, 0xff, 0xfc, parity(a), parity(b), 0xff]
            let body = stream[(found.upperBound + 1)..<end]
            // The messages lie behind parameter sets, and before the first slice.
            let slice =
                [Data([1, 0x65]), Data([1, 0x41]), Data([1, 0x61]), Data([1, 0x01])]
                .compactMap { body.range(of: Data([0, 0]) + $0)?.lowerBound }.min() ?? body.startIndex
            let start = slice > body.startIndex && body[slice - 1] == 0 ? slice - 1 : slice
            result += stream[found.lowerBound...found.upperBound] + body[..<start]
            result += Data([0, 0, 0, 1, 6, 4, UInt8(payload.count)] + payload + [0x80]) + body[start...]
            position = end
        }
        return result
    }

    @Test(.enabled(if: hasFFmpeg && hasText, "ffmpeg or textoverlay (gstreamer1.0-x) is not there"))
    func showsCaptions() async throws {
        try await GstLaunch.make(
            "videotestsrc num-buffers=60 pattern=black ! video/x-raw,format=I420,width=320,height=180,framerate=30/1 ! "
                + "x264enc tune=zerolatency aud=true sliced-threads=false threads=1 ! "
                + "video/x-h264,stream-format=byte-stream,alignment=au ! filesink location=\(folder.path("plain.h264"))"
        )
        let stream = try Data(contentsOf: folder.url.appendingPathComponent("plain.h264"))
        try Self.addCaptions("HELLO HDR", to: stream).write(to: folder.url.appendingPathComponent("clip.h264"))
        try await ffmpeg("-r 30 -i clip.h264 -c copy clip.mp4")
        let log = folder.path("log")
        let environment = ["GST_DEBUG": "basetextoverlay:5", "GST_DEBUG_FILE": log]
        let result = try await run(["--presenter", "offscreen", "--captions", "clip.mp4"], environment)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        #expect(folder.text("log").contains("updating composition for 'HELLO HDR'"))
        // Colours and light levels of a header, which HDR files have, are set beside the captions.
        try Data().write(to: folder.url.appendingPathComponent("log"))
        let tagged = try await run(
            ["--presenter", "offscreen", "--captions", "--assume", "pq", "clip.mp4"], environment)
        #expect(tagged.status == 0 && tagged.errors.isEmpty, "\(tagged)")
        #expect(folder.text("log").contains("updating composition for 'HELLO HDR'"))
        try Data().write(to: folder.url.appendingPathComponent("log"))
        let without = try await run(["--presenter", "offscreen", "clip.mp4"], environment)
        #expect(without.status == 0 && !folder.text("log").contains("HELLO"), "\(without)")
    }

    // MARK: - Streams

    @Test(.enabled(if: hasFFmpeg, "ffmpeg is not there"))
    func choosesAVariant() async throws {
        for (name, format, colors) in [
            ("pq", "yuv420p10le", "color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc"),
            ("sdr", "yuv420p", "color_primaries=bt709:color_trc=bt709:colorspace=bt709"),
        ] {
            try await ffmpeg(
                "-f lavfi -i testsrc=size=320x180:rate=30:duration=2 -vf format=\(format),setparams=\(colors) "
                    + "-c:v libx264 -preset ultrafast -g 30 -f hls -hls_time 1 -hls_list_size 0 \(name).m3u8")
        }
        try write(
            """
            #EXTM3U
            #EXT-X-VERSION:6
            #EXT-X-STREAM-INF:BANDWIDTH=500000,VIDEO-RANGE=SDR,RESOLUTION=320x180
            sdr.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=400000,VIDEO-RANGE=PQ,CODECS="avc1.6e0020,mp4a.40.2"
            pq.m3u8

            """, "main.m3u8")
        let server = try Command(
            "/usr/bin/python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"], directory: folder.url
        ).start()
        defer { server.send(SIGKILL) }
        #expect(try await server.wait { server.outputSoFar.contains("port ") })
        let port = try #require(server.outputSoFar.firstMatch(of: /port (\d+)/)?.1)
        for (arguments, range, color) in [
            ([], "PQ", "bt2100-pq"), (["--sdr"], "SDR", "bt709"), (["--variant", "sdr"], "SDR", "bt709"),
            (["--variant", "hdr", "--sdr"], "PQ", "bt2100-pq"),
        ] {
            let result = try await run(
                ["--presenter", "offscreen", "--no-audio", "--verbose", "--duration", "2"] + arguments
                    + ["http://127.0.0.1:\(port)/main.m3u8"], ["G_DEBUG": ""])
            #expect(result.status == 0, "\(result)")
            #expect(result.output.contains("variant \(range)\n") && result.output.contains(color), "\(result)")
        }
    }
}
