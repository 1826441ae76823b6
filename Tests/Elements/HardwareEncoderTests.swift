import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdrmux-settings` where there is hardware to encode with, which a plugin with the real elements' names, properties
/// and pad templates stands in for.
@Suite struct HardwareEncoderTests {
    /// The stand-ins' folder, and a registry that has them.
    private static let environment: Result<[String: String], any Error> = Result {
        let source = Repository.path("Tests/Elements/Programs/stand_in_encoders.c")
        _ = try folder.get().compile(
            String(contentsOfFile: source, encoding: .utf8), as: "libgststandin.so", packages: ["gstreamer-1.0"],
            flags: ["-shared", "-fPIC"])
        let variables = [
            "GST_PLUGIN_PATH": try "\(GstTool.pluginFolder.path):\(folder.get().url.path)",
            "GST_REGISTRY": try folder.get().path("registry.bin"),
        ]
        let scan = try GstTool.run(
            "gst-inspect-1.0", ["nvh265enc"], environment: variables.merging(["GST_REGISTRY_UPDATE": "yes"]) { $1 },
            timeout: 60)
        guard scan.status == 0 else { throw TestFailure("\(scan)") }
        return variables
    }
    private static let folder = Result { try TemporaryFolder() }

    /// A run of the element, and what the stand-ins and the log say of it.
    struct Export {
        let outcome: Command.Result
        let path: String
        /// Factory name of what encodes, as the message has it.
        var encoder: String? {
            outcome.output.firstMatch(of: /export-plan, .*encoder=\(string\)([a-z0-9_]+);/).map { String($0.1) }
        }
        /// The settings of the stand-in that encodes.
        var properties: String? {
            outcome.output.matches(of: /stand-in: ([^\n]*)/).last.map { String($0.1) }
        }
        var log: String { outcome.errors }
    }

    private func export(
        _ scratch: TemporaryFolder, _ caps: String, _ properties: String, environment: [String: String] = [:]
    ) throws -> Export {
        let path = scratch.path("a.mov")
        let settings = ["GST_DEBUG": "hdrmux-settings:4"].merging(try Self.environment.get()) { $1 }
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=8 ! video/x-raw,framerate=24/1,\(caps) ! m.video_0 hdrmux-settings name=m "
                + "speed-preset=ultrafast \(properties) ! filesink location=\(path)", options: ["-m"],
            environment: settings.merging(environment) { $1 }, timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(!outcome.output.contains("WARN") && !outcome.errors.contains("CRITICAL"), "\(outcome)")
        return Export(outcome: outcome, path: path)
    }

    private func inspect(_ path: String) throws -> [String: Any] { try HDRCommand.inspect(path).video }

    /// ISO/IEC 23091-2: primaries, transfer, matrix.
    private func codes(_ video: [String: Any], _ place: String) -> [Int]? {
        let color = (video["color"] as? [String: Any])?[place] as? [String: Any]
        let codes = ["primaries-code", "transfer-code", "matrix-code"].map { color?[$0] as? Int }
        return codes.contains(nil) ? nil : codes.compactMap { $0 }
    }

    static let size = "width=320,height=180"
    static let pq = "format=P010_10LE,colorimetry=bt2100-pq"
    static let sdr = "format=NV12,colorimetry=bt709"

    @Test func hdr10ByHardware() throws {
        let scratch = try TemporaryFolder()
        let caps =
            "\(Self.size),\(Self.pq),mastering-display-info=(string)\(MuxSettingsTests.display),"
            + "content-light-level=(string)1000:400"
        let result = try export(
            scratch, caps,
            "preset=hevc-1920x1080 settings=s,compression-properties=(structure)[c,average-bit-rate=3000000,"
                + "max-key-frame-interval=36]"
        )
        #expect(result.encoder == "nvh265enc", "\(result.outcome)")
        #expect(
            result.properties == "nvh265enc bitrate=3000 preset=hp rc-mode=vbr gop-size=36 max-bitrate=4500",
            "\(result.outcome)")
        // The stand-in is a device without B-frames.
        #expect(result.log.contains("nvh265enc has no bframes or b-frames=3, which is left out"))
        #expect(result.log.contains("encoder: nvh265enc, in hardware"))
        let video = try inspect(result.path)
        for place in ["container", "bitstream"] {
            #expect(codes(video, place) == [9, 16, 9], "\(video)")
            let level = (video["content-light-level"] as? [String: Any])?[place] as? [String: Any]
            #expect(level?["max-cll-cd-m2"] as? Int == 1000 && level?["max-fall-cd-m2"] as? Int == 400, "\(video)")
            let display = (video["mastering-display"] as? [String: Any])?[place] as? [String: Any]
            #expect(display?["peak-cd-m2"] as? Double == 1000, "\(video)")
        }
        #expect((video["findings"] as? [Any])?.isEmpty == true, "\(video)")
    }

    /// An encoder that says no colour, as VA-API's.
    @Test func h264GetsItsColor() throws {
        let scratch = try TemporaryFolder()
        let tagged = try export(scratch, "\(Self.size),\(Self.sdr)", "preset=h264-640x480")
        #expect(tagged.encoder == "vah264enc", "\(tagged.outcome)")
        let properties = try #require(tagged.properties)
        #expect(
            properties.hasSuffix("rate-control=vbr key-int-max=48 b-frames=3 target-usage=7 target-percentage=66"),
            "\(properties)")
        let video = try inspect(tagged.path)
        #expect(codes(video, "bitstream") == [1, 1, 1] && codes(video, "container") == [1, 1, 1], "\(video)")
        #expect((video["findings"] as? [Any])?.isEmpty == true, "\(video)")
        let untagged = try export(scratch, "\(Self.size),format=NV12", "preset=h264-highest-quality")
        #expect(untagged.properties?.contains("rate-control=cqp") == true, "\(untagged.outcome)")
        let plain = try inspect(untagged.path)
        #expect(codes(plain, "bitstream").map { $0 == [2, 2, 2] } ?? true, "\(plain)")
    }

    @Test func intervalsEndWhereThePropertyDoes() throws {
        let settings = "settings=s,compression-properties=(structure)[c,max-key-frame-interval=5000]"
        let result = try export(try TemporaryFolder(), "\(Self.size),\(Self.sdr)", "preset=h264-640x480 \(settings)")
        #expect(result.properties?.contains(" key-int-max=1024 ") == true, "\(result.outcome)")
        #expect(result.log.contains("vah264enc limits key-int-max=5000"), "\(result.outcome)")
    }

    /// A source, properties, and why hardware does not encode it; a part of the log.
    @Test(arguments: [
        ("\(size),\(pq)", "enable-hardware-acceleration=false", "encoder: hdrx265enc"),
        (
            "\(size),\(pq)", "settings=s,compression-properties=(structure)[c,profile-level=main-422-10]",
            "nvh265enc does not take I422_10LE of 320x180 at 24/1 frames/s"
        ),
        ("width=142,height=90,\(pq)", "", "nvh265enc does not take P010_10LE of 142x90"),
        ("width=8194,height=160,\(pq)", "", "nvh265enc does not take P010_10LE of 8194x160"),
    ]) func softwareDoesTheRest(_ caps: String, _ properties: String, _ reason: String) throws {
        let scratch = try TemporaryFolder()
        let result = try export(scratch, caps, properties)
        #expect(result.encoder == "hdrx265enc" && result.properties == nil, "\(result.outcome)")
        #expect(result.log.contains(reason), "\(result.outcome)")
        #expect(codes(try inspect(result.path), "bitstream") == [9, 16, 9])
    }

    /// A device that is busy, a driver that refuses, a rate control that is not there.
    @Test func refusalsLeadToTheNext() throws {
        let scratch = try TemporaryFolder()
        let caps = "\(Self.size),\(Self.sdr)"
        let closed = try export(
            scratch, caps, "preset=h264-640x480", environment: ["STAND_IN_CLOSED": "vah264enc"])
        #expect(closed.encoder == "x264enc" && closed.properties == nil, "\(closed.outcome)")
        #expect(
            closed.log.contains("vah264enc does not start")
                && closed.log.contains("vah264lpenc has no rate-control=vbr"))
        let refused = try export(
            scratch, caps, "preset=h264-highest-quality", environment: ["STAND_IN_REFUSES": "vah264enc"])
        #expect(refused.encoder == "vah264lpenc", "\(refused.outcome)")
        #expect(refused.properties?.contains("qpi=14 qpp=17 qpb=19") == true, "\(refused.outcome)")
        let both = try export(
            scratch, caps, "preset=h264-highest-quality",
            environment: ["STAND_IN_REFUSES": "vah264enc", "STAND_IN_CLOSED": "vah264lpenc"])
        #expect(both.encoder == "x264enc", "\(both.outcome)")
    }

    @Test(arguments: [([], "encoder: nvh265enc, in hardware"), (["--software"], "encoder: hdrx265enc")])
    func exportsCanKeepToSoftware(_ options: [String], _ line: String) throws {
        let scratch = try TemporaryFolder()
        let clip = scratch.path("clip.mkv")
        expectClean(
            try GstTool.launch(
                "videotestsrc num-buffers=5 ! video/x-raw,\(Self.size),format=I420,colorimetry=bt709 ! vp9enc "
                    + "deadline=1 ! "
                    + "matroskamux ! filesink location=\(clip)"))
        let outcome = try HDRCommand.run(
            ["export"] + options + ["--quiet", clip, "-o", scratch.path("out.mov")],
            environment: try Self.environment.get().merging(["GST_DEBUG": "hdrmux-settings:4"]) { $1 }, timeout: 600)
        #expect(outcome.status == 0 && outcome.errors.contains(line), "\(outcome)")
    }

    /// Where no encoder is left, the error names all of them, and the package that would help.
    @Test func allRefusalsAreNamed() throws {
        let scratch = try TemporaryFolder()
        let program = """
            import gi
            gi.require_version("Gst", "1.0")
            from gi.repository import Gst
            Gst.init(None)
            registry = Gst.Registry.get()
            for name in ["hdrx265enc", "x265enc"]:
                registry.remove_feature(registry.lookup_feature(name))
            pipeline = Gst.parse_launch("videotestsrc num-buffers=3 ! video/x-raw,width=96,height=64,"
                                        "\(Self.pq) ! m.video_0 hdrmux-settings name=m ! fakesink")
            pipeline.set_state(Gst.State.PLAYING)
            kinds = []
            while True:
                message = pipeline.get_bus().timed_pop_filtered(
                    20 * Gst.SECOND, Gst.MessageType.ERROR | Gst.MessageType.ELEMENT)
                if message.type == Gst.MessageType.ERROR:
                    break
                kinds.append(message.get_structure().to_string())
            print(message.parse_error()[0].message, kinds)
            pipeline.set_state(Gst.State.NULL)
            """
        let outcome = try GstTool.run(
            "/usr/bin/python3", [try scratch.write(program, to: "program.py")],
            environment: try Self.environment.get(), timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        for part in [
            "nvh265enc does not take P010_10LE of 96x64", "not installed: nvcudah265enc", "x265enc",
            "gstreamer1.0-plugins-bad", "missing-plugin",
        ] {
            #expect(outcome.output.contains(part), "\(outcome)")
        }
    }
}
