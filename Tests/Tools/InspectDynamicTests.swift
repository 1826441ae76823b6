import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdr inspect --dynamic-metadata`: each level by shot, and the plots that go with it.
@Suite(Samples.areThere) struct InspectDynamicTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func object(_ path: String) throws -> [String: Any] {
        let file = try #require(try HDRCommand.inspect(["--dynamic-metadata", path]).first)
        return try #require(file["dynamic-metadata"] as? [String: Any], "\(file)")
    }

    @Test func shotsOfAFilm() throws {
        let found = try object(Samples.path("dolby-vision-8.1-hdr10.mkv"))
        #expect(found["pictures"] as? Int == 259 && found["pictures-with-dolby-vision"] as? Int == 259)
        #expect(found["shots-by"] as? String == "flag")
        let shots = try #require(found["shots"] as? [[String: Any]])
        #expect(shots.map { $0["first-picture"] as? Int } == [0, 120, 219])
        let light = try #require(shots[1]["level1"] as? [String: Double])
        #expect(light["maximum-pq"] == 2081 && abs((light["maximum-cd-m2"] ?? 0) - 100) < 0.5)
        #expect(abs((shots[1]["seconds"] as? Double ?? 0) - 5.005) < 0.001)
        let levels = (shots[1]["levels"] as? [[String: Any]] ?? []).compactMap(\.keys.first)
        #expect(levels.count { $0 == "Level2" } == 3 && levels.contains("Level8"), "\(levels)")
        let table = try HDRCommand.run(
            ["inspect", "--dynamic-metadata", Samples.path("dolby-vision-8.1-hdr10.mkv")])
        #expect(table.output.contains("3 shots by scene_refresh_flag"), "\(table.output)")
        #expect(table.output.contains("L2 100 cd/m²: slope 2013, offset 2016, power 1339"), "\(table.output)")
    }

    @Test func shotsOfHDR10Plus() throws {
        let found = try object(Samples.path("hdr10-plus.mkv"))
        let shots = try #require(found["shots"] as? [[String: Any]])
        #expect(shots.map { $0["pictures"] as? Int } == [3, 3, 253])
        let light = try #require(shots[1]["hdr10-plus"] as? [String: Any])
        #expect(light["maxscl-cd-m2"] as? Double == 2057.9 && light["average-maxrgb-cd-m2"] as? Double == 29.7)
        #expect((light["first-picture"] as? [String: Any])?["NumberOfWindows"] as? Int == 1)
        #expect(shots[1]["level1"] is NSNull)
    }

    /// Who does not ask for it gets what there was before, in JSON too.
    @Test func onlyWhereItIsAskedFor() throws {
        let plain = try #require(try HDRCommand.inspect([Samples.path("hlg10.mp4")]).first)
        #expect(plain["dynamic-metadata"] == nil)
        let none = try #require(try HDRCommand.inspect(["--dynamic-metadata", Samples.path("hlg10.mp4")]).first)
        #expect(none["dynamic-metadata"] is NSNull)
    }

    /// A demuxer that finds the damage as soon as it has started may be faster than what starts it, which then drops
    /// its error: now and then nobody said a word more.
    @Test(.timeLimit(.minutes(5))) func damageIsTold() throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: Samples.path("iphone-dolby-vision-8.4-hlg.mov")))
        // This is the number of samples of sound that have the first duration.
        try #require(bytes[61_138] == 1)
        bytes[61_138] = 62
        try bytes.write(to: folder.url("damaged.mov"))
        for _ in 0..<25 {
            let outcome = try HDRCommand.run(
                ["inspect", "--dynamic-metadata", folder.path("damaged.mov")], environment: ["G_DEBUG": ""],
                timeout: 20)
            #expect(outcome.status == 0 && outcome.output.contains("damaged.mov is damaged: copy it"), "\(outcome)")
            #expect(outcome.output.contains("the streams could not be read to the end: is damaged"), "\(outcome)")
        }
    }

    private func size(_ name: String) throws -> [Int] {
        let bytes = [UInt8](try folder.data(name))
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        return [16, 20].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } }
    }

    @Test func plots() async throws {
        let film = Samples.path("dolby-vision-8.1-hdr10.mkv")
        for words in [
            ["inspect", "--plot", "a.png", film], ["rpu", "plot", film, "-o", "b.png"],
            ["hdr10plus", "plot", Samples.path("hdr10-plus.json"), "-o", "c.png", "--title", "HDR10+ über Zeit"],
            ["rpu", "plot", Samples.path("rpu/profile8.bin"), "-o", "d.png"],
        ] {
            let result = try await HDRCommand.run(words, in: folder)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
        }
        for name in ["a.png", "b.png", "c.png", "d.png"] { #expect(try size(name) == [1280, 640]) }
        #expect(try folder.data("a.png") != folder.data("c.png"))
        let again = try await HDRCommand.run(["inspect", "--plot", "a.png", film], in: folder)
        #expect(again.status == 2 && again.errors.contains("exists already"), "\(again)")
        let forced = try await HDRCommand.run(["inspect", "--plot", "a.png", "--force", film], in: folder)
        #expect(forced.status == 0, "\(forced)")
        let none = try await HDRCommand.run(["inspect", "--plot", "n.png", Samples.path("hlg10.mp4")], in: folder)
        #expect(none.status == 2 && none.errors.contains("no dynamic metadata"), "\(none)")
        let two = try await HDRCommand.run(["inspect", "--plot", "n.png", film, film], in: folder)
        #expect(two.status == 2 && two.errors.contains("--plot takes one file"), "\(two)")
        #expect(folder.names == ["a.png", "b.png", "c.png", "d.png"])
    }
}
