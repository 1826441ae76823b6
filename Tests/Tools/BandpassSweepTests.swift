import Foundation
import Testing
import TestSupport

/// pipelines/bandpass-sweep as a user runs it: what it writes, what it refuses, and what it leaves behind.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct BandpassSweepTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the command in the test's folder. The limit leaves time for building the plugin.
    func sweep(_ arguments: String..., environment: [String: String] = [:]) async throws -> Command.Result {
        var command = Command(Repository.path("pipelines/bandpass-sweep"), arguments, directory: folder.url)
        command.environment = environment
        command.limit = .seconds(900)
        return try await command.run()
    }

    /// Makes a file in the test's folder with a GStreamer pipeline; `%` stands for its path.
    func make(_ name: String, _ pipeline: String) async throws {
        let words = pipeline.replacingOccurrences(of: "%", with: folder.path(name)).split(separator: " ")
        let result = try await Command("gst-launch-1.0", ["-q"] + words.map(String.init)).run()
        try #require(result.status == 0, "gst-launch-1.0 \(pipeline): \(result.errors)")
    }

    func makeNoise(_ name: String = "noise.wav", seconds: Int = 2) async throws {
        try await make(
            name,
            "audiotestsrc wave=pink-noise samplesperbuffer=4800 num-buffers=\(10 * seconds) ! "
                + "audio/x-raw,format=S16LE,rate=48000,channels=2 ! wavenc ! filesink location=%")
    }

    /// The two plots of a picture, in grey.
    func plots(_ name: String) async throws -> [SpectrogramPlot] {
        let png = try Data(contentsOf: folder.url.appendingPathComponent(name))
        #expect(png.prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        // No other size can be linked.
        try await make(
            "pixels",
            "filesrc location=\(folder.path(name)) ! pngdec ! videoconvert ! "
                + "video/x-raw,format=GRAY8,width=1600,height=1000 ! filesink location=%")
        let pixels = try Data(contentsOf: folder.url.appendingPathComponent("pixels"))
        try FileManager.default.removeItem(atPath: folder.path("pixels"))
        return [88, 532].map { SpectrogramPlot(picture: [UInt8](pixels), top: $0) }
    }

    /// Decodes any sound file in the test's folder.
    func decode(_ name: String) async throws -> WAVFile {
        try await make(
            "decoded",
            "filesrc location=\(folder.path(name)) ! decodebin ! audioconvert ! "
                + "audio/x-raw,format=S24LE ! wavenc ! filesink location=%")
        let file = try WAVFile(contentsOf: folder.url.appendingPathComponent("decoded"))
        try FileManager.default.removeItem(atPath: folder.path("decoded"))
        return file
    }

    func expectRefusal(
        _ result: Command.Result, _ words: String, leaving names: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == 1, sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("bandpass-sweep: "), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        #expect(folder.names == names.sorted(), sourceLocation: sourceLocation)
    }

    // MARK: - What it writes

    @Test func sweepsMusicWithoutArguments() async throws {
        let result = try await sweep()
        #expect(result.status == 0, "\(result.errors)")
        // Without a network it makes its own music, and says so.
        let name = result.errors.contains("parsec47-data (BSD") ? "parsec47-sweep" : "generated-sweep"
        #expect(result.errors.contains("note: music "))
        #expect(folder.names == ["\(name).png", "\(name).wav"])
        #expect(result.output.contains("Wrote \(name).wav"))
        let sound = try await decode("\(name).wav")
        #expect(sound.seconds > 30)
        let plots = try await plots("\(name).png")
        #expect(plots[0].mean > plots[1].mean + 20, "a narrow band is left of the music")
    }

    /// Away from the packages of the network, and without the music that an earlier run has kept.
    @Test func makesMusicOffline() async throws {
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("bin"), withIntermediateDirectories: true)
        for program in ["apt-get", "sudo"] {
            try Data("#!/bin/sh\nexit 100\n".utf8).write(to: folder.url.appendingPathComponent("bin/\(program)"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: folder.path("bin/\(program)"))
        }
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("pipelines"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: Repository.path("pipelines/lib"), toPath: folder.path("pipelines/lib"))
        // The packages and the plugin are there by then.
        #expect(try await sweep("absent.wav").status == 1)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        var command = Command(
            "/usr/bin/python3", ["-E", "-s", "-B", folder.path("pipelines/lib/bandpass_sweep.py"), "--no-picture"],
            directory: folder.url)
        command.environment = [
            "PATH": folder.path("bin") + ":" + path, "GST_PLUGIN_PATH": Repository.path("build/plugins"),
        ]
        let result = try await command.run()
        #expect(result.status == 0, "\(result.errors)")
        if FileManager.default.fileExists(atPath: "/usr/share/games/parsec47/sounds") { return }
        #expect(result.errors.contains("music made by this command"))
        #expect(folder.names == ["bin", "build", "generated-sweep.wav", "pipelines"])
        #expect(try await decode("generated-sweep.wav").rms > 0.001)
    }

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
        try WAVFile(rate: rate, channels: channels, samples: mix).write(
            to: folder.url.appendingPathComponent("tones.wav"))
        let result = try await sweep("tones.wav", "--from", "50", "--to", "12800")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names == ["tones-sweep.png", "tones-sweep.wav", "tones.wav"])

        let output = try WAVFile(contentsOf: folder.url.appendingPathComponent("tones-sweep.wav"))
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
        try await makeNoise(seconds: 10)
        let result = try await sweep("noise.wav", "-o", "out.flac", "--picture", "drawn.png")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names == ["drawn.png", "noise.wav", "out.flac"])
        let plots = try await plots("drawn.png")
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
        try await makeNoise()
        let result = try await sweep("noise.wav", "--quiet", "--no-picture", "-o", "out\(ending)")
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result)")
        #expect(folder.names == ["noise.wav", "out\(ending)"])
        let sound = try await decode("out\(ending)")
        #expect(sound.rate == 48_000 && sound.channels == 2)
        #expect(abs(sound.seconds - 2) < 0.1, "\(sound.seconds) s")
        #expect(sound.rms > 0.01)
    }

    @Test func takesTheSoundOfAVideo() async throws {
        try await make(
            "clip.mkv",
            "videotestsrc num-buffers=60 ! video/x-raw,width=160,height=120,framerate=30/1 ! "
                + "vp9enc deadline=1 cpu-used=8 ! queue ! matroskamux name=mux ! filesink location=% "
                + "audiotestsrc wave=pink-noise samplesperbuffer=4800 num-buffers=20 ! "
                + "audio/x-raw,rate=48000,channels=1 ! vorbisenc ! queue ! mux.")
        let result = try await sweep("clip.mkv", "--to", "2000", "--from", "200")
        #expect(result.status == 0, "\(result.errors)")
        #expect(folder.names == ["clip-sweep.png", "clip-sweep.wav", "clip.mkv"])
        let sound = try await decode("clip-sweep.wav")
        #expect(sound.channels == 1)
        #expect(abs(sound.seconds - 2) < 0.2, "\(sound.seconds) s")
        #expect(try await plots("clip-sweep.png")[1].shades > 50)
    }

    @Test func endsAtTheRequestedTime() async throws {
        try await makeNoise()
        let result = try await sweep("noise.wav", "--duration", "0.7", "--no-picture")
        #expect(result.status == 0, "\(result.errors)")
        let sound = try await decode("noise-sweep.wav")
        #expect(sound.seconds >= 0.7 && sound.seconds < 0.75, "\(sound.seconds) s")
    }

    // MARK: - What it refuses

    /// Help neither installs nor builds anything.
    @Test func givesHelp() async throws {
        for program in ["apt-get", "sudo", "swift", "python3"] {
            try Data("#!/bin/sh\ntouch '\(folder.path("called"))'\n".utf8).write(
                to: folder.url.appendingPathComponent(program))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path(program))
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = try await sweep("--help", environment: ["PATH": folder.url.path + ":" + path])
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("usage: pipelines/bandpass-sweep"))
        #expect(result.errors.isEmpty)
        #expect(!folder.names.contains("called"))
    }

    @Test func refusesWrongOptions() async throws {
        try await makeNoise()
        let names = ["noise.wav"]
        expectRefusal(try await sweep("noise.wav", "--bogus"), "--bogus", leaving: names)
        expectRefusal(try await sweep("noise.wav", "--from", "3"), "--from must lie between 20", leaving: names)
        expectRefusal(try await sweep("noise.wav", "--to", "nan"), "--to must lie between 20", leaving: names)
        expectRefusal(try await sweep("noise.wav", "--to", "23900"), "--to must lie below 23520 Hz", leaving: names)
        expectRefusal(try await sweep("noise.wav", "--bandwidth", "50"), "--bandwidth", leaving: names)
        expectRefusal(try await sweep("noise.wav", "--bandwidth", "wide"), "--bandwidth", leaving: names)
        expectRefusal(try await sweep("noise.wav", "--duration", "0"), "--duration", leaving: names)
        expectRefusal(try await sweep("noise.wav", "--play", "-o", "a.wav"), "exclude each other", leaving: names)
        expectRefusal(try await sweep("noise.wav", "b", "c"), "b c", leaving: names)
    }

    @Test func refusesWhatHasNoSound() async throws {
        expectRefusal(try await sweep("absent.wav"), "no file absent.wav", leaving: [])
        expectRefusal(try await sweep("."), "is a folder", leaving: [])
        let file = folder.url.appendingPathComponent("a.wav")
        try Data().write(to: file)
        expectRefusal(try await sweep("a.wav"), "a.wav is empty", leaving: ["a.wav"])
        try Data("This is not a sound at all.\n".utf8).write(to: file)
        expectRefusal(try await sweep("a.wav"), "not a sound", leaving: ["a.wav"])
        try await make("a.wav", "videotestsrc num-buffers=1 ! pngenc ! filesink location=%")
        expectRefusal(try await sweep("a.wav"), "a.wav has no sound", leaving: ["a.wav"])
        try await make("a.wav", "videotestsrc num-buffers=10 ! x264enc ! mp4mux ! filesink location=%")
        expectRefusal(try await sweep("a.wav"), "a.wav has no sound", leaving: ["a.wav"])
        try Data(contentsOf: file).prefix(1500).write(to: file)
        expectRefusal(try await sweep("a.wav"), "truncated", leaving: ["a.wav"])
    }

    @Test func refusesImpossibleOutputs() async throws {
        try await makeNoise()
        let names = ["noise.wav"]
        expectRefusal(try await sweep("noise.wav", "-o", "absent/a.wav"), "no folder absent", leaving: names)
        expectRefusal(try await sweep("noise.wav", "-o", "."), "is a folder", leaving: names)
        expectRefusal(try await sweep("noise.wav", "-o", "a.mp3"), ".wav, .flac, .ogg or .m4a", leaving: names)
        expectRefusal(try await sweep("noise.wav", "--picture", "a.jpg"), "should end in .png", leaving: names)
        expectRefusal(try await sweep("noise.wav", "-o", "noise.wav", "--force"), "the input itself", leaving: names)
        // No user, not even root, can make files there.
        expectRefusal(try await sweep("noise.wav", "-o", "/proc/a.wav"), "/proc", leaving: names)
        try Data("precious".utf8).write(to: folder.url.appendingPathComponent("a.png"))
        expectRefusal(try await sweep("noise.wav", "-o", "a.wav"), "a.png exists", leaving: names + ["a.png"])
        #expect(try Data(contentsOf: folder.url.appendingPathComponent("a.png")) == Data("precious".utf8))
        #expect(try await sweep("noise.wav", "-o", "a.wav", "--force").status == 0)
        #expect(folder.names == ["a.png", "a.wav", "noise.wav"])
    }

    // MARK: - What it leaves behind

    @Test func leavesNothingWhenTheDiskIsFull() async throws {
        try await makeNoise()
        // A limit on the size of files stands for a full disk; the shell counts in units of 1024 bytes.
        let script = "ulimit -f 8; exec \"$0\" noise.wav"
        let result = try await Command(
            "bash", ["-c", script, Repository.path("pipelines/bandpass-sweep")], directory: folder.url
        ).run()
        expectRefusal(result, "cannot write noise-sweep.wav", leaving: ["noise.wav"])
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func leavesNothingWhenInterrupted(_ signal: Int32) async throws {
        try await makeNoise(seconds: 300)
        try await Command(
            Repository.path("pipelines/bandpass-sweep"), ["noise.wav"], directory: folder.url
        )
        .expectNothingLeft(after: signal, unfinished: ".bandpass-sweep-", in: folder)
    }
}

