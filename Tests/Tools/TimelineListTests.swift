import Foundation
import PluginSupport
import Testing
import TestSupport

/// Edit lists of `hdr timeline`: what is read, and what is refused.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct TimelineListTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// 30 frames in PQ and 25 in SDR, at 25 frames a second.
    func makeClips() async throws {
        try await TestClip(color: "bt2100-pq", frames: 30, rate: "25/1", hasSound: false).make("a.mkv", in: folder)
        try await TestClip(color: "bt709", frames: 25, rate: "25/1", hasSound: false).make("b.mkv", in: folder)
    }

    func plan(_ words: [String]) async throws -> Command.Result {
        try await HDRCommand.run(["timeline", "--dry-run"] + words, in: folder)
    }

    /// The plan's kinds, first frames and counts.
    func rows(_ words: [String]) async throws -> [String] {
        let result = try await plan(words + ["--json"])
        #expect(result.status == 0, "\(result.errors)")
        let list = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]], "\(result.output)")
        let rows = try #require(list.first?["plan"] as? [[String: Any]])
        return rows.map { row in
            let from = (row["from-seconds"] as? Double).map { " from \($0)" } ?? ""
            return "\(row["kind"] ?? "") \(row["first-frame"] ?? "")+\(row["frames"] ?? "")\(from)"
        }
    }

    /// Video that begins a little after its sound begins at its first picture, not before it.
    @Test(arguments: [25, 125]) func clipsBeginWithTheirPictures(_ frames: Int) async throws {
        try await GstLaunch.make(
            "matroskamux name=m ! filesink location=\(folder.path("late.mkv")) "
                + "videotestsrc num-buffers=\(frames) timestamp-offset=21000000 ! "
                + "video/x-raw,format=I420,width=64,height=64,framerate=25/1 ! x264enc ! m. "
                + "audiotestsrc num-buffers=\(2 * frames) samplesperbuffer=960 ! audio/x-raw,rate=48000 ! m.")
        #expect(
            try await rows(["late.mkv", "late.mkv"])
                == ["clip 0+\(frames) from 0.021", "clip \(frames)+\(frames) from 0.021"])
        #expect(try await rows(["late.mkv", "from=0.2s", "to=1s"]) == ["clip 0+20 from 0.2"])
        #expect(try await plan(["late.mkv", "to=0.01s"]).errors.contains("is shown for less than a picture"))
    }

    @Test func fileAndCommandLineSayTheSame() async throws {
        try await makeClips()
        let text = """
            # a comment
            clip "a.mkv" from=0.2s to=1s   # to the second
            dissolve 200ms
            b.mkv + dip-to-black 0s
            """
        try folder.write(text, to: "wrong.edl")
        let wrong = try await plan(["wrong.edl"])
        #expect(wrong.status == 1 && wrong.errors.contains("wrong.edl, line 4: dip-to-black lasts no time"))
        try folder.write("", to: "none.edl")
        #expect(try await plan(["none.edl"]).errors.contains("none.edl is empty: write a line for each clip"))
        try folder.write("no video", to: "text.mkv")
        try folder.write("a.mkv\ntext.mkv\n", to: "text.edl")
        #expect(try await plan(["text.edl"]).errors.contains("text.edl, line 2: text.mkv is not a video"))
        try FileManager.default.createDirectory(at: folder.url("lists"), withIntermediateDirectories: true)
        try folder.write(
            """
            # a comment
            clip "../a.mkv" from=0.2s to=1s   # to the second
            dissolve 200ms
            ../b.mkv
            gap 0.2s
            title "A \\"title\\"" at=0.2s for=1s

            """, to: "lists/cut.edl")
        let fromFile = try await rows(["lists/cut.edl"])
        let words = "a.mkv from=0.2s to=1s + dissolve 0.2s + b.mkv gap 0.2s title Title at=0.2s for=1s"
        let fromLine = try await rows(words.split(separator: " ").map(String.init))
        #expect(fromFile == fromLine)
        #expect(
            fromLine == [
                "clip 0+20 from 0.2", "title 5+25", "clip 15+25 from 0.0", "transition 15+5", "gap 40+5",
            ])
    }

    @Test func printsThePlan() async throws {
        try await makeClips()
        let result = try await plan(["a.mkv", "wipe", "iris", "0.2s", "b.mkv", "-o", "out.mov"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("50 frames, 0:02.000, 320x180, 25 frames a second, PQ, to out.mov\n"))
        #expect(result.output.contains("wipe iris") && folder.names == ["a.mkv", "b.mkv"])
    }

    private func range(_ start: Int, _ count: Int) -> String {
        func time(_ value: Int) -> String {
            "{\"OTIO_SCHEMA\": \"RationalTime.1\", \"rate\": 25.0, \"value\": \(value).0}"
        }
        return "{\"OTIO_SCHEMA\": \"TimeRange.1\", \"start_time\": \(time(start)), \"duration\": \(time(count))}"
    }

    private func otio(_ items: [String], range: String = "null") -> String {
        """
        {"OTIO_SCHEMA": "Timeline.1", "name": "t", "tracks": {"OTIO_SCHEMA": "Stack.1", "children": [
          {"OTIO_SCHEMA": "Track.1", "kind": "Video", "source_range": \(range), "children": [
           \(items.joined(separator: ",\n"))]},
          {"OTIO_SCHEMA": "Track.1", "kind": "Audio", "children": []}]}}
        """
    }

    private func clip(_ address: String, _ start: Int, _ count: Int) -> String {
        """
        {"OTIO_SCHEMA": "Clip.1", "name": "c", "source_range": \(range(start, count)), "media_reference":
          {"OTIO_SCHEMA": "ExternalReference.1", "available_range": null, "target_url": "\(address)"}}
        """
    }

    private func transition(_ into: Int, _ out: Int) -> String {
        func time(_ value: Int) -> String {
            "{\"OTIO_SCHEMA\": \"RationalTime.1\", \"rate\": 25, \"value\": \(value)}"
        }
        return "{\"OTIO_SCHEMA\": \"Transition.1\", \"transition_type\": \"SMPTE_Dissolve\", "
            + "\"in_offset\": \(time(into)), \"out_offset\": \(time(out))}"
    }

    @Test func readsOpenTimelineIO() async throws {
        try await makeClips()
        let gap = "{\"OTIO_SCHEMA\": \"Gap.1\", \"source_range\": \(range(0, 10))}"
        try folder.write(
            otio([
                clip("a.mkv", 5, 15), transition(2, 3), clip("file://\(folder.path("b.mkv"))", 4, 16), gap,
                clip("file://localhost\(folder.path("%62.mkv"))", 0, 5),
            ]), to: "cut.otio")
        // 15 and 16 and 10 and 5 frames: a transition changes no lengths.
        #expect(
            try await rows(["cut.otio"]) == [
                "clip 0+18 from 0.2", "clip 13+18 from 0.08", "transition 13+5", "gap 31+10", "clip 41+5 from 0.0",
            ])
    }

    @Test func readsTheShownPartOfATrack() async throws {
        try await makeClips()
        let items = [clip("a.mkv", 5, 15), transition(2, 3), clip("b.mkv", 4, 16), clip("a.mkv", 0, 9)]
        func rows(_ items: [String], _ range: String) async throws -> [String] {
            try folder.write(otio(items, range: range), to: "cut.otio")
            return try await self.rows(["cut.otio"])
        }
        #expect(
            try await rows(items, range(10, 10)) == ["clip 0+8 from 0.6", "clip 3+7 from 0.08", "transition 3+5"])
        // A transition at the end of the range would show what lies beyond it.
        #expect(try await rows(items, range(15, 18)) == ["clip 0+16 from 0.16", "clip 16+2 from 0.0"])
        let disabled = items[0].replacingOccurrences(of: "\"name\": \"c\"", with: "\"enabled\": false")
        #expect(try await rows([disabled, items[2]], "null") == ["gap 0+15", "clip 15+16 from 0.16"])
        // Nothing lies before the first item and behind the last one.
        #expect(
            try await rows([transition(2, 3), items[0], transition(4, 5)], "null") == [
                "clip 0+15 from 0.2", "transition 0+3", "transition 11+4",
            ])
    }

    @Test func refusesOtherOpenTimelineIO() async throws {
        try await makeClips()
        let cases: [(String, String)] = [
            ("{", "cut.otio cannot be read as OpenTimelineIO: this is no valid JSON: the text ends"),
            ("{\"OTIO_SCHEMA\": \"Clip.1\"}", "no Timeline"),
            (
                otio([clip("b.mkv", 0, 9), transition(2, 2), clip("a.mkv", 0, 9)]),
                "the transition before it needs 0:00.080 more"
            ),
            (otio(["{\"OTIO_SCHEMA\": \"Stack.1\"}"]), "track.children[0] is a Stack"),
            (otio([clip("https://example.com/a.mkv", 0, 9)]), "is an address"),
            (otio([clip("absent.mkv", 0, 9)]), "no file absent.mkv"),
            (otio([clip("a.mkv", 0, 900)]), "has nothing up to 0:36.000"),
            (otio([]), "no clips"),
            (otio([clip("a.mkv", 0, 9).replacingOccurrences(of: "\"rate\": 25.0", with: "\"rate\": 0")]), "no time"),
        ]
        for (text, words) in cases {
            try folder.write(text, to: "cut.otio")
            let result = try await plan(["cut.otio"])
            #expect(result.status == 1 && result.errorLines.count == 1, "\(result)")
            #expect(result.errors.contains(words), "\(result.errors)")
        }
    }

    static let refusals: [(words: String, message: String, status: Int32)] = [
        ("", "name clips", 2),
        ("a.mkv disolve 1s b.mkv", "no statement is called disolve (did you mean dissolve?)", 2),
        ("a.mkv wipe irs 1s b.mkv", "no shape of wipe is called irs (did you mean iris?)", 2),
        ("a.mkv push lift 1s b.mkv", "did you mean left?", 2),
        ("a.mkv dissolve 2s b.mkv", "dissolve at a.mkv is longer than the clip: 0:02.000 of 0:01.200", 1),
        ("a.mkv dissolve 0.8s b.mkv dissolve 0.8s a.mkv", "the transitions at b.mkv are longer than the clip", 1),
        ("a.mkv from=-1s", "from is negative: -1s", 2),
        ("a.mkv from=0.5s to=0.2s", "to must be later than from", 2),
        ("a.mkv to=1s for=1s", "to= and for= exclude each other", 2),
        ("a.mkv from=0.2s from=0.4s", "from= is given twice for one clip", 2),
        ("a.mkv from=abc", "from is no time: 'abc'", 2),
        ("a.mkv from=3s", "a.mkv is 0:01.200 long: from=0:03.000 lies after its end", 1),
        ("a.mkv to=9s", "has nothing up to 0:09.000", 1),
        ("a.mkv for=0.001s", "less than a picture", 1),
        ("a.mkv sise=4", "no option of clip is called sise", 2),
        ("absent.mkv", "no file absent.mkv", 1),
        ("a.mkv out.mov", "check the spelling and the folder; to write it: -o out.mov", 1),
        ("from=1s a.mkv", "stands before any statement", 2),
        ("dip-to-black 1s a.mkv", "needs a clip before and after it", 1),
        ("a.mkv dissolve 0.1s push up 0.1s b.mkv", "push up follows dissolve", 1),
        ("a.mkv dissolve", "dissolve wants a time", 2),
        ("a.mkv dissolve + b.mkv", "dissolve wants a time", 2),
        ("a.mkv wipe map 0.2s b.mkv", "wipe map wants a grey picture", 2),
        ("a.mkv wipe iris 0.2s map=a.mkv b.mkv", "map= is for wipe map", 2),
        ("a.mkv wipe iris 0.2s softness=2 b.mkv", "softness= must lie between 0 and 1", 2),
        ("title Hi", "no clips", 1),
        ("a.mkv title Hi at=5s", "where the timeline is over", 1),
        ("a.mkv title Hi fade=2s", "half of its time", 2),
        ("a.mkv title Hi position=left", "no position of a title is called left", 2),
        ("a.mkv --rate 0", "--rate is no frame rate", 2),
        ("a.mkv --size 3", "--size cannot be 3", 2),
        ("a.mkv --from 3", "lies between --from and --to", 1),
        ("a.mkv --preset m4a", "makes no pictures", 2),
        ("a.mkv -o a.mkv", "the input itself", 1),
        ("a.mkv -o out.txt", "should end in", 2),
        ("list.edl a.mkv", "stands alone", 2),
        ("empty.edl", "empty.edl is empty", 1),
    ]

    @Test func refusesWhatCannotWork() async throws {
        try await makeClips()
        try folder.write("# nothing\n", to: "comment.edl")
        try folder.write("a.mkv\n", to: "list.edl")
        try folder.write("", to: "empty.edl")
        try folder.write("clip a.mkv\n\nclip absent.mkv\n", to: "absent.edl")
        try folder.write("clip a.mkv\ntitle \"open\n", to: "quote.edl")
        try folder.write("TITLE: CUT\n001  AX V C 00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00\n", to: "cmx.edl")
        let names = folder.names
        let more: [(words: String, message: String, status: Int32)] = [
            ("cmx.edl", "cmx.edl is a list of CMX 3600", 1),
            ("comment.edl", "is empty: write a line for each clip", 1),
            ("absent.edl", "absent.edl, line 3: there is no file absent.mkv", 1),
            ("quote.edl", "quote.edl, line 2: a quote is open", 1),
        ]
        for (words, message, status) in Self.refusals + more {
            let result = try await plan(words.split(separator: " ").map(String.init))
            #expect(result.status == status && result.errorLines.count == 1, "\(words): \(result)")
            #expect(result.errors.hasPrefix("hdr timeline: ") && result.errors.contains(message), "\(result.errors)")
            #expect(result.output.isEmpty && folder.names == names, "\(words)")
        }
    }
}
