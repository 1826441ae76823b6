import PluginSupport
import Testing
import TestSupport

/// A launch line with a name of colour that GStreamer does not know fails and says which one is meant.
@Suite struct ColorNameLaunchTests {
    static let lines = [
        "video/x-raw,format=I420,colorimetry=pq ! hdrconvert ! video/x-raw,format=RGB ! fakesink",
        "hdrconvert ! video/x-raw,format=P010_10LE,colorimetry=bt2020-pq ! fakesink",
        "video/x-raw,colorimetry=smpte2084 ! edrsink presenter=offscreen",
        "video/x-raw,format=I420_10LE,colorimetry=pq ! m.video_0 hdrmux-settings name=m ! fakesink",
    ]

    /// The output of a line that fails. On a busy machine gst-launch 1.22 does not always end where two elements post
    /// an error.
    private func failure(_ line: String) -> String {
        do {
            let outcome = try GstTool.launch(line, timeout: 10)
            // It is terminated then, which leads to another status.
            #expect(outcome.status != 0, "\(outcome)")
            return outcome.errors
        } catch { return "\(error)" }
    }

    @Test(arguments: lines) func failsWithAReason(_ line: String) {
        let errors = failure("videotestsrc num-buffers=2 ! " + line)
        #expect(errors.contains("bt2100-pq is probably meant"), "\(errors)")
    }

    /// A file's size shows when its pictures flow: the words are this element's.
    @Test func anotherSize() throws {
        let scratch = try TemporaryFolder()
        let file = scratch.path("small.avi")
        expectClean(
            try GstTool.launch(
                """
                videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=64,height=48 ! jpegenc ! avimux !
                filesink location=\(file)
                """))
        let errors = failure("filesrc location=\(file) ! decodebin ! hdrconvert ! video/x-raw,width=640 ! fakesink")
        #expect(errors.contains("width=64, ") && errors.contains("videoscale"), "\(errors)")
    }

    /// Formats that cameras, capture cards and other programs give, as GStreamer writes and reads them.
    @Test func formatsOfOthers() throws {
        for (format, back) in [("YUY2", "GRAY16_BE"), ("Y210", "UYVY"), ("GRAY8", "BGRA64_LE"), ("I420_10BE", "Y410")] {
            expectClean(
                try GstTool.launch(
                    """
                    videotestsrc num-buffers=2 ! video/x-raw,format=\(format),width=65,height=49 ! hdrconvert !
                    video/x-raw,format=\(back) ! videoconvert ! video/x-raw,format=RGB ! fakesink
                    """))
        }
    }
}