/// One of a picture's two plots, 1378 by 390 pixels, its rows counted from the low frequencies.
struct SpectrogramPlot {
    private let picture: [UInt8]
    private let top: Int
    private static let left = 92, width = 1378, height = 390

    init(picture: [UInt8], top: Int) { (self.picture, self.top) = (picture, top) }

    private subscript(column: Int, row: Int) -> Int {
        Int(picture[(top + Self.height - 1 - row) * 1600 + Self.left + column])
    }

    private var all: [Int] { (0..<Self.height).flatMap { row in (0..<Self.width).map { self[$0, row] } } }

    /// How many different shades there are.
    var shades: Int { Set(all).count }
    var mean: Double { Double(all.reduce(0, +)) / Double(Self.width * Self.height) }

    /// The mean of a few pixels along the sweep, which rises from corner to corner.
    /// - Parameter share: Where in the plot, from 0 to 1.
    func mean(along share: Double, row: Int) -> Double {
        let column = Int(share * Double(Self.width))
        let values = (-60...60).map { self[column + $0, row + Int((Double($0) * 390 / 1378).rounded())] }
        return Double(values.reduce(0, +)) / Double(values.count)
    }
}

/// A WAV file of 16 or 24 bits, read and written without GStreamer.
struct WAVFile {
    struct Malformed: Error {}

