import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdr tap` as a user runs it, with effects that stand still.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct TapCommandTests {
    let place: SoundFolder
    var folder: TemporaryFolder { place.folder }

    init() throws { place = try SoundFolder() }

    /// A sound whose samples say where they are: 16 bits that count.
    private func makeCount(_ name: String = "count.wav", frames: Int = 48_000) throws {
        let samples = (0..<frames).map { Double($0 % 60_000 - 30_000) / 32_767 }
        try WAVFile(rate: 48_000, channels: 1, samples: samples).write(to: folder.url(name))
    }

    private func samples(_ name: String) throws -> [Int] {
        try WAVFile(contentsOf: folder.url(name)).samples.map { Int(($0 * 32_768).rounded()) }
    }

    // MARK: - What it writes

    @Test func appliesEffectsInTurn() async throws {
        try makeCount()
        let result = try await place.tap("count.wav", "--effect", "gain,gain=-6.0206,gain,volume=0.5", "--verbose")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasPrefix("Wrote count-gain-gain.wav: gain, gain, 0:01; took "), "\(result.output)")
        #expect(result.errors.contains("hdrtap effect=gain,gain effect_0::gain=-6.0206 effect_1::volume=0.5"))
        #expect(folder.names == ["count-gain-gain.wav", "count.wav"])
        let (before, after) = (try samples("count.wav"), try samples("count-gain-gain.wav"))
        #expect(before.count == after.count)
        #expect(zip(before, after).allSatisfy { abs(Double($0) / 4 - Double($1)) <= 1 })
    }

    /// A band-pass without a word about which.
    @Test func theDefaultIsABandPass() async throws {
        try await place.makeNoise()
        #expect(try await place.tap("noise.wav", "--bandwidth", "1200", "-q").output.isEmpty)
        #expect(folder.names == ["noise-bandpass.wav", "noise.wav"])
        let loud = try await place.decode("noise.wav").rms
        #expect(try await place.decode("noise-bandpass.wav").rms < 0.7 * loud)
    }

    /// Parts are exact to the sample, whatever the sizes of the decoder's buffers.
    @Test(arguments: [
        (["--from", "0.25"], 12_000..<48_000), (["--to", "0.123456"], 0..<5926),
        (["--from", "0:0.1", "--to", "0.100125"], 4800..<4806),
        (["--from", "0.5", "--duration", "0.25"], 24_000..<36_000),
        (["--from", "0.9", "--to", "1:00"], 43_200..<48_000),
    ])
    func takesAPart(_ words: [String], part: Range<Int>) async throws {
        try makeCount()
        for output in ["part.wav", "part.flac"] {
            let result = try await place.command(["count.wav", "--effect", "gain", "-o", output] + words).run()
            #expect(result.status == 0, "\(result.errors)")
        }
        let whole = try samples("count.wav")
        #expect(try samples("part.wav") == Array(whole[part]))
        let compressed = try await place.decode("part.flac").samples.map { Int(($0 * 32_768).rounded()) }
        #expect(compressed == Array(whole[part]))
    }

    /// A decoder that has more to give when the part ends.
    @Test(arguments: [".wav", ".flac", ".ogg"])
    func endsBeforeTheSound(_ name: String) async throws {
        try makeCount()
        let made = try await place.command(["count.wav", "--effect", "gain", "-o", "whole" + name]).run()
        try #require(made.status == 0, "\(made.errors)")
        let words = ["whole" + name, "--effect", "gain", "-o", "part.wav", "--to", "0.25"]
        let result = try await place.command(words).run()
        #expect(result.status == 0, "\(result.errors)")
        #expect(try samples("part.wav").count == 12_000)
    }

    /// Sound that begins with an encoder's padding: the edit list leaves it out, and a demuxer that compares decoding
    /// times with the list's end would leave out some of the end as well.
    @Test(.enabled(if: Command.exists("ffmpeg"), "apt-get install ffmpeg"))
    func keepsTheEndOfASound() async throws {
        let made = try await Command(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "sine=duration=3:sample_rate=44100", "-c:a", "aac", "a.m4a"],
            directory: folder.url
        ).run()
        try #require(made.status == 0, "\(made.errors)")
        #expect(try await place.tap("a.m4a", "--effect", "gain", "-q").status == 0)
        #expect(try WAVFile(contentsOf: folder.url("a-gain.wav")).samples.count == 3 * 44_100)
    }

    /// A sweep runs through the part that is taken, and the picture shows that.
    @Test func sweepsOverAPart() async throws {
        try await place.makeNoise(seconds: 6)
        let words = ["--sweep", "noise.wav", "--from", "2", "--to", "4", "--json", "-o", "a.m4a"]
        let result = try await place.command(words).run()
        #expect(result.status == 0, "\(result.errors)")
        let report = try #require(Self.reports(result).first)
        #expect(report["input"] as? String == "noise.wav" && report["output"] as? String == "a.m4a")
        #expect(report["picture"] as? String == "a.png" && report["duration"] as? Double == 2)
        let course = try #require(report["sweep"] as? [String: Double])
        #expect(course == ["from": 20, "to": 20_000, "bandwidth": 600])
        let sound = try await place.decode("a.m4a")
        // An encoder of AAC adds a packet of 1024 samples at each end.
        #expect(abs(sound.seconds - 2) < 0.08, "\(sound.seconds)")
        let plots = try await place.plots("a.png")
        #expect(plots[0].mean > plots[1].mean + 20)
    }

    @Test func drawsOtherEffects() async throws {
        try await place.makeNoise()
        let result = try await place.tap("noise.wav", "--effect", "gain,gain=-20", "--picture", "a.png")
        #expect(result.status == 0, "\(result.errors)")
        let plots = try await place.plots("a.png")
        // 20 of 80 dB darker everywhere.
        #expect((20...90).contains(plots[0].mean - plots[1].mean), "\(plots[0].mean) \(plots[1].mean)")
    }

    @Test func metersASound() async throws {
        // 997 Hz at -20 dBFS in both channels: -20.0 LUFS by EBU Tech 3341.
        try await place.make(
            "tone.wav",
            "audiotestsrc freq=997 volume=0.1 samplesperbuffer=4800 num-buffers=50 ! "
                + "audio/x-raw,format=S16LE,rate=48000,channels=2 ! wavenc ! filesink location=%")
        let result = try await place.tap("tone.wav", "--effect", "meter,loudness=true", "--json")
        #expect(result.status == 0, "\(result.errors)")
        let levels = try #require(Self.reports(result).first?["levels"] as? [String: Double])
        for (name, value) in ["peak": -20.0, "true-peak": -20, "loudness": -20] {
            #expect(abs((levels[name] ?? 0) - value) < 0.15, "\(name): \(levels)")
        }
        let said = try await place.tap("tone.wav", "--effect", "meter", "--force").output
        #expect(said.contains("Levels: peak -20.0 dBFS, true peak -20.0 dBTP\n"), "\(said)")
    }

    // MARK: - Several inputs

    static func reports(_ result: Command.Result) -> [[String: Any]] {
        (try? JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]) ?? []
    }

    @Test func takesFoldersAndGoesOn() async throws {
        try FileManager.default.createDirectory(at: folder.url("album"), withIntermediateDirectories: false)
        try FileManager.default.createDirectory(at: folder.url("out"), withIntermediateDirectories: false)
        for name in ["album/b.wav", "album/a.wav", "c.wav"] { try makeCount(name, frames: 4800) }
        try folder.write("no sound", to: "album/notes.txt")
        let result = try await place.tap("album", "absent.wav", "c.wav", "--effect=gain", "-o", "out", "--json")
        #expect(result.status == 1)
        #expect(result.errorLines.count == 2, "\(result.errors)")
        let reports = Self.reports(result)
        #expect(reports.map { $0["input"] as? String } == ["album/a.wav", "album/b.wav", "absent.wav", "c.wav"])
        #expect(reports.map { $0["error"] == nil } == [true, true, false, true])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("out")).sorted() == [
                "a-gain.wav", "b-gain.wav", "c-gain.wav",
            ])
        let again = try await place.tap("absent.wav", "c.wav", "--effect=gain", "-o", "out", "-f")
        #expect(again.status == 1 && again.output.hasPrefix("Wrote out/c-gain.wav: gain, "), "\(again)")
        #expect(
            again.errorLines == [
                "hdr tap: there is no file absent.wav: check the spelling and the folder",
                "hdr tap: 1 of 2 files failed",
            ])
        // A folder is taken for a single input too.
        #expect(try await place.tap("c.wav", "--effect=gain", "-o", "out", "-f", "-q").status == 0)
        // Two outputs of one name.
        place.expectRefusal(
            try await place.tap("c.wav", "album/../c.wav", "--effect=gain", "-o", "out", "--force"),
            "c.wav and album/../c.wav would both become out/c-gain.wav", leaving: ["album", "c.wav", "out"])
        place.expectRefusal(
            try await place.tap("album", "-o", "absent/"), "there is no folder absent",
            leaving: ["album", "c.wav", "out"])
        place.expectRefusal(
            try await place.tap("album", "-o", "absent.wav"), "several inputs need a folder",
            leaving: ["album", "c.wav", "out"], status: 2)
        place.expectRefusal(
            try await place.tap("album", "--picture", "a.png"), "names one file", leaving: ["album", "c.wav", "out"],
            status: 2)
    }

    // MARK: - What it prints

    @Test func printsItsPlan() async throws {
        try await place.makeNoise()
        try FileManager.default.moveItem(at: folder.url("noise.wav"), to: folder.url("two words.wav"))
        let result = try await place.tap("two words.wav", "--dry-run", "--from", "0.5", "--bandwidth", "300")
        expectClean(result)
        #expect(folder.names == ["two words.wav"])
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines[1] == "# the sound from 0:00.500 to 0:02.000", "\(lines)")
        #expect(lines[0].contains(" ! hdrtap effect=bandpass effect::bandwidth=300 ! "), "\(lines)")
        let same = try await place.tap("two words.wav", "--dry-run", "--from=0.5", "--bandwidth=300", "--json", "-q")
        #expect(Self.reports(same).first?["line"] as? String == lines.joined(separator: "\n"))
        #expect(Self.reports(same).first?["output"] as? String == "two words-bandpass.wav")
        // The line is one that a shell runs.
        var command = Command("bash", ["-c", lines[0]], directory: folder.url)
        command.environment = ["GST_PLUGIN_PATH": Repository.path("build/plugins")]
        let run = try await command.run()
        #expect(run.status == 0, "\(run.errors)")
        #expect(try WAVFile(contentsOf: folder.url("two words-bandpass.wav")).seconds >= 2)
    }

    @Test func helpHasItsOptions() throws {
        let help = try HDRCommand.run(["help", "tap"])
        expectClean(help)
        for name in [
            "--effect", "--sweep", "--sweep-from", "--sweep-to", "--bandwidth", "--from", "--to", "--duration",
            "--demo",
            "--output, -o", "--play", "--picture", "--no-picture", "--force, -f", "--json", "--quiet, -q",
            "--verbose, -v",
            "--dry-run", "--no-install", "--help",
        ] where name != "--help" {
            #expect(help.output.contains("  \(name) "), "\(name)")
        }
        #expect(help.output.contains("Exit status: 0 done; 1 an error"))
    }

    // MARK: - What it refuses

    @Test func refusesWrongOptions() async throws {
        try await place.makeNoise()
        for (words, said) in [
            (["--effect", "banpass"], "no effect on sound is called banpass (did you mean bandpass?)"),
            (["--effect", "sepia"], "no effect on sound is called sepia"),
            (
                ["--effect", "bandpass,bandwith=3"],
                "no property of bandpass is called bandwith (did you mean bandwidth?)"
            ),
            (["--effect", "bandpass,bandwidth=3"], "bandwidth of bandpass must lie between 100 and 12000, not '3'"),
            (["--effect", "bandpass,bandwidth=nan"], "bandwidth of bandpass must lie between"),
            (["--effect", "gain=3"], "--effect begins with the name of an effect"),
            (["--effect", "meter,true-peak=perhaps"], "true-peak takes no perhaps"),
            (["--effect", ""], "no effect on sound is called ''"),
            (["--effect", "gain", "--bandwidth", "300"], "--bandwidth belongs to the effect bandpass"),
            (["--sweep-from", "100"], "--sweep-from belongs to --sweep"),
            (["--from", "soon"], "--from is no time: 'soon'"),
            (["--from", "3", "--to", "2"], "--to must be later than --from"),
            (["--to", "3", "--duration", "2"], "--to and --duration exclude each other"),
            (["--demo"], "--demo is in place of 'noise.wav'"),
            (["--forc"], "no option is called --forc (did you mean --force?)"),
        ] {
            let result = try await place.command(["noise.wav"] + words).run()
            place.expectRefusal(result, said, leaving: ["noise.wav"], status: 2)
        }
        place.expectRefusal(
            try await place.tap(), "name a sound or video file, or take --demo", leaving: ["noise.wav"], status: 2)
        place.expectRefusal(
            try await place.tap("noise.wav", "--from", "2"), "--from lies after the end of noise.wav",
            leaving: ["noise.wav"])
        let result = try await place.tap("noise.wav", "b", "c")
        #expect(result.status == 1 && result.errors.contains("no file b:") && result.errors.contains("no file c:"))
    }

    @Test func refusesWhatHasNoSound() async throws {
        place.expectRefusal(try await place.tap("absent.wav"), "no file absent.wav", leaving: [])
        place.expectRefusal(try await place.tap("."), "is a folder", leaving: [])
        let file = folder.url("a.wav")
        try Data().write(to: file)
        place.expectRefusal(try await place.tap("a.wav"), "a.wav is empty", leaving: ["a.wav"])
        try Data("This is not a sound at all.\n".utf8).write(to: file)
        place.expectRefusal(try await place.tap("a.wav"), "not a sound", leaving: ["a.wav"])
        try await place.make("a.wav", "videotestsrc num-buffers=1 ! pngenc ! filesink location=%")
        place.expectRefusal(try await place.tap("a.wav"), "a.wav has no sound", leaving: ["a.wav"])
        try await place.make("a.wav", "videotestsrc num-buffers=10 ! x264enc ! mp4mux ! filesink location=%")
        place.expectRefusal(try await place.tap("a.wav"), "a.wav has no sound", leaving: ["a.wav"])
        try Data(contentsOf: file).prefix(1500).write(to: file)
        place.expectRefusal(try await place.tap("a.wav"), "truncated", leaving: ["a.wav"])
    }

    @Test func refusesImpossibleOutputs() async throws {
        try await place.makeNoise()
        for (words, said) in [
            (["-o", "a.mp3"], ".wav, .flac, .ogg or .m4a"), (["--picture", "a.jpg"], "should end in .png"),
        ] {
            place.expectRefusal(
                try await place.command(["noise.wav"] + words).run(), said, leaving: ["noise.wav"], status: 2)
        }
        for (words, said) in [
            (["-o", "absent/a.wav"], "no folder absent"), (["-o", "absent/"], "no folder absent"),
            (["-o", "noise.wav", "--force"], "the input itself"),
            // No user, not even root, can make files there.
            (["-o", "/proc/a.wav"], "/proc"),
        ] {
            place.expectRefusal(
                try await place.command(["noise.wav"] + words).run(), said, leaving: ["noise.wav"])
        }
    }
}
