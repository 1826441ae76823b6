import Foundation
import PluginSupport
import Testing
import TestSupport

/// No GstObject or GstMiniObject outlives its pipeline.
@Suite struct LeakTests {
    /// Launch lines and the status that the player gives each: 1 for an error in the stream.
    static let pipelines: [(line: String, status: Int32)] = [
        ("videotestsrc num-buffers=5 ! \(TestCaps.hdr) ! hdrconvert ! \(TestCaps.sdr) ! fakesink", 0),
        (
            "videotestsrc num-buffers=5 ! \(TestCaps.hdr),\(TestCaps.metadata) ! hdrconvert ! \(TestCaps.sdr) ! "
                + "fakesink",
            0
        ),
        (
            "videotestsrc num-buffers=5 ! \(TestCaps.hdr),\(TestCaps.metadata) ! hdrconvert target-peak=600 ! "
                + "video/x-raw,format=P010_10LE,colorimetry=bt2100-pq ! fakesink", 0
        ),
        (
            "videotestsrc num-buffers=5 ! video/x-raw,format=RGB ! hdrconvert inverse-tone-mapping=bt2446a n-threads=3 "
                + "! video/x-raw,format=v210,colorimetry=bt2100-hlg ! queue ! fakesink", 0
        ),
        ("videotestsrc num-buffers=5 ! hdrconvert ! fakesink", 0),
        (
            "videotestsrc num-buffers=5 ! \(TestCaps.hdr) ! hdrconvert ! hdrconvert ! hdrconvert ! "
                + "\(TestCaps.sdr) ! fakesink",
            0
        ),
        ("videotestsrc num-buffers=0 ! \(TestCaps.hdr) ! hdrconvert ! \(TestCaps.sdr) ! fakesink", 0),
        (
            "concat name=c ! hdrconvert ! \(TestCaps.sdr) ! fakesink videotestsrc num-buffers=2 ! \(TestCaps.hdr) ! c. "
                + "videotestsrc num-buffers=2 ! video/x-raw,width=32,height=20,colorimetry=bt2100-hlg ! c.", 0
        ),
        (
            "videotestsrc num-buffers=5 ! video/x-raw,format=I420_10LE,interlace-mode=interleaved,"
                + "colorimetry=bt2100-pq ! hdrconvert ! video/x-raw,format=I420,colorimetry=bt709 ! fakesink", 0
        ),
        (
            "videotestsrc num-buffers=2 ! capssetter caps=video/x-raw,colorimetry=2:3:9:7 ! hdrconvert ! "
                + "\(TestCaps.sdr) ! "
                + "fakesink", 1
        ),
        (
            "videotestsrc num-buffers=9 ! \(TestCaps.hdr) ! hdrconvert ! \(TestCaps.sdr) ! identity "
                + "error-after=4 ! fakesink",
            1
        ),
        (
            "videotestsrc num-buffers=5 ! \(TestCaps.hdr),\(TestCaps.metadata) ! m.video_0 audiotestsrc "
                + "num-buffers=9 ! m.audio_0 "
                + "hdrmux-settings name=m speed-preset=ultrafast content-light-level-info=auto ! fakesink", 0
        ),
        (
            "videotestsrc num-buffers=5 ! \(TestCaps.hdr) ! hdrmux-settings preset=prores-422 "
                + "file-type=matroska ! fakesink",
            0
        ),
        ("videotestsrc num-buffers=5 ! \(TestCaps.hdr) ! hdrmux-settings preset=nothing ! fakesink", 1),
        (
            "videotestsrc num-buffers=5 ! video/x-raw,format=I420_10LE,width=64,height=36,colorimetry=bt2100-pq ! "
                + "x265enc ! h265parse ! hdrmux-settings preset=passthrough ! fakesink",
            0
        ),
        ("audiotestsrc num-buffers=5 ! hdrtap ! fakesink", 0),
        ("audiotestsrc num-buffers=5 ! hdrtap effect=bandpass ! hdrtap effect=gain ! queue ! fakesink", 0),
        ("audiotestsrc num-buffers=50 ! hdrtap effect=meter ! hdrtap effect=waveform ! fakesink", 0),
        ("audiotestsrc num-buffers=5 ! hdrtap emit-signals=true ! fakesink", 0),
        ("audiotestsrc num-buffers=5 ! hdrtap effect=gain effect=bandpass effect=meter ! fakesink", 0),
        ("audiotestsrc num-buffers=0 ! hdrtap effect=bandpass ! fakesink", 0),
        ("videotestsrc num-buffers=5 ! hdrtap effect=bandpass ! fakesink", 0),
        (
            "concat name=c ! hdrtap effect=bandpass ! fakesink audiotestsrc num-buffers=3 ! audio/x-raw,"
                + "format=S16LE ! c. "
                + "audiotestsrc num-buffers=3 ! audio/x-raw,format=F32LE,rate=96000 ! c.", 0
        ),
        ("audiotestsrc num-buffers=9 ! hdrtap effect=bandpass ! identity error-after=4 ! fakesink", 1),
    ]

    private func alive(_ outcome: Command.Result) -> [Substring] {
        outcome.errors.split(separator: "\n").filter { line in
            line.contains("object-alive,") && line.contains("address=(gpointer)0x")
        }
    }

    @Test(arguments: pipelines.indices)
    func nothingOutlivesThePipeline(index: Int) throws {
        let (line, status) = Self.pipelines[index]
        let outcome = try Player.play(line, environment: Player.leakTracing)
        #expect(outcome.status == status, "\(outcome)")
        #expect(alive(outcome).isEmpty, "\(alive(outcome).joined(separator: "\n"))")
    }

    @Test func theTracerWouldSeeALeak() throws {
        let outcome = try Player.play(Self.pipelines[0].line, leaks: 2, environment: Player.leakTracing)
        #expect(outcome.status == 128 + SIGTRAP)
        #expect(alive(outcome).count == 2, "\(outcome)")
    }
}
