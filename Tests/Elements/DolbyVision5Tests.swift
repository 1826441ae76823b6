import Foundation
import HDRBitstream
import HDRColor
import PluginSupport
import Testing
import TestSupport

/// Commands and elements with Dolby Vision's profile 5, on pictures that were encoded in IPTPQc2.
@Suite(Samples.areThere, .serialized, .timeLimit(.minutes(10))) struct DolbyVision5Tests {
    private let folder: TemporaryFolder
    private let rpu: [UInt8]

    private static let (width, height) = (256, 144)
    /// PQ signals of BT.2020 from left to right: white, yellow, cyan, green, magenta, red, blue and a dark grey.
    private static let bars: [SIMD3<Double>] = [7, 6, 3, 2, 5, 4, 1, 0].map { bits in
        SIMD3((0..<3).map { bits >> (2 - $0) & 1 == 1 ? 0.56 : 0.42 })
    }

    init() throws {
        folder = try TemporaryFolder()
        // The sample's own mapping makes black of everything. Without it, its matrices are what makes colours.
        try Data(#"{"remove_mapping": true}"#.utf8).write(to: folder.url("edits.json"))
        let edited = try HDRCommand.run([
            "rpu", "edit", Samples.folder.appendingPathComponent("rpu/profile5.bin").path, "--edits",
            folder.path("edits.json"), "-o", folder.path("profile5.bin"),
        ])
        try #require(edited.status == 0, "\(edited)")
        rpu = [UInt8](try folder.data("profile5.bin"))
    }

    // MARK: The clip

    /// The base layer of a colour, as fractions of the highest code: Newton's method on the mapping.
    private func base(_ color: SIMD3<Double>, _ reshaping: Reshaping) throws -> SIMD3<Double> {
        var x = SIMD3(0.5, 0.5, 0.5)
        for _ in 0..<60 {
            let missing = color - reshaping(x)
            let step = 1e-5
            let columns = (0..<3).map { index -> SIMD3<Double> in
                var moved = x
                moved[index] += step
                return (reshaping(moved) - reshaping(x)) / step
            }
            let slope = Matrix3(
                SIMD3(columns[0].x, columns[1].x, columns[2].x), SIMD3(columns[0].y, columns[1].y, columns[2].y),
                SIMD3(columns[0].z, columns[1].z, columns[2].z))
            let change = slope.inverse * missing
            x += SIMD3(change.x, change.y, change.z).clamped(
                lowerBound: SIMD3(repeating: -0.1), upperBound: SIMD3(repeating: 0.1))
        }
        let left = reshaping(x) - color
        try #require(max(abs(left.x), abs(left.y), abs(left.z)) < 1e-6, "\(color): \(x), \(left)")
        return x
    }

    /// - Parameter pictures: with RPUs, of eight.
    private func makeClip(_ name: String, rpus: Int = 8) throws {
        let rpus = Array(repeating: rpu, count: rpus)
        let first = try #require(try DolbyVisionRPUFile.rpus(in: rpu).first)
        let reshaping = try #require(Reshaping(first))
        let codes = try Self.bars.map { try base($0, reshaping) * 1023 }
        var picture: [UInt16] = []
        for (component, shift) in [(0, 0), (1, 1), (2, 1)] {
            let columns = Self.width >> shift
            let row = (0..<columns).map { UInt16(codes[$0 * 8 / columns][component].rounded()) }
            for _ in 0..<Self.height >> shift { picture += row }
        }
        let bytes = picture.flatMap { (code: UInt16) -> [UInt8] in [UInt8(code & 255), UInt8(code >> 8)] }
        let all = Data([[UInt8]](repeating: bytes, count: 8).joined())
        try all.write(to: folder.url("base.raw"))
        try Data(rpus.flatMap { $0 }).write(to: folder.url("rpus.bin"))
        let plain = "plain-\(name)"
        let muxer = name.hasSuffix(".mov") ? "qtmux" : "matroskamux"
        expectClean(
            try GstTool.launch(
                "filesrc location=\(folder.path("base.raw")) blocksize=\(picture.count * 2) ! rawvideoparse "
                    + "format=i420-10le width=\(Self.width) height=\(Self.height) framerate=25/1 ! "
                    + "x265enc speed-preset=ultrafast option-string=crf=2 ! h265parse ! \(muxer) ! "
                    + "filesink location=\(folder.path(plain))", timeout: 60))
        let made = try HDRCommand.run(
            ["rpu", "inject", folder.path(plain), "--rpu", folder.path("rpus.bin"), "-o", folder.path(name)])
        try #require(made.status == 0, "\(made)")
    }

    /// The bars of a file, as PQ signals of BT.2020 if the file has PQ, else as the file's own signals.
    private func bars(_ name: String, _ colorimetry: String = "1:1:14:7") throws -> [SIMD3<Double>] {
        let line =
            "filesrc location=\(folder.path(name)) ! decodebin ! video/x-raw ! hdrconvert dynamic-metadata=ignore ! "
            + "video/x-raw,format=GBR_12LE,colorimetry=(string)\(colorimetry) ! identity eos-after=2 ! "
            + "multifilesink location=\(folder.path("bars"))-%d.raw"
        expectClean(try GstTool.launch(line, timeout: 60))
        let data = try folder.data("bars-0.raw")
        let samples = data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        let plane = samples.count / 3
        // The samples are those of a row in the middle, at the middle of each bar.
        return (0..<8).map { bar in
            let place = Self.height / 2 * Self.width + bar * Self.width / 8 + Self.width / 16
            return SIMD3(
                Double(samples[2 * plane + place]), Double(samples[place]), Double(samples[plane + place])) / 4095
        }
    }

    /// - Parameter limit: of what x265 leaves; versions differ.
    private func expectBars(_ found: [SIMD3<Double>], within limit: Double = 0.008) {
        for (found, wanted) in zip(found, Self.bars) {
            let error = found - wanted
            #expect(max(abs(error.x), abs(error.y), abs(error.z)) < limit, "\(found) for \(wanted)")
        }
    }

    private func run(_ words: String...) throws -> Command.Result {
        let endings = [".mkv", ".mov", ".mp4", ".png"]
        let files = words.map { word in endings.contains { word.hasSuffix($0) } ? folder.path(word) : word }
        return try HDRCommand.run(files, timeout: 120)
    }

    private func formats(_ name: String) throws -> [String] {
        try #require(try HDRCommand.inspect(folder.path(name)).video["hdr-formats"] as? [String])
    }

    // MARK: What is made of it

    @Test(arguments: ["mkv", "mov"]) func exportsAreRight(_ ending: String) throws {
        try makeClip("clip.\(ending)")
        let preset = ["--preset", "hevc-highest-quality", "--speed", "ultrafast"]
        let made = try HDRCommand.run(
            ["export", folder.path("clip.\(ending)"), "-o", folder.path("out.mov"), "--json"] + preset, timeout: 120)
        #expect(made.status == 0, "\(made)")
        #expect(try formats("out.mov").contains("Dolby Vision 8.1"))
        expectBars(try bars("out.mov"))
        // Level 1 is measured, not that of the file's RPU.
        let level1 = try #require(try firstRPU("out.mov").displayManagement?.level1)
        #expect(abs(Int(level1.maximumPQ) - Int(0.56 * 4095)) < 25, "\(level1)")
        #expect(level1.maximumPQ != (try DolbyVisionRPUFile.rpus(in: rpu)[0].displayManagement?.level1?.maximumPQ))
        let copy = try run("export", "clip.\(ending)", "-o", "copy.mov", "--preset", "passthrough", "--quiet")
        #expect(copy.status == 0, "\(copy)")
        #expect(try formats("copy.mov").contains("Dolby Vision 5"))
    }

    @Test func transportStreamsAreReadToo() throws {
        try makeClip("clip.mov")
        let stream = folder.path("clip.ts")
        expectClean(
            try GstTool.launch(
                "hdrsrc location=\(folder.path("clip.mov")) decode=false ! m.video_0 hdrmux-settings name=m "
                    + "preset=passthrough file-type=mpegts ! filesink location=\(stream)", timeout: 60))
        let made = try HDRCommand.run(
            [
                "export", stream, "-o", folder.path("out.mov"), "--preset", "hevc-highest-quality", "--speed",
                "ultrafast",
            ],
            timeout: 120)
        #expect(made.status == 0, "\(made)")
        #expect(try formats("out.mov").contains("Dolby Vision 8.1"))
        expectBars(try bars("out.mov"))
    }

    private func firstRPU(_ name: String) throws -> DolbyVisionRPU {
        let made = try HDRCommand.run(["rpu", "extract", folder.path(name), "-o", folder.path("out.bin")])
        #expect(made.status == 0, "\(made)")
        return try #require(try DolbyVisionRPUFile.rpus(in: [UInt8](try folder.data("out.bin"))).first)
    }

    /// A plain launch line, with nothing set.
    @Test(arguments: ["hevc-highest-quality", "h264-highest-quality"])
    func launchLinesAreRight(_ preset: String) throws {
        try makeClip("clip.mkv")
        expectClean(
            try GstTool.launch(
                "filesrc location=\(folder.path("clip.mkv")) ! decodebin ! m.video_0 hdrmux-settings name=m "
                    + "preset=\(preset) speed-preset=ultrafast ! filesink location=\(folder.path("out.mov"))",
                timeout: 60))
        if preset.hasPrefix("hevc") {
            #expect(try formats("out.mov").contains("Dolby Vision 8.1"))
            expectBars(try bars("out.mov"))
        } else {
            expectHues(try bars("out.mov", "sRGB"))
        }
    }

    @Test func hlgIsRight() throws {
        try makeClip("clip.mkv")
        let made = try run(
            "export", "clip.mkv", "-o", "out.mov", "--preset", "hevc-highest-quality", "--speed", "ultrafast",
            "--settings", "color-properties=(structure)[c,primaries=bt2020,transfer=hlg,matrix=bt2020]")
        #expect(made.status == 0, "\(made)")
        #expect(try formats("out.mov").contains("Dolby Vision 8.4"))
        expectBars(try bars("out.mov"), within: 0.012)
    }

    /// Signals of SDR have the order of the colour's: components that differ keep their order, and those that were
    /// equal are nearer to each other than to the third. Colours outside BT.709 may differ in both. White and grey
    /// stay grey.
    private func expectHues(_ found: [SIMD3<Double>]) {
        for (found, wanted) in zip(found, Self.bars) {
            let pairs = [(0, 1), (1, 2), (0, 2)]
            let apart = pairs.filter { wanted[$0] != wanted[$1] }
            let least = apart.map { abs(found[$0] - found[$1]) }.min() ?? 0.02
            for (one, other) in pairs {
                if wanted[one] == wanted[other] {
                    #expect(abs(found[one] - found[other]) < least, "\(found) for \(wanted)")
                } else {
                    #expect((found[one] > found[other]) == (wanted[one] > wanted[other]), "\(found) for \(wanted)")
                }
            }
        }
    }

    @Test func othersCommandsAreRight() throws {
        try makeClip("clip.mkv")
        let converted = try run("convert", "clip.mkv", "-o", "sdr.mp4")
        #expect(converted.status == 0 && !converted.errors.contains("not kept"), "\(converted)")
        expectHues(try bars("sdr.mp4", "sRGB"))
        let joined = try run("concat", "-o", "joined.mov", "clip.mkv", "clip.mkv", "--speed", "ultrafast")
        #expect(joined.status == 0, "\(joined)")
        #expect(try formats("joined.mov").contains("Dolby Vision 8.1"))
        expectBars(try bars("joined.mov"))
        let shown = try run("play", "--presenter", "offscreen", "--duration", "1", "clip.mkv")
        #expect(shown.status == 0, "\(shown)")
        let still = try run("snapshot", "clip.mkv", "-o", "still.png")
        #expect(still.status == 0, "\(still)")
        // GStreamer's pngdec 1.22 puts the components of 16 bits into wrong places.
        let read = try GstTool.run(
            "ffmpeg",
            [
                "-v", "error", "-i", folder.path("still.png"), "-f", "rawvideo", "-pix_fmt", "rgb48le",
                folder.path("still.raw"),
            ])
        #expect(read.status == 0, "\(read)")
        let samples = try folder.data("still.raw").withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        try #require(samples.count == 3 * Self.width * Self.height)
        expectBars(
            (0..<8).map { bar in
                let place = 3 * (Self.height / 2 * Self.width + bar * Self.width / 8 + Self.width / 16)
                return SIMD3((0..<3).map { Double(samples[place + $0]) / 65535 })
            })
    }

    // MARK: Its metadata on the way

    /// A picture that was made of a base layer says so, and is not made one twice.
    @Test(arguments: ["5", "8.4"]) func picturesAreMadeOnce(_ profile: String) throws {
        if profile == "5" { try makeClip("clip.mkv") }
        let source = profile == "5" ? folder.path("clip.mkv") : Samples.path("iphone-dolby-vision-8.4-hlg.mov")
        func picture(_ filters: String) throws -> Data {
            expectClean(
                try GstTool.launch(
                    "filesrc location=\(source) ! decodebin ! video/x-raw ! \(filters) ! "
                        + "video/x-raw,format=GBR_12LE,colorimetry=(string)1:1:14:7 ! identity eos-after=2 ! "
                        + "multifilesink location=\(folder.path("once"))-%d.raw", timeout: 60))
            return try folder.data("once-0.raw")
        }
        let once = try picture("hdrconvert")
        let twice = try picture("hdrconvert ! video/x-raw,format=GBR_12LE,colorimetry=(string)1:1:14:7 ! hdrconvert")
        #expect(once == twice)
        let lines = try HDRMetaParseTests.lines(
            "filesrc location=\(source) ! decodebin ! video/x-raw ! hdrconvert ! "
                + "video/x-raw,format=GBR_12LE,colorimetry=(string)1:1:14:7 ! fakesink name=out"
        ).lines
        let text = Array(try #require(lines.first).bytes.utf8)
        let made = try DolbyVisionRPU(
            payload: stride(from: 0, to: text.count - 1, by: 2).compactMap {
                UInt8(String(decoding: text[$0..<$0 + 2], as: UTF8.self), radix: 16)
            })
        #expect(made.signaledProfile == 8 && Reshaping(made)?.isIdentity == true)
    }
}
