import Foundation
import PluginSupport
import Testing
import TestSupport

/// Events in the course of a stream: live sources, seeks, changes of caps, and no data at all.
@Suite struct StreamingTests {
    @Test func aLivePipelineKeepsTime() throws {
        let outcome = try Player.play(
            """
            videotestsrc is-live=true num-buffers=60 !
            video/x-raw,format=I420_10LE,width=320,height=180,framerate=30/1,colorimetry=bt2100-pq ! hdrconvert !
            video/x-raw,format=NV12,colorimetry=bt709 ! fakesink name=counted sync=true qos=true max-lateness=1000000000
            """)
        expectClean(outcome)
        #expect(outcome.output == "eos\nrendered 60 dropped 0\n")
        // Thirty frames a second: none is let through early. Those that were held up would be dropped.
        #expect(outcome.seconds > 1.8)
    }

    @Test func noDataIsFine() throws {
        for target in ["video/x-raw,format=NV12,colorimetry=bt709", "video/x-raw"] {
            let outcome = try Player.play(
                "videotestsrc num-buffers=0 ! video/x-raw,colorimetry=bt2100-pq ! hdrconvert ! \(target) ! fakesink")
            expectClean(outcome)
            #expect(outcome.output == "eos\n")
        }
    }

    /// A clip of three scenes that is tone-mapped by their light and encoded: each time, and with any number of
    /// threads, the coded pictures are the same.
    @Test func aRunByScenesCanBeRepeated() throws {
        let scratch = try TemporaryFolder()
        let caps = "video/x-raw,format=I420_10LE,width=320,height=180,framerate=25/1,colorimetry=bt2100-pq"
        func encode(_ name: String, threads: Int, _ detection: String = "auto") throws -> Data {
            let sources = ["ball", "smpte", "gradient"].map { pattern in
                "videotestsrc num-buffers=30 pattern=\(pattern) ! \(caps) ! c. "
            }
            let outcome = try Player.play(
                """
                concat name=c ! hdrconvert peak-detection=\(detection) tone-mapping=spline n-threads=\(threads) !
                video/x-raw,format=I420,colorimetry=bt709 ! x264enc threads=1 ! video/x-h264,stream-format=byte-stream !
                filesink location=\(scratch.path(name)) \(sources.joined())
                """)
            expectClean(outcome)
            return try scratch.data(name)
        }
        let first = try encode("first", threads: 1)
        #expect(first.count > 10_000)
        #expect(try encode("second", threads: 1) == first)
        #expect(try encode("third", threads: 3) == first)
        #expect(try encode("fourth", threads: 1, "off") != first)
    }

    @Test func theCapsChangeOnTheWay() throws {
        // Another size, another transfer function, another format, then the target's own colour.
        let scratch = try TemporaryFolder()
        let parts = [
            (RawPicture("Y444_10LE", width: 16, height: 16), 573, "bt2100-pq"),
            (RawPicture("I420_10LE", width: 35, height: 21), 721, "bt2100-hlg"),
            (RawPicture("I420_10LE", width: 35, height: 21), 573, "bt2100-pq"),
            (RawPicture("I420", width: 64, height: 48), 235, "bt709"),
            (RawPicture("I422_10LE", width: 2, height: 2), 573, "bt2100-pq"),
        ]
        var line = """
            concat name=c ! hdrconvert tone-mapping=clip dither=none !
            video/x-raw,format=I420,colorimetry=bt709 ! filesink location=\(scratch.path("out"))
            """
        for (index, (picture, code, colorimetry)) in parts.enumerated() {
            try picture.bytes(luma: code).write(to: scratch.url("in\(index)"))
            line += """
                 filesrc location=\(scratch.path("in\(index)")) !
                rawvideoparse format=\(picture.layout.parserName) width=\(picture.width) height=\(picture.height) !
                capssetter caps=video/x-raw,colorimetry=\(colorimetry) ! c.
                """
        }
        let outcome = try Player.play(line)
        expectClean(outcome)
        var data = try scratch.data("out")
        for (picture, _, _) in parts {
            let output = RawPicture("I420", width: picture.width, height: picture.height)
            let codes = try output.codes(in: Data(data.prefix(output.size)))
            #expect(codes.luma == 235...235, "\(picture)")
            #expect(codes.chroma == 128...128, "\(picture)")
            data = Data(data.dropFirst(output.size))
        }
        #expect(data.isEmpty)
    }

