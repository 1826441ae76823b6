import PluginSupport
import Testing
import TestSupport

/// The debug log's reasons for the look of a picture.
@Suite struct DebugLogTests {
    static let line = """
        videotestsrc num-buffers=1 ! video/x-raw,format=I420_10LE,width=64,height=48,colorimetry=bt2100-pq !
        hdrconvert tone-mapping=bt2390 source-peak=4000 ! video/x-raw,format=NV12,colorimetry=bt709 ! fakesink
        """

    @Test func theCategoryPrintsThePlan() throws {
        let outcome = try GstTool.launch(Self.line, environment: ["GST_DEBUG": "hdrconvert:6"])
        #expect(outcome.status == 0)
        for word in ["I420_10LE", "NV12", "64x48", "pq", "bt2390", "4000", "203", "bt2020", "bt709", "ordered"] {
            #expect(outcome.errors.contains(word), "\(word): \(outcome.errors)")
        }
        #expect(outcome.errors.contains("<hdrconvert0>"), "\(outcome.errors)")
        #expect(outcome.output == "", "standard output belongs to the program")
    }

    @Test func passingThroughIsSaid() throws {
        let outcome = try GstTool.launch(
            "videotestsrc num-buffers=1 ! hdrconvert ! fakesink", environment: ["GST_DEBUG": "hdrconvert:6"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("passing through"), "\(outcome.errors)")
    }

    @Test func theCategoryIsQuietUntilAsked() throws {
        expectClean(try GstTool.launch(Self.line, environment: ["GST_DEBUG": "2"]))
    }

    @Test func theCategoryIsListed() throws {
        let outcome = try GstTool.run("gst-inspect-1.0", ["--gst-debug-help", "hdrconvert"])
        #expect(outcome.status == 0)
        let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("hdrconvert ") }
        #expect(lines.count == 1)
        #expect(lines.first?.contains("HDR") == true)
    }

    @Test func everyCategoryAtFullLengthDoesNoHarm() throws {
        let outcome = try GstTool.launch(Self.line, environment: ["GST_DEBUG": "*:7"])
        #expect(outcome.status == 0, "\(outcome.errors.suffix(2000))")
        #expect(outcome.errors.contains("hdrconvert"))
    }
}
