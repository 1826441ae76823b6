import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdrmux-settings` among other elements: sources that choose their format, tees, and streams that change.
@Suite struct MuxSettingsStreamTests {
    /// Pictures of a file that GStreamer decodes, a checksum each.
    private func pictures(_ path: String) throws -> [String] {
        let outcome = try GstTool.launch(
            "filesrc location=\(path) ! decodebin ! video/x-raw ! checksumsink hash=md5", timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output.split(separator: "\n").map { String($0.split(separator: " ").last ?? "") }
    }

    // MARK: Sources that choose their format

    @Test(arguments: ["prores-422", "prores-4444", "hevc-highest-quality", "h264-highest-quality"])
    func theFirstPictureHasTheColorsOfTheRest(_ preset: String) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out.mov")
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=5 pattern=smpte75 ! m.video_0 hdrmux-settings name=m preset=\(preset) "
                + "speed-preset=ultrafast ! filesink location=\(path)", timeout: 60)
        expectClean(outcome)
        let pictures = try pictures(path)
        #expect(pictures.count == 5)
        // Intra pictures of the same content are the same.
        if preset.hasPrefix("prores") { #expect(Set(pictures).count == 1, "\(pictures)") }
    }

    /// The caps that the source settles on are those that the plan was made for.
    @Test func theSourceStaysWithThePlan() throws {
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=5 name=source ! m.video_0 hdrmux-settings name=m speed-preset=ultrafast ! "
                + "fakesink",
            options: ["-v"], timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        let caps = outcome.output.split(separator: "\n").filter { $0.contains("source.GstPad:src: caps = ") }
        #expect(caps.count == 1, "\(caps)")
    }

    /// The plan was made without what could rearrange the second clip's samples.
    @Test func whatIsRefusedInsideIsNamed() throws {
        let clip = "videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48,format="
        let outcome = try GstTool.launch(
            "concat name=c ! m.video_0 hdrmux-settings name=m speed-preset=ultrafast ! fakesink "
                + "\(clip)I420 ! c. \(clip)YVU9 ! c.", timeout: 60)
        #expect(outcome.status != 0, "\(outcome)")
        let first = outcome.errors.split(separator: "\n").first ?? ""
        #expect(first.contains("video_0") && first.contains("YVU9"), "\(outcome)")
    }

    /// Buffers that are not what their caps say.
    @Test(arguments: [
        ("video/x-raw,format=I420,width=64,height=64,framerate=30/1 ! m.video_0", "6144"),
        ("audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved ! m.audio_0", "a frame's 4"),
    ]) func buffersOfTheWrongSizeAreNamed(_ stream: String, _ says: String) throws {
        let outcome = try GstTool.launch(
            "fakesrc num-buffers=50 sizetype=fixed sizemax=1771 format=time datarate=9000 is-live=true ! \(stream) "
                + "hdrmux-settings name=m speed-preset=ultrafast ! fakesink", timeout: 60)
        #expect(outcome.status != 0 && outcome.errors.contains(says), "\(outcome)")
        let first = outcome.errors.split(separator: "\n").first ?? ""
        #expect(!first.contains("Internal data stream error"), "\(outcome)")
    }

    /// matroskamux takes eight bytes off each ProRes frame without looking.
    @Test func incompleteFramesAreLeftOut() throws {
        let outcome = try GstTool.launch(
            "fakesrc num-buffers=500 sizetype=random sizemin=1 sizemax=30 filltype=random format=time datarate=9000 ! "
                + "video/x-prores,variant=standard,width=64,height=64,framerate=30/1 ! m.video_0 "
                + "hdrmux-settings name=m "
                + "preset=passthrough file-type=matroska ! fakesink", timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
    }

    // MARK: Several streams

    /// Each video track has the header of its own stream: PQ of two displays, in a copy too, and HLG beside it.
    @Test(arguments: ["mov", "mp4", "matroska"], [false, true])
    func eachTrackHasItsOwnHeader(_ type: String, _ copies: Bool) throws {
        let folder = try TemporaryFolder()
        func source(_ pad: Int, _ colors: String, _ width: Int) -> String {
            "videotestsrc num-buffers=4 ! "
                + "video/x-raw,format=P010_10LE,width=\(width),height=96,framerate=25/1,\(colors) ! "
        }
        func display(_ primaries: String, _ peak: Int) -> String {
            "colorimetry=bt2100-pq,mastering-display-info=(string)\"\(primaries):15635:16450:\(peak)0000:50\","
                + "content-light-level=(string)\"\(peak):100\""
        }
        let streams = [
            display("34000:16000:13250:34500:7500:3000", 1000), display("35400:14600:8500:39850:6550:2300", 4000),
            "colorimetry=bt2100-hlg",
        ]
        let bin = "hdrmux-settings name=m file-type=\(type) speed-preset=ultrafast"
        let path = folder.path("tracks")
        if copies {
            var parts: [String] = []
            for (index, colors) in streams.enumerated() {
                let part = folder.path("\(index).mov")
                let made = try GstTool.launch(
                    source(0, colors, 96 + 32 * index)
                        + "m.video_0 hdrmux-settings name=m speed-preset=ultrafast ! filesink location=\(part)",
                    timeout: 60)
                expectClean(made)
                // The queue asks for its track before the first demuxer is through with its file.
                parts.append("filesrc location=\(part) ! qtdemux ! queue ! m.video_\(index)")
            }
            let copied = try GstTool.launch(
                "\(bin) preset=passthrough ! filesink location=\(path) " + parts.joined(separator: " "), timeout: 60)
            #expect(copied.status == 0, "\(copied)")
        } else {
            let lines = streams.enumerated().map { source($0, $1, 96 + 32 * $0) + "m.video_\($0)" }
            expectClean(
                try GstTool.launch("\(bin) ! filesink location=\(path) " + lines.joined(separator: " "), timeout: 60))
        }
        let file = try #require(try HDRCommand.inspect([path]).first)
        // Pads of demuxers are linked as they come: the size says which stream a track is.
        let tracks = try #require(file["video"] as? [[String: Any]]).sorted {
            ($0["width-pixels"] as? Int ?? 0) < ($1["width-pixels"] as? Int ?? 0)
        }
        #expect(tracks.map { $0["dynamic-range"] as? String } == ["HDR10", "HDR10", "HLG"])
        let peaks = tracks.map { track in
            ((track["mastering-display"] as? [String: Any])?["container"] as? [String: Any])?["peak-cd-m2"] as? Double
        }
        #expect(peaks == [1000, 4000, nil])
        let findings = (file["findings"] as? [[String: Any]] ?? []).compactMap { $0["text"] as? String }
        #expect(!findings.contains { $0.contains("differ") }, "\(findings)")
    }

    // MARK: Tees

    static let hdr = "video/x-raw,format=I420_10LE,width=160,height=96,framerate=30/1,colorimetry=bt2100-pq"
    static let preview = "t. ! queue max-size-buffers=2 ! fakesink sync=true"

    /// The queue of the branch that is shown is far shorter than an encoder looks ahead.
    @Test(arguments: ["is-live=true", ""], ["hevc-highest-quality", "h264-highest-quality"])
    func whatIsShownIsRecorded(_ live: String, _ preset: String) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out.mov")
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=60 \(live) ! \(Self.hdr) ! tee name=t t. ! queue ! m.video_0 \(Self.preview) "
                + "hdrmux-settings name=m preset=\(preset) ! filesink location=\(path)", timeout: 60)
        expectClean(outcome)
        #expect(try pictures(path).count == 60)
    }

    /// A decoder asks for memory again after an event that says that the stream has changed.
    @Test func aFileIsShownAndRecordedTwiceWithSound() throws {
        let scratch = try TemporaryFolder()
        let source = scratch.path("in.mkv")
        expectClean(
            try GstTool.launch(
                "videotestsrc num-buffers=60 ! \(Self.hdr) ! x265enc speed-preset=ultrafast ! h265parse ! mux. "
                    + "audiotestsrc num-buffers=90 ! audio/x-raw,rate=48000 ! avenc_aac ! aacparse ! mux. "
                    + "matroskamux name=mux ! filesink location=\(source)", timeout: 60))
        let outputs = [scratch.path("a.mov"), scratch.path("b.mkv")]
        let outcome = try GstTool.launch(
            "filesrc location=\(source) ! decodebin name=d d. ! video/x-raw ! tee name=t \(Self.preview) "
                + "t. ! queue ! m.video_0 t. ! queue ! n.video_0 d. ! audio/x-raw ! tee name=a "
                + "a. ! queue ! m.audio_0 a. ! queue ! n.audio_0 a. ! queue ! fakesink sync=true "
                + "hdrmux-settings name=m ! filesink location=\(outputs[0]) "
                + "hdrmux-settings name=n preset=prores-422 file-type=matroska ! filesink location=\(outputs[1])",
            timeout: 60)
        expectClean(outcome)
        for output in outputs { #expect(try pictures(output).count == 60, "\(output)") }
    }

    // MARK: Sound

    /// With positions of loudspeakers and without; qtmux takes the latter alone, and AAC encoders the former.
    @Test(
        arguments: ["6", "8", "6,channel-mask=(bitmask)0"],
        [("prores-422", "mov"), ("prores-422", "matroska"), ("hevc-highest-quality", "mov")])
    func manyChannelsOfSoundAreExported(_ channels: String, _ output: (preset: String, type: String)) throws {
        let (preset, type) = output
        let scratch = try TemporaryFolder()
        let path = scratch.path("out")
        expectClean(
            try GstTool.launch(
                "videotestsrc num-buffers=4 ! \(Self.hdr) ! m.video_0 audiotestsrc num-buffers=8 ! "
                    + "audio/x-raw,format=S24LE,rate=48000,channels=\(channels) ! m.audio_0 hdrmux-settings name=m "
                    + "preset=\(preset) file-type=\(type) speed-preset=ultrafast ! filesink location=\(path)",
                timeout: 60))
        // avenc_aac has no 7.1.
        let count = preset == "prores-422" ? channels.prefix(1) : "6"
        expectClean(
            try GstTool.launch(
                "filesrc location=\(path) ! \(type == "mov" ? "qtdemux" : "matroskademux") name=d d.audio_0 ! "
                    + "audio/x-raw,channels=\(count);audio/mpeg,channels=\(count) ! fakesink", timeout: 60))
    }

    // MARK: Streams that change

    static let display = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"

    /// Messages of mastering display and light level in the first clip only, and other parameter sets in the second.
    @Test(arguments: ["mov", "mp4", "matroska"], ["ref=3:bframes=0:ctu=16", "info=0"])
    func copiesSurviveMetadataThatEnd(_ type: String, _ options: String) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out")
        let outcome = try GstTool.launch(
            "concat name=c ! h265parse ! m.video_0 hdrmux-settings name=m preset=passthrough file-type=\(type) ! "
                + "filesink location=\(path) "
                + "videotestsrc num-buffers=8 ! \(Self.hdr),mastering-display-info=(string)\(Self.display),"
                + "content-light-level=(string)1000:400 ! x265enc speed-preset=ultrafast ! c. "
                + "videotestsrc num-buffers=8 pattern=ball ! \(Self.hdr) ! x265enc speed-preset=ultrafast "
                + "option-string=\(options) ! c.", timeout: 60)
        expectClean(outcome)
        #expect(try pictures(path).count == 16)
    }
}