    @Test func anErrorOnTheWayEndsTheStream() throws {
        let outcome = try Player.play(
            """
            concat name=c ! hdrconvert ! video/x-raw,format=NV12,colorimetry=bt709 ! fakesink
            videotestsrc num-buffers=2 ! video/x-raw,colorimetry=bt2100-pq ! c.
            videotestsrc num-buffers=2 ! video/x-raw,colorimetry=2:3:9:7 ! c.
            """)
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("error gst-stream-error-quark: Cannot convert"), "\(outcome.output)")
        // The way out, in the message itself.
        #expect(outcome.output.contains("capssetter"), "\(outcome.output)")
        #expect(outcome.errors == "")
    }

    @Test func absurdMetadataIsReportedAndIgnored() throws {
        let metadata = """
            mastering-display-info=(string)1:2:3:4:5:6:7:8:9:50000000,content-light-level=(string)0:0
            """
        let outcome = try Player.play(
            """
            videotestsrc num-buffers=3 ! video/x-raw,format=I420_10LE,colorimetry=bt2100-pq,\(metadata) !
            hdrconvert ! video/x-raw,format=NV12,colorimetry=bt709 ! fakesink name=counted
            """)
        expectClean(outcome)
        #expect(outcome.output.contains("eos\nrendered 3 dropped 0\n"))
        #expect(outcome.output.contains("warning gst-stream-error-quark: Ignoring HDR metadata"), "\(outcome.output)")
        #expect(outcome.output.contains("source-peak"), "\(outcome.output)")
    }

    @Test func seekingKeepsTheTimesAndThePicture() throws {
        let scratch = try TemporaryFolder()
        let script = try scratch.write(Self.seeker, to: "seeker.py")
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", script])
        expectClean(outcome)
        #expect(
            outcome.output == """
                playing [0, 33333333, 66666666]
                after the seek: first 5000 ms, 30 frames, eos
                backwards: first 1966 ms, 60 frames, eos
                after many seeks: first 7000 ms, 15 frames, eos
                after a new start: first 0

                """)
    }

    /// Seeks in a playing pipeline and prints the frames that arrive.
    static let seeker = #"""
        import gi
        gi.require_version("Gst", "1.0")
        from gi.repository import Gst

        Gst.init(None)
        pipeline = Gst.parse_launch(
            "videotestsrc num-buffers=-1 pattern=black ! "
            "video/x-raw,format=I420_10LE,width=64,height=36,framerate=30/1,colorimetry=bt2100-pq ! "
            "hdrconvert name=convert dither=none ! video/x-raw,format=I420,colorimetry=bt709 ! "
            "appsink name=sink sync=false max-buffers=2")
        sink = pipeline.get_by_name("sink")


        def pull():
            sample = sink.emit("try-pull-sample", 5 * Gst.SECOND)
            if sample is None:
                return None
            buffer = sample.get_buffer()
            assert set(buffer.extract_dup(0, 64 * 36)) == {16}, "the picture changed"
            return buffer.pts


        def seek(start, stop, rate=1.0):
            assert pipeline.seek(rate, Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                                 Gst.SeekType.SET, start, Gst.SeekType.SET, stop)


        def drain(name):
            times = []
            while (pts := pull()) is not None:
                times.append(pts)
            end = "eos" if sink.get_property("eos") else "nothing more"
            print(f"{name}: first {times[0] // Gst.MSECOND} ms, {len(times)} frames, {end}")


        pipeline.set_state(Gst.State.PLAYING)
        print("playing", [pull() for _ in range(3)])
        seek(5 * Gst.SECOND, 6 * Gst.SECOND)
        drain("after the seek")
        seek(0, 2 * Gst.SECOND, rate=-1.0)
        drain("backwards")
        for second in range(20):
            seek(second * Gst.SECOND, 60 * Gst.SECOND)
        seek(7 * Gst.SECOND, 7 * Gst.SECOND + Gst.SECOND // 2)
        drain("after many seeks")
        pipeline.set_state(Gst.State.NULL)
        pipeline.set_state(Gst.State.PLAYING)
        print("after a new start: first", pull())
        pipeline.set_state(Gst.State.NULL)
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING)
        assert message is None, message.parse_error()
        """#
}
