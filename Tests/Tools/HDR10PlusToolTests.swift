import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdr hdr10plus`: HDR10+ metadata out of videos, into videos, and in documents.
@Suite(Samples.areThere) struct HDR10PlusToolTests {
    static let film = Samples.path("hdr10-plus.mkv")
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @discardableResult
    private func run(_ words: [String], status: Int32 = 0) async throws -> Command.Result {
        let result = try await HDRCommand.run(["hdr10plus"] + words, in: folder)
        #expect(result.status == status, "\(words): \(result)")
        return result
    }

    private func document(_ name: String) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: folder.data(name)) as? NSDictionary)
    }

    /// Field for field what hdr10plus_tool makes of the same film, but for its own name.
    @Test func theDocumentOfAFilm() async throws {
        let said = try await run(["extract", Self.film])
        #expect(said.output == "Wrote hdr10-plus-hdr10plus.json: 259 pictures, 3 scenes, profile A\n", "\(said)")
        let golden = try JSONSerialization.jsonObject(with: Data(Samples.bytes("hdr10-plus.json"))) as? NSDictionary
        let found = try document("hdr10-plus-hdr10plus.json")
        for name in ["JSONInfo", "SceneInfo", "SceneInfoSummary"] {
            let (a, b) = (found[name] as? NSObject, golden?[name] as? NSObject)
            #expect(a != nil && a == b, "\(name)")
        }
        #expect(found.allKeys.count == golden?.allKeys.count)
    }

    @Test(arguments: ["out.mkv", "out.mp4", "out.mov", "out.hevc"])
    func thereAndBack(_ name: String) async throws {
        try await run(["extract", Self.film, "-o", "first.json", "-q"])
        try await run(["remove", Self.film, "-o", "plain-\(name)", "-q"])
        let (_, plain) = try HDRCommand.inspect(folder.path("plain-\(name)"))
        #expect(plain["frames-with-hdr10-plus"] as? Int == 0)
        let none = try await run(["extract", "plain-\(name)", "-o", "none.json"], status: 1)
        #expect(none.errors.contains("has no HDR10+ metadata"), "\(none)")
        try await run(["inject", "plain-\(name)", "--metadata", "first.json", "-o", name, "-q"])
        try await run(["extract", name, "-o", "second.json", "-q"])
        #expect(try folder.data("first.json") == folder.data("second.json"))
    }

    /// Windows 1, curves, and metadata that only some pictures have.
    @Test func otherFilms() async throws {
        let first = try await run(["extract", Samples.path("hdr10-plus-no-colr.mp4"), "-o", "a.json"])
        #expect(first.output.contains("28 pictures") && first.output.contains("profile B"), "\(first)")
        #expect(first.errors.contains("JSON has no place for fraction_bright_pixels"), "\(first)")
        let info = try await run(["info", "a.json", "--json"])
        let list = try JSONSerialization.jsonObject(with: Data(info.output.utf8)) as? [[String: Any]]
        #expect(list?.first?["largest-maxscl-cd-m2"] as? Double == 2596, "\(info)")
        #expect(list?.first?["targeted-displays-cd-m2"] as? [Int] == [400], "\(info)")
        let one = try await run(["info", "a.json", "--frame", "27"])
        #expect(one.output.contains("\"SequenceFrameIndex\": 27"), "\(one)")
        let sparse = try await run(["extract", Samples.path("tears-of-steel-street.h265"), "-o", "b.json"])
        #expect(sparse.errors.contains("5 of 6 pictures have no HDR10+ metadata"), "\(sparse)")
        try await run(["inject", Samples.path("hdr10-av1.mp4"), "--metadata", "a.json", "--fit", "-o", "av1.mkv"])
        try await run(["extract", "av1.mkv", "-o", "c.json", "-q"])
        let entries = (try document("c.json")["SceneInfo"] as? [NSDictionary] ?? []).map { $0["LuminanceParameters"] }
        let source = (try document("a.json")["SceneInfo"] as? [NSDictionary] ?? []).map { $0["LuminanceParameters"] }
        #expect(entries.count == 127)
        #expect(entries.prefix(28).map { $0 as? NSObject } == source.map { $0 as? NSObject })
    }

    /// The plan refuses whatever the work would refuse, with the same line.
    @Test func thePlanRefusesToo() async throws {
        let other = Samples.path("dolby-vision-8.1-hdr10.mkv")
        try folder.write("{}", to: "empty.json")
        for words in [
            ["extract", Samples.path("hlg10.mp4")], ["remove", Samples.path("hlg10.mp4")],
            ["info", Samples.path("hlg10.mp4")], ["info", "empty.json"], ["inject", other, "--metadata", "empty.json"],
        ] {
            let (plan, work) = (try await run(words + ["--dry-run"], status: 1), try await run(words, status: 1))
            #expect(plan.errors == work.errors && plan.output.isEmpty, "\(plan)\(work)")
        }
        #expect(folder.names == ["empty.json"])
    }

    /// HDR10+ is for PQ.
    @Test func otherPicturesAreRefused() async throws {
        try await run(["extract", Self.film, "-o", "a.json", "-q"])
        for more in [[], ["--dry-run"]] {
            let words = ["inject", Samples.path("hlg10.mp4"), "--metadata", "a.json", "--fit", "-o", "b.mp4"] + more
            let refused = try await run(words, status: 1)
            #expect(refused.errors.contains("hlg10.mp4 is HLG, and HDR10+ metadata are for PQ: convert"), "\(refused)")
        }
        #expect(folder.names == ["a.json"])
    }

    /// What is JSON is no video that cannot be read.
    @Test(
        arguments: [
            ("[1, 2]", "a", "it is no object"), ("{\"a\": 1}", "a", "there is no SceneInfo"),
            ("7", "a.json", "it is no object"), ("{\"a\":", "a", "this is no valid JSON"),
            ("This is text.", "a.json", "this is no valid JSON"),
        ])
    func otherDocuments(_ text: String, _ name: String, _ says: String) async throws {
        try folder.write(text, to: name)
        let refused = try await run(["info", name], status: 1)
        #expect(
            refused.errors.contains("\(name) cannot be read as the JSON of hdr10plus_tool: \(says)"), "\(refused)")
    }

    @Test func documentsAreEdited() async throws {
        try await run(["extract", Self.film, "-o", "first.json", "-q"])
        try folder.write(
            #"{"remove": ["0-99"], "duplicate": [{"source": 0, "offset": 159, "length": 3}]}"#, to: "edits.json")
        let said = try await run(["edit", "first.json", "--edits", "edits.json"])
        #expect(said.output.hasPrefix("Wrote first-edited.json: 162 pictures"), "\(said)")
        let entries = try document("first-edited.json")["SceneInfo"] as? [NSDictionary] ?? []
        let before = try document("first.json")["SceneInfo"] as? [NSDictionary] ?? []
        #expect(entries[0]["LuminanceParameters"] as? NSObject == before[100]["LuminanceParameters"] as? NSObject)
        #expect(entries[161]["LuminanceParameters"] as? NSObject == before[100]["LuminanceParameters"] as? NSObject)
        let short = try await run(["inject", Self.film, "--metadata", "first-edited.json", "-o", "a.mkv"], status: 1)
        #expect(short.errors.contains("162 entries for 259 pictures"), "\(short)")
        try folder.write(#"{"remov": []}"#, to: "wrong.json")
        let wrong = try await run(["edit", "first.json", "--edits", "wrong.json", "-o", "b.json"], status: 1)
        #expect(wrong.errors.contains("wrong.json: nothing is called remov"), "\(wrong)")
        #expect(folder.names == ["edits.json", "first-edited.json", "first.json", "wrong.json"])
        let word = try await run(["extrakt"], status: 2)
        #expect(word.errors.contains("did you mean extract?"), "\(word)")
        let nothing = try await run(["inject", Self.film, "--metadata", "edits.json", "-o", "a.mkv"], status: 1)
        #expect(nothing.errors.contains("there is no SceneInfo"), "\(nothing)")
    }
}
