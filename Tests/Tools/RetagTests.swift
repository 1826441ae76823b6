import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdr retag`: tags change, pictures do not.
@Suite(.timeLimit(.minutes(10))) struct RetagTests {
    static let hasReader = Command.exists("ffprobe")
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The file of a codec, with HLG's tags.
    private func make(_ codec: String) async throws {
        let encoder = ["hevc": "x265enc speed-preset=ultrafast", "prores": "avenc_prores_ks", "h264": "x264enc"]
        let format = ["hevc": "I420_10LE", "prores": "I422_10LE", "h264": "I420_10LE"]
        let parser = codec == "prores" ? "" : " ! \(codec == "hevc" ? "h265parse" : "h264parse")"
        try await GstLaunch.make(
            "videotestsrc num-buffers=10 pattern=smpte75 ! video/x-raw,format=\(format[codec] ?? ""),width=320,"
                + "height=180,framerate=25/1,colorimetry=bt2100-hlg ! \(encoder[codec] ?? "")\(parser) ! qtmux ! "
                + "filesink location=\(folder.path("in.mov"))")
    }

    /// The colour by ffprobe, and a hash of the decoded pictures.
    private func read(_ name: String) async throws -> (color: String, pictures: String) {
        let color = try await Command(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "v", "-show_entries",
                "stream=color_primaries,color_transfer,color_space", "-of", "default=nk=1:nw=1", folder.path(name),
            ]
        ).run().output
        let pictures = try await Command(
            "ffmpeg", ["-v", "error", "-i", folder.path(name), "-map", "0:v", "-f", "md5", "-"]
        ).run().output
        return (color.split(separator: "\n").joined(separator: " "), pictures)
    }

    @Test(.enabled(if: hasReader, "ffmpeg is not installed"), arguments: ["hevc", "h264", "prores"])
    func colorsOfEachCodec(_ codec: String) async throws {
        try await make(codec)
        let before = try await read("in.mov")
        // GStreamer's encoder of ProRes writes no tags before 1.26: they are set, where those of the others change.
        #expect(
            before.color == "bt2020nc arib-std-b67 bt2020"
                || (codec == "prores" && before.color == "unknown unknown unknown"))
        for (name, wanted) in [
            ("bt2100-pq", "bt2020nc smpte2084 bt2020"), ("bt709", "bt709 bt709 bt709"),
            ("bt2020", "bt2020nc bt709 bt2020"),
        ] {
            let result = try await HDRCommand.run(
                ["retag", "in.mov", "--color", name, "-o", "out.mov", "--quiet", "--force"], in: folder)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
            let after = try await read("out.mov")
            #expect(after.color == wanted && after.pictures == before.pictures, "\(name): \(after) \(before)")
            // Stream and header agree.
            let (file, video) = try HDRCommand.inspect(folder.path("out.mov"))
            let findings = (video["findings"] as? [[String: Any]] ?? []) + (file["findings"] as? [[String: Any]] ?? [])
            #expect(!findings.contains { $0["kind"] as? String == "disagreement" }, "\(findings)")
        }
    }

    @Test(.enabled(if: hasReader, "ffmpeg is not installed")) func metadataOfHDR10() async throws {
        try await make("hevc")
        let display = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"
        let result = try await HDRCommand.run(
            [
                "retag", "in.mov", "--color", "bt2100-pq", "--mastering-display", display, "--light-levels", "900:80",
            ], in: folder)
        #expect(result.status == 0 && folder.names == ["in-retagged.mov", "in.mov"], "\(result)")
        let (_, video) = try HDRCommand.inspect(folder.path("in-retagged.mov"))
        let level = video["content-light-level"] as? [String: Any]
        for place in ["container", "bitstream"] {
            let values = level?[place] as? [String: Any]
            #expect(values?["max-cll-cd-m2"] as? Int == 900 && values?["max-fall-cd-m2"] as? Int == 80, "\(video)")
        }
        for name in ["none.mov", "none.mkv"] {
            let none = try await HDRCommand.run(
                ["retag", "in-retagged.mov", "--no-hdr-metadata", "-o", name, "-q"], in: folder)
            #expect(none.status == 0, "\(none)")
            let bare = try HDRCommand.inspect(folder.path(name)).video
            for field in ["content-light-level", "mastering-display"] {
                let places = bare[field] as? [String: Any] ?? [:]
                #expect(places.values.allSatisfy { $0 is NSNull }, "\(name): \(places)")
            }
        }
    }

    /// The element's own words say nothing to who has not written them.
    @Test(
        arguments: [
            ("av1.mkv --color bt2100-pq", 1, "the colours of AV1 stand in its stream, and --color cannot change them"),
            ("raw.y4m --color bt709", 1, "not compressed, so that there is nothing to copy: hdr export encodes them"),
            ("sdr.mkv --light-levels 10:5", 1, "--light-levels is set, but the output is SDR"),
            ("sdr.mkv --light-levels 10:5 --no-hdr-metadata", 2, "or leave --no-hdr-metadata out"),
        ] as [(String, Int32, String)])
    func refusalsInWordsOfTheCommand(_ line: String, status: Int32, says: String) async throws {
        let source = "videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=64,height=64,framerate=25/1"
        for (name, rest) in [
            ("av1.mkv", "av1enc ! av1parse ! matroskamux"), ("raw.y4m", "y4menc"), ("sdr.mkv", "x264enc ! matroskamux"),
        ] where line.hasPrefix(name) {
            try await GstLaunch.make("\(source) ! \(rest) ! filesink location=\(folder.path(name))")
        }
        let words = line.split(separator: " ").map(String.init)
        let result = try await HDRCommand.run(["retag", "-o", "out.mkv"] + words, in: folder)
        #expect(result.status == status && result.errors.contains(says) && result.errorLines.count == 1, "\(result)")
        for word in ["passthrough than", "another preset", "demuxer", "color-properties", "content-light-level-info"] {
            #expect(!result.errors.contains(word), "\(result)")
        }
        #expect(folder.names.count == 1)
    }

    @Test func whatCannotBeRetagged() async throws {
        try await TestClip(color: "bt2100-hlg", frames: 5).make("vp9.mkv", in: folder)
        let codec = try await HDRCommand.run(["retag", "vp9.mkv", "--color", "bt2100-pq"], in: folder)
        #expect(codec.status == 1 && codec.errors.contains("VP9") && folder.names == ["vp9.mkv"], "\(codec)")
        let nothing = try await HDRCommand.run(["retag", "vp9.mkv"], in: folder)
        #expect(nothing.status == 2 && nothing.errors.contains("say what to write"), "\(nothing)")
        let color = try await HDRCommand.run(["retag", "vp9.mkv", "--color", "bt2100pq"], in: folder)
        #expect(color.status == 2 && color.errors.contains("did you mean bt2100-pq?"), "\(color)")
    }
}
