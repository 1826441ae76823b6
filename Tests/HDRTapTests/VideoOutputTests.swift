import CGStreamer
import CHDRTap
import HDRTap
import Testing

/// Video outputs in Swift, where there is no element to give frames; with one, the tests of GstHDR have them.
@Suite struct VideoOutputTests {
    @Test func otherElementsAreRefused() throws {
        gst_init(nil, nil)
        let element = try #require(gst_bin_new(nil))
        gst_object_ref_sink(element)
        defer { gst_object_unref(element) }
        do {
            _ = try VideoOutput(of: element)
            Issue.record("a bin has made a video output")
        } catch {
            #expect(error.description.contains("no hdrtap and no edrsink"))
        }
        #expect(gst_hdr_video_output_new(nil) == nil)
    }

    /// The defaults are those on the element's page.
    @Test func settings() {
        let settings = VideoOutput.Settings()
        #expect(settings.format == nil && settings.primaries == nil && settings.transfer == nil)
        #expect(settings.matrix == nil && settings.allowsWideColor)
        #expect(settings.lookAhead == 2_000_000_000 && settings.maxBytes == 512 << 20)
    }
}
