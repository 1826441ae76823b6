import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdrtap` on launch lines, as users paste them.
@Suite struct TapLaunchTests {
    @Test func theReportCoversTheWholeStream() throws {
        let outcome = try GstTool.run("gst-inspect-1.0", ["hdrtap"])
        expectClean(outcome)
        for text in [
            "Filter/Effect/Audio/Video", "GstChildProxy",
            "bandpass: center-frequency (20 to 384000 Hz), bandwidth (100 to 12000 cents)", "volume-ramps",
            "emit-signals", "max-frames", "max-tail", "alignment-threshold", "latency", "stats",
            "color-space", "(1): display-p3", "(2): bt2020", "(3): bt709",
            "\"set-audio-callbacks\"", "\"set-video-callbacks\"",
            "\"prepare\"", "\"process\"", "\"unprepare\"", "Rank                     none (0)",
        ] {
            #expect(outcome.output.contains(text), "\(text)")
        }
    }

    /// Elements that convert negotiate with effects by themselves: what these take, and the alpha that they give.
    @Test(arguments: [
        "video/x-raw,format=P010_10LE ! hdrtap effect=chroma-key ! video/x-raw,format=A420_10LE",
        "video/x-raw,format=NV12 ! hdrtap effect=chroma-key ! video/x-raw,format=A420",
        "hdrtap effect=chroma-key ! video/x-raw,format=A420", "hdrtap effect=chroma-key ! pngenc",
        "video/x-raw,format=NV12 ! hdrtap effect=chroma-key ! videoconvert ! pngenc",
        "video/x-raw,format=NV12 ! videoconvert ! hdrtap effect=chroma-key ! pngenc",
        "video/x-raw,format=Y41B ! videoconvert ! hdrtap effect=sepia",
        "video/x-raw,format=Y41B ! videoconvert ! hdrtap effect=chroma-key",
        "hdrtap effect=sepia ! videoconvert ! video/x-raw,format=NV12_10LE32",
        "hdrtap effect=statistics ! video/x-raw,format=P010_10LE",
    ])
    func formatsAreNegotiated(_ line: String) throws {
        expectClean(try GstTool.launch("videotestsrc num-buffers=2 ! \(line) ! fakesink"))
    }

    /// A stream that an effect cannot act on reaches it, so that the error can name the remedy.
    @Test func otherFormatsAreNamed() throws {
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=2 ! video/x-raw,format=Y41B ! hdrtap effect=sepia ! fakesink", options: [])
        #expect(outcome.status != 0 && outcome.errors.contains("Y41B is none of the raw formats"), "\(outcome)")
        // Effects that are neutral change nothing.
        for effect in ["white-balance", "vignette effect::stops=0", "zoom-blur effect::amount=0"] {
            let passed = try GstTool.launch(
                "videotestsrc num-buffers=1 ! video/x-raw,format=P010_10LE,width=64,height=32,"
                    + "colorimetry=bt2100-pq,content-light-level=(string)1000:400 ! hdrtap effect=\(effect) ! fakesink",
                options: ["-v"])
            #expect(passed.output.contains("fakesink0.GstPad:sink: caps = "))
            let sink = passed.output.split(separator: "\n").last { $0.contains("fakesink0.GstPad:sink: caps") }
            #expect(sink?.contains("content-light-level=(string)1000:400") == true, "\(effect): \(passed.output)")
        }
    }

    @Test func anUnknownEffectIsNamed() throws {
        let outcome = try GstTool.run(
            "gst-launch-1.0", ["-q", "audiotestsrc", "num-buffers=1", "!", "hdrtap", "effect=bandpas", "!", "fakesink"])
        #expect(outcome.status != 0)
        // When it is set, where the element is on no bus yet, and again when it cannot start.
        let text = "No effect is called \"bandpas\": there are bandpass, gain, "
        #expect(outcome.errors.contains("hdrtap0: \(text)"))
        #expect(outcome.errors.components(separatedBy: text).count == 3, "\(outcome)")
        #expect(outcome.errors.components(separatedBy: "statistics. Did you mean bandpass?").count == 3, "\(outcome)")
    }

    @Test func unknownPresetsAreNamedWhenTheyAreSet() throws {
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=1 ! m.video_0 hdrmux-settings name=m preset=hevc-higest-quality "
                + "speed-preset=fst ! "
                + "fakesink")
        #expect(outcome.status != 0)
        for text in [
            "m: There is no preset \"hevc-higest-quality\" (rule unknown-preset). Did you mean hevc-highest-quality",
            "m: The encoders have no speed \"fst\" (rule unknown-speed). Did you mean fast?",
        ] {
            #expect(outcome.errors.contains(text), "\(outcome)")
        }
    }

    /// What was set before the element was on a bus is said when it gets going.
    @Test func numbersOutsideTheirRangeAreReported() throws {
        for (element, text) in [
            ("hdrtap effect=gain effect::volume=20", "volume of the effect gain was set to 20.0"),
            ("hdrtap effect=bandpass effect::bandwidth=1", "bandwidth of the effect bandpass was set to 1.0"),
            ("hdrtap gain-volume=20 effect=gain", "volume of the effect gain was set to 20.0"),
            ("hdrtap bandpass-bandwidth=700 effect=gain", "effect=gain has no bandpass: add it to the chain"),
        ] {
            let outcome = try GstTool.launch("audiotestsrc num-buffers=2 ! \(element) ! fakesink", options: [])
            #expect(outcome.status == 0)
            #expect(
                (outcome.output + outcome.errors).matches(of: /WARNING: from element/).count == 1,
                "\(outcome)")
            #expect((outcome.output + outcome.errors).contains(text), "\(outcome)")
        }
    }

    /// The fields of the messages `meter`.
    private func meter(_ line: String) throws -> [[String: String]] {
        let outcome = try GstTool.launch(line, options: ["-m"])
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output.split(separator: "\n").filter { $0.contains("(element): meter,") }.map { line in
            var fields: [String: String] = [:]
            for match in line.matches(of: /([a-z-]+)=\([a-z0-9]+\)(<[^>]*>|[^,;]+)/) {
                fields[String(match.1)] = String(match.2)
            }
            return fields
        }
    }

    private func number(_ fields: [String: String], _ name: String) -> Double {
        Double((fields[name] ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "<> "))) ?? .nan
    }

    @Test func metersTellLevelsAndTimes() throws {
        // 48 kHz, a sine of amplitude 0.5 at a quarter of the rate's third: peaks lie between samples too.
        let reports = try meter(
            """
            audiotestsrc volume=0.5 freq=1000 samplesperbuffer=1000 num-buffers=48 ! \
            audio/x-raw,rate=48000,channels=1,format=F32LE ! \
            hdrtap effect=meter effect::interval=250000000 ! fakesink
            """)
        #expect(reports.count == 4)
        for (index, report) in reports.enumerated() {
            #expect(number(report, "stream-time") == Double(index) * 250_000_000)
            #expect(number(report, "running-time") == Double(index) * 250_000_000)
            #expect(number(report, "duration") == 250_000_000)
            #expect(abs(number(report, "peak") + 6.0206) < 0.01)
            #expect(abs(number(report, "rms") + 9.0309) < 0.01)
            #expect(abs(number(report, "true-peak") + 6.0206) < 0.1)
        }
    }

    /// EBU Tech 3341: a stereo sine of 1 kHz at -23 dBFS has -23 LUFS.
    @Test func loudnessIsThatOfEBUR128() throws {
        let reports = try meter(
            """
            audiotestsrc volume=0.07079458 freq=1000 samplesperbuffer=4800 num-buffers=200 ! \
            audio/x-raw,rate=48000,channels=2,format=F32LE ! hdrtap effect=meter effect::loudness=true \
            effect::interval=1000000000 ! fakesink
            """)
        let last = try #require(reports.last)
        for field in ["integrated", "short-term", "momentary"] {
            #expect(abs(number(last, field) + 23) <= 0.1, "\(field) \(last)")
        }
        #expect(abs(number(last, "range")) < 0.1)
    }

    /// A tail sounds on in a file whose segment has an end.
    @Test func theTailIsWrittenWhereTheStreamHasAnEnd() throws {
        let scratch = try TemporaryFolder()
        expectClean(
            try GstTool.launch(
                """
                audiotestsrc num-buffers=100 ! audio/x-raw,rate=48000,channels=2 ! audioconvert ! avenc_aac ! mp4mux ! \
                filesink location=\(scratch.path("in.m4a"))
                """))
        func bytes(_ tail: String) throws -> Int {
            expectClean(
                try GstTool.launch(
                    """
                    filesrc location=\(scratch.path("in.m4a")) ! decodebin ! audioconvert ! audio/x-raw,format=F32LE ! \
                    hdrtap effect=bandpass effect::center-frequency=100 max-tail=\(tail) ! audioconvert ! wavenc ! \
                    filesink location=\(scratch.path("out.wav"))
                    """))
            return try scratch.data("out.wav").count
        }
        // The output is longer by the frames in which the filter decays to -120 dB.
        #expect(try bytes("10000000000") - bytes("0") == 6061 * 8)
    }

    @Test func noEffectIsCalledNone() throws {
        expectClean(try GstTool.launch("audiotestsrc num-buffers=3 ! hdrtap effect=gain effect=none ! fakesink"))
    }

    /// Pictures pass an effect on sound, and a warning says so once.
    @Test func videoPasses() throws {
        let line = "videotestsrc num-buffers=3 ! hdrtap effect=bandpass ! video/x-raw ! fakesink"
        expectClean(try GstTool.launch(line))
        let outcome = try GstTool.launch(line, options: [])
        let said = outcome.output + outcome.errors
        #expect(outcome.status == 0)
        #expect(said.matches(of: /WARNING: from element/).count == 1, "\(outcome)")
        #expect(said.contains("The effect bandpass is for raw audio, and this stream is video/x-raw"))
        let without = try GstTool.launch(line.replacingOccurrences(of: "effect=bandpass", with: ""), options: [])
        #expect(!(without.output + without.errors).contains("WARNING"))
    }

    /// The first error says which element to put behind an effect that makes pixels transparent.
    @Test(arguments: [
        ("chroma-key", "x264enc"), ("exposure,chroma-key", "queue ! x264enc"),
        ("chroma-key", "video/x-raw,format=I420_10LE"),
    ])
    func alphaThatNobodyTakes(_ effect: String, _ taker: String) throws {
        let outcome = try GstTool.launch(
            """
            videotestsrc num-buffers=5 ! video/x-raw,format=I420_10LE,width=64,height=64,colorimetry=bt2100-pq ! \
            hdrtap effect=\(effect) ! \(taker) ! fakesink
            """)
        #expect(outcome.status == 1)
        let error = try #require(outcome.errors.split(separator: "\n").first { $0.hasPrefix("ERROR") })
        #expect(error.contains("hdrtap") && error.contains("Frames have alpha now"), "\(outcome)")
        #expect(error.contains("put hdrcompositor after this one"), "\(outcome)")
    }

    /// The same where upstream may choose the format.
    @Test func alphaInAnyFormatThatNobodyTakes() throws {
        let outcome = try GstTool.launch("videotestsrc num-buffers=5 ! hdrtap effect=chroma-key ! jpegenc ! fakesink")
        #expect(outcome.status == 1)
        let error = try #require(outcome.errors.split(separator: "\n").first { $0.hasPrefix("ERROR") })
        #expect(error.contains("Frames have alpha now"), "\(outcome)")
    }

    /// In 4:2:0 the alpha of a key has an edge as sharp as luma's: a grey wall before a green screen.
    @Test func aKeysEdgeIsSharp() throws {
        let folder = try TemporaryFolder()
        let (width, height, edge) = (64, 16, 29)
        // Codes of (0.7, 0.7, 0.7) and (0.18, 0.5, 0.1) of reference white in PQ and BT.2020.
        let (luma, blue, red) = ((540, 480), (512, 457), (512, 473))
        var codes: [Int] = (0..<width * height).map { $0 % width < edge ? luma.0 : luma.1 }
        for (wall, screen) in [blue, red] {
            for i in 0..<width * height / 4 {
                let column = 2 * (i % (width / 2))
                let weights = [(column - 1, 1), (column, 2), (column + 1, 1)]
                codes.append(weights.map { $0.1 * ($0.0 < edge ? wall : screen) }.reduce(2, +) / 4)
            }
        }
        let frame = Data(codes.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
        try frame.write(to: folder.url.appendingPathComponent("in.yuv"))
        let outcome = try GstTool.launch(
            """
            filesrc location=\(folder.path("in.yuv")) ! rawvideoparse format=i420-10le width=\(width) \
            height=\(height) colorimetry=bt2100-pq ! hdrtap effect=chroma-key color-space=bt2020 \
            effect::color="<0.36,1.0,0.2>" ! video/x-raw,format=A420_10LE ! filesink location=\(folder.path("out.yuv"))
            """)
        expectClean(outcome)
        let data = try Data(contentsOf: folder.url.appendingPathComponent("out.yuv"))
        let pixels = width * height
        #expect(data.count == 5 * pixels)
        for i in 0..<min(pixels, data.count / 5) {
            let at = 3 * pixels + 2 * i
            let alpha = Double(Int(data[at]) | Int(data[at + 1]) << 8) / 1023
            #expect(abs(alpha - (i % width < edge ? 1 : 0)) < 0.05, "column \(i % width): \(alpha)")
        }
    }

    /// The benchmark measures every subject; what the numbers are is the machine's affair.
    @Test func theBenchmarkRuns() throws {
        let outcome = try HDRCommand.run(["bench", "tap", "--starts", "1", "--buffers", "64", "--json"])
        expectClean(outcome)
        let rows = try #require(
            JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]])
        let names = rows.compactMap { $0["name"] as? String }
        for name in [
            "identity", "hdrtap, empty callback", "hdrtap, bandpass, smoothing", "audiochebband", "equalizer-3bands",
        ] {
            #expect(names.contains(name))
        }
        #expect(rows.allSatisfy { ($0["ns-per-buffer"] as? Double ?? 0) > 0 })
        let wrong = try HDRCommand.run(["bench", "tap", "--size", "64x48"])
        #expect(wrong.status == 2 && wrong.errors.contains("no option of tap is called --size"))
    }
}
