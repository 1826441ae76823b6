import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdr tap --sweep` as a user runs it: what it writes, what it refuses, and what it leaves behind.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct TapSweepTests {
    let place: SoundFolder
    var folder: TemporaryFolder { place.folder }

    init() throws { place = try SoundFolder() }

    func sweep(_ arguments: String...) async throws -> Command.Result {
        try await place.command(["--sweep"] + arguments).run()
    }

    // MARK: - What it writes

    /// Seven tones sound at once; each is the loudest when the band's centre passes it.
    @Test(arguments: [(44_100, 2), (48_000, 1), (96_000, 2)])
    func followsTheSweep(rate: Int, channels: Int) async throws {
        let tones = (0..<7).map { 100 * pow(2, Double($0)) }
        let seconds = 4.0
        let mix = (0..<Int(seconds * Double(rate))).flatMap { index in
            let time = Double(index) / Double(rate)
            let value = tones.reduce(0) { $0 + 0.1 * sin(2 * .pi * $1 * time) }
            return [Double](repeating: value, count: channels)
        }
        try WAVFile(rate: rate, channels: channels, samples: mix).write(to: folder.url("tones.wav"))
        let result = try await sweep("tones.wav", "--sweep-from", "50", "--sweep-to", "12800")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names == ["tones-sweep.png", "tones-sweep.wav", "tones.wav"])

        let output = try WAVFile(contentsOf: folder.url("tones-sweep.wav"))
        #expect(output.rate == rate)
        #expect(output.channels == channels)
        // The band-pass rings on at the end.
        #expect(output.seconds >= seconds && output.seconds < seconds + 0.1)
        for (index, tone) in tones.enumerated() {
            // 50 to 12800 Hz are eight octaves, and the tones are an octave from each other.
            let passed = seconds * Double(index + 1) / 8
            for channel in 0..<channels {
                let levels = tones.map { output.amplitude(of: $0, at: passed, channel: channel) }
                #expect(levels.indices.max { levels[$0] < levels[$1] } == index, "\(tone) Hz: \(levels)")
                #expect(abs(levels[index] - 0.1) < 0.02, "\(tone) Hz: \(levels)")
            }
        }
    }

    @Test func drawsBothSpectrograms() async throws {
        // Slow enough that the band moves little within the longest window of the spectrogram.
        try await place.makeNoise(seconds: 10)
        let result = try await sweep("noise.wav", "-o", "out.flac", "--picture", "drawn.png")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names == ["drawn.png", "noise.wav", "out.flac"])
        let plots = try await place.plots("drawn.png")
        for plot in plots { #expect(plot.shades > 50) }
        #expect(plots[0].mean > plots[1].mean + 20)
        for share in [0.25, 0.5, 0.75] {
            // What the band-pass takes away, in shades, of which a decibel has 2.4 to 4.3. The noise itself, the same
            // in both, cancels out. A row is 1/130 of a decade: a band of half an octave loses 2.7 dB in 9 rows, which
            // are off the line, and 21 dB in 80. Random noise moves these shades by 1 and 2 (standard deviation).
            let row = Int(share * 390)
            let losses = [-80, -9, 9, 80].map { offset in
                plots[0].mean(along: share, row: row + offset) - plots[1].mean(along: share, row: row + offset)
            }
            #expect(losses[1...2].allSatisfy { (5...16).contains($0) }, "\(share): \(losses)")
            #expect([losses[0], losses[3]].allSatisfy { (55...90).contains($0) }, "\(share): \(losses)")
        }
    }

    @Test(arguments: [".flac", ".ogg", ".m4a", ".wav"])
    func writesAllKinds(_ ending: String) async throws {
        try await place.makeNoise()
        let result = try await sweep("noise.wav", "--quiet", "--no-picture", "-o", "out\(ending)")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result)")
        #expect(folder.names == ["noise.wav", "out\(ending)"])
        let sound = try await place.decode("out\(ending)")
        #expect(sound.rate == 48_000 && sound.channels == 2)
        #expect(abs(sound.seconds - 2) < 0.1, "\(sound.seconds) s")
        #expect(sound.rms > 0.01)
    }

    @Test func takesTheSoundOfAVideo() async throws {
        try await place.make(
            "clip.mkv",
            "videotestsrc num-buffers=60 ! video/x-raw,width=160,height=120,framerate=30/1 ! "
                + "vp9enc deadline=1 cpu-used=8 ! queue ! matroskamux name=mux ! filesink location=% "
                + "audiotestsrc wave=pink-noise samplesperbuffer=4800 num-buffers=20 ! "
                + "audio/x-raw,rate=48000,channels=1 ! vorbisenc ! queue ! mux.")
        let result = try await sweep("clip.mkv", "--sweep-to", "2000", "--sweep-from", "200")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names == ["clip-sweep.png", "clip-sweep.wav", "clip.mkv"])
        let sound = try await place.decode("clip-sweep.wav")
        #expect(sound.channels == 1)
        #expect(abs(sound.seconds - 2) < 0.2, "\(sound.seconds) s")
        #expect(try await place.plots("clip-sweep.png")[1].shades > 50)
    }

    @Test func endsAtTheRequestedTime() async throws {
        try await place.makeNoise()
        let result = try await sweep("noise.wav", "--duration", "0.7", "--no-picture")
        #expect(result.status == 0, "\(result.errors)")
        let sound = try await place.decode("noise-sweep.wav")
        #expect(sound.seconds >= 0.7 && sound.seconds < 0.75, "\(sound.seconds) s")
    }

    /// Music that the command makes, the same every time.
    @Test func sweepsMusicOfItsOwn() async throws {
        let result = try await sweep("--demo")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("note: music made by this command"))
        #expect(folder.names == ["generated-sweep.png", "generated-sweep.wav"])
        let sound = try await place.decode("generated-sweep.wav")
        #expect(sound.seconds > 30 && sound.rms > 0.001)
        let plots = try await place.plots("generated-sweep.png")
        #expect(plots[0].mean > plots[1].mean + 20, "a narrow band is left of the music")
        let first = try folder.data("generated-sweep.wav")
        #expect(try await sweep("--demo", "--no-picture", "--force", "--quiet").errors.isEmpty)
        #expect(try folder.data("generated-sweep.wav") == first)
    }

    // MARK: - What it refuses

    @Test func refusesWrongOptions() async throws {
        try await place.makeNoise()
        for (words, said) in [
            (["--bogus"], "--bogus"),
            (["--sweep-from", "3"], "--sweep-from must lie between 20"),
            (["--sweep-to", "nan"], "--sweep-to must lie between 20"),
            (["--bandwidth", "50"], "--bandwidth"), (["--bandwidth", "wide"], "--bandwidth"),
            (["--duration", "0"], "--duration"),
            (["--play", "-o", "a.wav"], "exclude each other"),
            (["--picture", "a.png", "--no-picture"], "exclude each other"),
            (["--effect", "gain"], "--sweep moves the effect bandpass"),
            (["--effect", "bandpass,center-frequency=800"], "give --sweep-from"),
        ] {
            let result = try await place.command(["--sweep", "noise.wav"] + words).run()
            place.expectRefusal(result, said, leaving: ["noise.wav"], status: 2)
        }
        place.expectRefusal(
            try await sweep("noise.wav", "--sweep-to", "23900"), "--sweep-to must lie below 23520 Hz",
            leaving: ["noise.wav"])
        place.expectRefusal(
            try await sweep("noise.wav", "--picture", "a.jpg"), "should end in .png", leaving: ["noise.wav"],
            status: 2)
    }

    @Test func refusesToReplaceAPicture() async throws {
        try await place.makeNoise()
        try folder.write("precious", to: "a.png")
        place.expectRefusal(
            try await sweep("noise.wav", "-o", "a.wav"), "a.png exists", leaving: ["noise.wav", "a.png"])
        #expect(folder.text("a.png") == "precious")
        #expect(try await sweep("noise.wav", "-o", "a.wav", "--force").status == 0)
        #expect(folder.names == ["a.png", "a.wav", "noise.wav"])
    }

    // MARK: - What it leaves behind

    @Test func leavesNothingWhenTheDiskIsFull() async throws {
        try await place.makeNoise()
        // A limit on the size of files stands for a full disk; the shell counts in units of 1024 bytes.
        let command = place.command(["--sweep", "noise.wav"])
        var limited = Command(
            "bash", ["-c", "ulimit -f 8; exec \"$0\" \"$@\"", command.program] + command.arguments,
            directory: folder.url)
        limited.environment = command.environment
        place.expectRefusal(try await limited.run(), "cannot write noise-sweep.wav", leaving: ["noise.wav"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func leavesNothingWhenInterrupted(_ signal: Int32) async throws {
        try await place.makeNoise(seconds: 300)
        try await place.command(["--sweep", "noise.wav"])
            .expectNothingLeft(after: signal, unfinished: ".hdr-tap-", in: folder)
    }
}
