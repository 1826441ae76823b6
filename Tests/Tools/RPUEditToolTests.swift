import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdr rpu convert`, `edit`, `generate` and `export`.
@Suite(Samples.areThere) struct RPUEditToolTests {
    private static let film = Samples.path("dolby-vision-8.1-hdr10.mkv")
    private static let phone = Samples.path("iphone-dolby-vision-8.4-hlg.mov")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @discardableResult
    private func run(_ words: [String], status: Int32 = 0) async throws -> Command.Result {
        let result = try await HDRCommand.run(["rpu"] + words, in: folder)
        #expect(result.status == status, "\(words): \(result)")
        return result
    }

    private func info(_ name: String) async throws -> [String: Any] {
        let result = try await run(["info", name, "--json"])
        let list = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
        return try #require(list?.first, "\(result)")
    }

    // MARK: Convert

    @Test func profilesOfFiles() async throws {
        let said = try await run(["convert", Samples.path("rpu/fel_orig.bin"), "--to", "8.1", "-o", "a.bin"])
        #expect(said.output == "Wrote a.bin: 1 RPUs, profile 8\n", "\(said)")
        #expect(try await info("a.bin")["reshaped-rpus"] as? Int == 0)
        try await run(["convert", Samples.path("rpu/fel_orig.bin"), "--to", "8.1", "--keep-mapping", "-o", "b.bin"])
        #expect(try folder.data("b.bin").suffix(5) == Data([0x62, 0x10, 0xC6, 0x8D, 0x80]))
        try await run(["convert", "a.bin", "--to", "7-mel", "--crop"])
        #expect(try await info("a-7-mel.bin")["profiles"] as? [String] == ["7 MEL"])
        #expect(try await info("a-7-mel.bin")["level5"] as? [[Int]] == [[0, 0, 0, 0]])
    }

    /// The pictures stay, and so does the header's record.
    @Test func profilesOfVideos() async throws {
        try await run(["convert", Self.film, "--to", "8.1", "--crop", "-o", "out.mp4", "-q"])
        try await run(["extract", "out.mp4", "-o", "out.bin", "-q"])
        try await run(["extract", Self.film, "-o", "film.bin", "-q"])
        #expect(try folder.data("out.bin") == folder.data("film.bin"), "they were of 8.1 before")
        let (_, video) = try HDRCommand.inspect(folder.path("out.mp4"))
        #expect((video["dolby-vision"] as? [String: Any])?["name"] as? String == "8.1")
        let wrong = try await run(["convert", Self.phone, "--to", "8.1"], status: 1)
        #expect(wrong.errors.contains("is HLG: RPUs of 8.1 would show it wrong"), "\(wrong)")
        let layer = try await run(["convert", Self.film, "--to", "7-mel", "-o", "mel.mkv"], status: 1)
        #expect(layer.errors.contains("the video has no enhancement layer"), "\(layer)")
        try await run(["convert", Self.film, "--to", "7-mel", "-o", "mel.bin", "-q"])
        #expect(try await info("mel.bin")["profiles"] as? [String] == ["7 MEL"])
        // Pictures of profile 5 have other colours.
        try await run(
            ["inject", Self.film, "--rpu", Samples.path("rpu/profile5.bin"), "--fit", "-o", "5.mp4", "-q"])
        let five = try HDRCommand.inspect(folder.path("5.mp4")).video["dolby-vision"] as? [String: Any]
        #expect(five?["name"] as? String == "5" && five?["announced-by-container"] as? Bool == true)
        let colors = try await run(["convert", "5.mp4", "--to", "8.1", "-o", "no.mp4"], status: 1)
        #expect(colors.errors.contains("the pictures of profile 5 are not those of 8.1"), "\(colors)")
        let bare = try await run(["remove", "5.mp4", "-o", "no.mp4"], status: 1)
        #expect(bare.errors.contains("profile 5, whose base layer cannot be shown without its RPUs"), "\(bare)")
        try await run(["convert", "5.mp4", "--to", "8.1", "-o", "five.bin", "-q"])
        #expect(try await info("five.bin")["profiles"] as? [String] == ["8"])
        try await run(["convert", Self.phone, "--to", "8.4", "-q"])
        #expect(folder.names.contains("iphone-dolby-vision-8.4-hlg-84.mov"))
    }

    /// RPUs of one base layer do not go with another one; those that are converted do.
    @Test func otherBaseLayersAreRefused() async throws {
        try await run(["extract", Self.film, "-o", "film.bin", "-q"])
        try await run(["extract", Self.phone, "-o", "phone.bin", "-q"])
        let television = Samples.path("hlg10.mp4")
        for (video, rpus, says) in [
            (Self.film, "phone.bin", "phone.bin are for a base layer in HLG (profile 8.4), and \(Self.film) is PQ"),
            (television, "film.bin", "film.bin are for a base layer in PQ, and \(television) is HLG"),
            (television, Samples.path("rpu/mel_orig.bin"), "are for a base layer in PQ, and \(television) is HLG"),
            (Self.film, Samples.path("rpu/mel_orig.bin"), "are of profile 7, whose videos have an enhancement layer"),
            (Self.film, Samples.path("rpu/fel_orig.bin"), "are of profile 7, whose videos have an enhancement layer"),
            (television, Samples.path("rpu/profile5.bin"), "are for profile 5, and \(television) is HLG"),
        ] {
            let words = ["inject", video, "--rpu", rpus, "--fit", "-o", "out.mkv"]
            let (plan, work) = (try await run(words + ["--dry-run"], status: 1), try await run(words, status: 1))
            #expect(plan.errors == work.errors && work.errors.contains(says), "\(work)")
        }
        try await run(["convert", "phone.bin", "--to", "8.1", "--remove-mapping", "-q"])
        try await run(["inject", Self.film, "--rpu", "phone-81.bin", "--fit", "-o", "film.mkv", "-q"])
        try await run(["convert", "film.bin", "--to", "8.4", "-q"])
        try await run(["inject", television, "--rpu", "film-84.bin", "--fit", "-o", "television.mp4", "-q"])
        let name = try HDRCommand.inspect(folder.path("television.mp4")).video["dolby-vision"] as? [String: Any]
        #expect(name?["name"] as? String == "8.4")
    }

    // MARK: Edit

    @Test func editsOfFilesAndVideos() async throws {
        try folder.write(
            """
            {"active_area": {"presets": [{"id": 1, "left": 0, "right": 0, "top": 20, "bottom": 22}],
             "edits": {"0-99": 1}}, "scene_cuts": {"all": false, "0-0": true}, "remove": ["200-258"],
             "duplicate": [{"source": 0, "offset": 0, "length": 9}]}
            """, to: "edits.json")
        let said = try await run(["edit", Self.film, "--edits", "edits.json", "-o", "cut.bin"])
        #expect(said.output == "Wrote cut.bin: 209 RPUs, profile 8.1\n", "\(said)")
        let found = try await info("cut.bin")
        #expect(found["level5"] as? [[Int]] == [[0, 0, 20, 22], [0, 0, 0, 0]] && found["scene-cuts"] as? Int == 10)
        let short = try await run(["edit", Self.film, "--edits", "edits.json", "-o", "cut.mkv"], status: 1)
        #expect(short.errors.contains("209 RPUs for 259 pictures: write them to a file that ends in .bin"), "\(short)")
        try folder.write(#"{"level6": {"max_display_mastering_luminance": 4000,"#, to: "broken.json")
        let broken = try await run(["edit", "cut.bin", "--edits", "broken.json"], status: 1)
        #expect(broken.errors.hasPrefix("hdr rpu: broken.json: "), "\(broken)")
        try folder.write(#"{"mode": 2, "active_area": {"crop": true}}"#, to: "crop.json")
        try await run(["edit", Self.film, "--edits", "crop.json", "-o", "same.mkv", "-q"])
        #expect(try await info("same.mkv")["rpus"] as? Int == 259)
        let names = ["broken.json", "crop.json", "cut.bin", "edits.json", "same.mkv"]
        #expect(folder.names == names, "something is left behind")
    }

    // MARK: Generate

    @Test func rpusAreMade() async throws {
        let light = """
            "level6": {"max_display_mastering_luminance": 1000, "min_display_mastering_luminance": 1,
              "max_content_light_level": 1000, "max_frame_average_light_level": 400}
            """
        try folder.write("{\"length\": 259, \(light)}", to: "config.json")
        let said = try await run(["generate", "config.json"])
        #expect(said.output == "Wrote config.bin: 259 RPUs, profile 8.1, 1 scene cut\n", "\(said)")
        let film = Samples.path("hdr10-plus.mkv")
        let other = try await run(
            ["generate", "config.json", "--hdr10plus", film, "--peak-source", "max-scl", "-o", "light.bin"])
        #expect(other.output == "Wrote light.bin: 259 RPUs, profile 8.1, 3 scene cuts\n", "\(other)")
        // 2058 and 104 cd/m², the largest of the film's MaxSCL and averages.
        #expect(try await info("light.bin")["largest-level1-pq"] as? [Int] == [0, 3401, 2097])
        // An HDR10+ film becomes Dolby Vision as well.
        try await run(["inject", film, "--rpu", "light.bin", "-o", "both.mkv", "-q"])
        let (_, video) = try HDRCommand.inspect(folder.path("both.mkv"))
        #expect((video["dolby-vision"] as? [String: Any])?["name"] as? String == "8.1")
        #expect(
            video["hdr-formats"] as? [String] == ["HDR10", "HDR10+", "Dolby Vision 8.1"], "\(video)")
        try folder.write("{\(light)}", to: "nothing.json")
        let nothing = try await run(["generate", "nothing.json"], status: 1)
        #expect(nothing.errors.contains("does not say how many pictures there are"), "\(nothing)")
        let alone = try await run(["generate", "config.json", "--peak-source", "max-scl"], status: 2)
        #expect(alone.errors.contains("--peak-source goes with --hdr10plus"), "\(alone)")
    }

    // MARK: Export

    @Test func rpusAsText() async throws {
        try await run(["export", Self.film, "-q"])
        let all = try JSONSerialization.jsonObject(with: folder.data("dolby-vision-8.1-hdr10-rpu.json"))
        let list = try #require(all as? [[String: Any]])
        #expect(list.count == 259 && list.allSatisfy { $0["dovi_profile"] as? Int == 8 })
        try await run(["export", Self.film, "--data", "scenes", "-o", "scenes.txt", "-q"])
        #expect(folder.text("scenes.txt") == "0\n120\n219\n")
        try await run(["export", Samples.path("rpu/eof_rpu.bin"), "--data", "level5", "-o", "areas.json", "-q"])
        #expect(folder.text("areas.json").contains(#""0-0": 0"#))
        // What is exported can be edited with.
        try await run(["edit", Samples.path("rpu/fel_orig.bin"), "--edits", "areas.json", "-o", "a.bin", "-q"])
        #expect(try folder.data("a.bin") == Data(Samples.bytes("rpu/fel_orig.bin")))
    }
}
