import Foundation
import PluginSupport
import Testing
import TestSupport

/// The scripts of pipelines that are launch lines with effects on video, or a program for applications.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct EffectScriptTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ script: String, _ arguments: [String]) async throws -> Command.Result {
        var command = Command(Repository.path("pipelines/\(script)"), arguments, directory: folder.url)
        command.limit = .seconds(900)
        return try await command.run()
    }

    /// A white ball before a green screen, and bars.
    private func makeClips() async throws {
        for (name, pattern) in [("fore ground.mkv", "ball background-color=0xff00c000"), ("bars.mkv", "smpte75")] {
            try await GstLaunch.make(
                "videotestsrc num-buffers=8 pattern=\(pattern) ! "
                    + "video/x-raw,format=I420,width=320,height=180,framerate=25/1,colorimetry=bt709 ! x264enc ! "
                    + "h264parse ! matroskamux ! filesink location=\"\(folder.path(name))\"")
        }
    }

    @Test func eachWritesAVideoAndAPicture() async throws {
        try await makeClips()
        for (script, inputs) in [
            ("sepia", ["bars.mkv"]), ("highlight", ["bars.mkv"]), ("chroma-key", ["fore ground.mkv", "bars.mkv"]),
        ] {
            let result = try await run(script, inputs + ["--no-install", "\(script) out.mov", "\(script).png"])
            #expect(result.status == 0 && result.errors.isEmpty, "\(script): \(result.errors)")
            for name in ["\(script) out.mov", "\(script).png"] {
                let bytes = try Data(contentsOf: folder.url.appendingPathComponent(name))
                #expect(bytes.count > 1000, "\(name)")
                let headers = bytes.ranges(of: Data("IHDR".utf8)).count
                #expect(headers == (name.hasSuffix(".png") ? 1 : 0), "\(name)")
            }
        }
    }

    @Test(arguments: ["sepia", "highlight", "chroma-key", "texture-atlas", "edr-frames", "loupe"])
    func wrongCommandLines(_ script: String) async throws {
        let help = try await run(script, ["--help"])
        #expect(help.status == 0 && help.output.contains("pipelines/\(script) "))
        let result = try await run(script, ["one"])
        #expect(result.status == 2 && result.errors.contains("was given 1: --help says which"))
        // The option is no file name, wherever it stands.
        let withOption = try await run(script, ["one", "--no-install"])
        #expect(withOption.status == 2 && withOption.errors.contains("was given 1: --help says which"))
    }

    /// Nothing is lost and nothing is left behind.
    @Test(arguments: ["sepia", "highlight"]) func wrongFiles(_ script: String) async throws {
        try await makeClips()
        try Data("text".utf8).write(to: folder.url("notes.txt"))
        try Data("old".utf8).write(to: folder.url("old.mov"))
        let before = try Data(contentsOf: folder.url("bars.mkv"))
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        for (input, video, picture, words) in [
            ("bars.mkv", "bars.mkv", "a.png", "bars.mkv is the input itself"),
            ("bars.mkv", "a.mov", "./bars.mkv", "bars.mkv is the input itself"),
            ("bars.mkv", "old.mov", "a.png", "old.mov exists already"),
            ("bars.mkv", "a.mov", "a.mov", "a.mov is named for the video and for the picture"),
            ("bars.mkv", "none/a.mov", "a.png", "a folder that is not there"),
            ("bars.mkv", ".", "a.png", "is a folder"), ("none.mkv", "a.mov", "a.png", "none.mkv"),
            ("notes.txt", "a.mov", "a.png", "notes.txt"), (".", "a.mov", "a.png", "folder"),
            ("bars.mkv", "a.mov", "/dev/null", "is not a regular file"),
        ] {
            let result = try await run(script, ["--no-install", input, video, picture])
            #expect(result.status == 1 && result.errors.contains(words), "\(result)")
            #expect(result.errors.split(separator: "\n").count == 1 && result.output.isEmpty, "\(result)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == names)
        }
        #expect(try Data(contentsOf: folder.url("bars.mkv")) == before)
        #expect(try Data(contentsOf: folder.url("old.mov")) == Data("old".utf8))
    }

    // MARK: Programs that a script builds and runs

    /// A video's frames one after another as RGBA in sRGB, without peak detection as video outputs make them; or a
    /// picture as it is.
    private func pixels(_ name: String) throws -> [UInt8] {
        let conversion =
            name.hasSuffix(".png")
            ? ["videoconvert", "!", "video/x-raw,format=RGBA"]
            : ["hdrconvert", "peak-detection=off", "!", "video/x-raw,format=RGBA,colorimetry=sRGB"]
        let outcome = try GstTool.run(
            "gst-launch-1.0",
            ["-q", "filesrc", "location=\(folder.path(name))", "!", "decodebin", "!"] + conversion
                + ["!", "filesink", "location=\(folder.path("pixels"))"])
        expectClean(outcome)
        return [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("pixels")))
    }

    /// A tile, as the script prints it.
    private struct Tile {
        let x, y, width, height: Int

        init?(_ line: Substring) {
            guard let match = line.firstMatch(of: #/^(\d+)x(\d+)\+(\d+)\+(\d+) /#), let width = Int(match.1),
                let height = Int(match.2), let x = Int(match.3), let y = Int(match.4)
            else { return nil }
            (self.x, self.y, self.width, self.height) = (x, y, width, height)
        }

        /// Its samples in a picture.
        func cut(_ picture: ArraySlice<UInt8>, _ width: Int) -> [UInt8] {
            (0..<height).flatMap { row in
                let start = picture.startIndex + 4 * ((y + row) * width + x)
                return picture[start..<start + 4 * self.width]
            }
        }
    }

    private func difference(_ a: [UInt8], _ b: [UInt8]) -> Double {
        a.count != b.count ? .infinity : zip(a, b).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(a.count)
    }

    @Test(.swiftIsThere) func anAtlasHasItsTilesInStep() async throws {
        try await makeClips()
        try await GstLaunch.make(
            "videotestsrc num-buffers=12 ! video/x-raw,format=I420,width=130,height=70,framerate=25/1 ! x264enc ! "
                + "h264parse ! matroskamux ! filesink location=\(folder.path("longer.mkv"))")
        let clips = ["fore ground.mkv", "fore ground.mkv", "bars.mkv", "longer.mkv"]
        let result = try await run("texture-atlas", clips + ["atlas out.mov", "tiles.png"])
        #expect(result.status == 0, "\(result)")
        let lines = result.output.split(separator: "\n")
        let size = try #require(lines.first?.firstMatch(of: /^(\d+)x(\d+), 0.32 s$/), "\(result)")
        let (width, height) = try (#require(Int(size.1)), #require(Int(size.2)))
        let tiles = lines.dropFirst().compactMap(Tile.init)
        try #require(tiles.count == 4, "\(result)")
        #expect(([width, height] + tiles.flatMap { [$0.x, $0.y] }).allSatisfy { $0 % 16 == 0 })
        #expect(tiles.map(\.width) == [320, 320, 320, 130] && tiles.map(\.height) == [180, 180, 180, 70])

        let frames = try pixels("atlas out.mov")
        try #require(frames.count == 8 * 4 * width * height)
        let picture = try pixels("tiles.png")
        try #require(picture.count == 4 * width * height)
        // The frame in the middle, pixel by pixel.
        let middle = frames[(4 * picture.count)..<(5 * picture.count)]
        for tile in tiles { #expect(tile.cut(middle, width) == tile.cut(picture[...], width)) }
        // Nothing else is in the picture.
        let opaque = stride(from: 3, to: picture.count, by: 4).count { picture[$0] != 0 }
        #expect(opaque == tiles.reduce(0) { $0 + $1.width * $1.height })
        // The same clip twice: the ball moves, and is at the same place in both.
        let balls = tiles[0...1].map { $0.cut(middle, width) }
        let later = tiles[1].cut(frames.suffix(picture.count), width)
        let (same, moved) = (difference(balls[0], balls[1]), difference(balls[0], later))
        #expect(same < 0.5 && moved > 4 * same, "\(same) \(moved)")
    }

    @Test(.swiftIsThere) func edrFramesFiltersEveryFrame() async throws {
        try await makeClips()
        try await TestClip(color: "bt2100-pq", frames: 8, rate: "25/1").make("bright.mkv", in: folder)
        for (input, glows) in [("bars.mkv", false), ("bright.mkv", true)] {
            let result = try await run("edr-frames", ["--force", input, "edr out.mov", "edr.png"])
            #expect(result.status == 0, "\(result)")
            let counts = try #require(result.output.firstMatch(of: /^(\d+) frames, and (\d+) missed\n$/), "\(result)")
            let (count, missed) = try (#require(Int(counts.1)), #require(Int(counts.2)))
            // All eight, unless the machine was so busy that a refresh came later than the next frame.
            #expect(count >= 6 && count + missed <= 8, "\(result)")
            let after = try pixels("edr out.mov")
            try #require(after.count == count * 4 * 320 * 180)
            // Behind the picture pngenc writes those that the decoder still had.
            let picture = try pixels("edr.png")
            #expect(!picture.isEmpty && picture.count.isMultiple(of: 4 * 320 * 180))
            // The first bar is grey. What is brighter than SDR white gets orange.
            let grey = 4 * (60 * 320 + 20)
            let (red, green, blue) = (Int(after[grey]), Int(after[grey + 1]), Int(after[grey + 2]))
            #expect(glows ? red > green + 20 && green > blue + 20 : abs(red - green) < 4 && abs(green - blue) < 4)
        }
    }

    /// A recording that lies on its side, and one whose pixels are twice as wide as high.
    @Test(.swiftIsThere) func picturesAreUprightAndInProportion() async throws {
        let source = "videotestsrc num-buffers=8 ! video/x-raw,format=I420,width=160,height=96,framerate=25/1"
        try await GstLaunch.make(
            "\(source) ! taginject tags=image-orientation=rotate-90 ! m.video_0 "
                + "hdrmux-settings name=m preset=hevc-highest-quality ! filesink location=\(folder.path("turned.mov"))")
        try await GstLaunch.make(
            "\(source),pixel-aspect-ratio=2/1 ! x264enc ! h264parse ! matroskamux ! "
                + "filesink location=\(folder.path("wide.mkv"))")
        let atlas = try await run("texture-atlas", ["turned.mov", "wide.mkv", "atlas.mov", "tiles.png"])
        let tiles = atlas.output.split(separator: "\n").dropFirst().compactMap(Tile.init)
        #expect(tiles.map(\.width) == [96, 320] && tiles.map(\.height) == [160, 96], "\(atlas)")

        for (input, rotation, aspect) in [("turned.mov", 90, "1:1"), ("wide.mkv", 0, "2:1")] {
            let result = try await run("edr-frames", [input, "edr.mov", "edr.png", "-f"])
            #expect(result.status == 0, "\(result)")
            let video = try HDRCommand.inspect(folder.path("edr.mov")).video
            #expect(video["rotation-degrees"] as? Int == rotation)
            #expect(video["pixel-aspect-ratio"] as? String == aspect)
        }
    }

    @Test(.swiftIsThere) func aLoupeGoesOverEveryFrame() async throws {
        try await TestClip(color: "bt2100-pq", frames: 8, rate: "25/1").make("clip.mkv", in: folder)
        let result = try await run("loupe", ["clip.mkv", "loupe out.mov", "loupe.png"])
        #expect(result.status == 0 && result.output == "8 frames\n", "\(result)")
        let (before, after) = try (pixels("clip.mkv"), pixels("loupe out.mov"))
        try #require(before.count == 8 * 4 * 320 * 180 && after.count == before.count, "\(after.count) bytes")
        #expect(try pixels("loupe.png").count == 4 * 320 * 180)
        // Where the loupe is: a circle of 0.45 of the height, right of the middle.
        var (inside, outside) = (0, 0)
        for y in 0..<180 {
            for x in 0..<320 {
                let at = 4 * (y * 320 + x)
                let difference = (0..<3).map { abs(Int(before[at + $0]) - Int(after[at + $0])) }.max() ?? 0
                guard difference > 48 else { continue }
                let dx: Double = Double(x) + 0.5 - 0.72 * 320
                let dy: Double = Double(y) + 0.5 - 90
                let distance: Double = (dx * dx + dy * dy).squareRoot()
                if distance < 0.225 * 180 + 1 { inside += 1 } else { outside += 1 }
            }
        }
        // Chroma goes from 4:2:0 to R'G'B' and back, so that a column at a bar's edge may differ.
        #expect(inside > 300 && outside < 180, "\(inside) \(outside)")
    }

    /// The picture of a phone that was held upright: the loupe stays within it, and the screen with it.
    @Test(.swiftIsThere) func aLoupeStaysWithinAnUprightVideo() async throws {
        try await GstLaunch.make(
            "videotestsrc num-buffers=30 ! video/x-raw,format=I420,width=90,height=160,framerate=25/1 ! x264enc ! "
                + "h264parse ! matroskamux ! filesink location=\"\(folder.path("upright.mkv"))\"")
        let result = try await run("loupe", ["upright.mkv", "upright.mov", "upright.png"])
        #expect(result.status == 0 && result.output == "30 frames\n", "\(result)")
        #expect(try pixels("upright.png").count == 4 * 90 * 160)
    }

    /// The canvas has the foreground's size, whatever the background's, and light is mixed.
    @Test func aKeyedPictureIsLaidOverABackgroundOfAnySize() async throws {
        try await makeClips()
        try await GstLaunch.make(
            "videotestsrc num-buffers=8 pattern=white ! video/x-raw,format=I420,width=96,height=96,framerate=25/1,"
                + "colorimetry=bt709 ! x264enc ! h264parse ! matroskamux ! "
                + "filesink location=\"\(folder.path("white.mkv"))\""
        )
        let result = try await run("chroma-key", ["fore ground.mkv", "white.mkv", "over.mov", "over.png"])
        #expect(result.status == 0, "\(result.errors)")
        let picture = try pixels("over.png")
        try #require(picture.count == 4 * 320 * 180)
        func isWhite(_ x: Int, _ y: Int) -> Bool {
            picture[4 * (y * 320 + x)..<4 * (y * 320 + x) + 3].allSatisfy { $0 > 240 }
        }
        // In its proportions, in the middle, with black beside it.
        #expect(isWhite(74, 4) && isWhite(244, 175) && !isWhite(60, 90) && !isWhite(260, 90))
    }

    @Test(arguments: [("edr-frames", 1), ("texture-atlas", 2), ("loupe", 1)])
    func programsSayWhatIsMissing(_ script: String, _ count: Int) async throws {
        let names = (0..<count).map { "no \($0).mov" }
        let result = try await run(script, names + ["out.mov", "out.png"])
        #expect(result.status == 1 && result.errors.contains("no 0.mov"), "\(result)")
    }
}