    var rate: Int
    var channels: Int
    /// From -1 to 1, interleaved.
    var samples: [Double]

    init(rate: Int, channels: Int, samples: [Double]) {
        (self.rate, self.channels, self.samples) = (rate, channels, samples)
    }

    init(contentsOf url: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: url))
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        guard bytes.count > 44, bytes[8..<12].elementsEqual("WAVE".utf8) else { throw Malformed() }
        (rate, channels, samples) = (0, 0, [])
        var depth = 0
        var offset = 12
        while offset + 8 <= bytes.count {
            let length = min(number(offset + 4, 4), bytes.count - offset - 8)
            let body = offset + 8
            if bytes[offset..<offset + 4].elementsEqual("fmt ".utf8), length >= 16 {
                (channels, rate, depth) = (number(body + 2, 2), number(body + 4, 4), number(body + 14, 2) / 8)
            } else if bytes[offset..<offset + 4].elementsEqual("data".utf8), depth > 0 {
                let full = Double(1 << (8 * depth - 1))
                samples = stride(from: body, through: body + length - depth, by: depth).map {
                    let value = Double(number($0, depth))
                    return (value >= full ? value - 2 * full : value) / full
                }
            }
            offset = body + length + length % 2
        }
        guard channels > 0, rate > 0 else { throw Malformed() }
    }

    func write(to url: URL) throws {
        var data = Data()
        func append(_ value: Int, _ count: Int) {
            for index in 0..<count { data.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
        }
        data.append(contentsOf: "RIFF".utf8)
        append(36 + 2 * samples.count, 4)
        data.append(contentsOf: "WAVEfmt ".utf8)
        for (value, count) in [
            (16, 4), (1, 2), (channels, 2), (rate, 4), (2 * rate * channels, 4), (2 * channels, 2), (16, 2),
        ] { append(value, count) }
        data.append(contentsOf: "data".utf8)
        append(2 * samples.count, 4)
        for sample in samples { append(Int((sample * 32767).rounded()), 2) }
        try data.write(to: url)
    }

    var seconds: Double { Double(samples.count / channels) / Double(rate) }
    var rms: Double { (samples.reduce(0) { $0 + $1 * $1 } / Double(max(samples.count, 1))).squareRoot() }

    /// A tone's amplitude over 60 ms around a time.
    func amplitude(of frequency: Double, at time: Double, channel: Int) -> Double {
        let count = rate * 60 / 1000
        let start = Int(time * Double(rate)) - count / 2
        var (real, imaginary, weights) = (0.0, 0.0, 0.0)
        for index in 0..<count {
            let weight = 1 - cos(2 * .pi * Double(index) / Double(count))
            let value = weight * samples[(start + index) * channels + channel]
            let angle = 2 * .pi * frequency * Double(index) / Double(rate)
            real += value * cos(angle)
            imaginary += value * sin(angle)
            weights += weight
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / weights
    }
}
