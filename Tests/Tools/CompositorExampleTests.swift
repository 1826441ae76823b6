import Foundation
import PluginSupport
import Testing
import TestSupport

/// The programs in Sources/Examples that compose pictures: they build as they say, and do what they say.
@Suite struct CompositorExampleTests {
    private static let folder = Repository.root.appendingPathComponent("Sources/Examples")
    private static let flags = ["-Werror", "-I", Repository.path("Sources/CHDRTap/include")]
    private static let packages = ["gstreamer-audio-1.0", "gstreamer-video-1.0"]

    @Test func theCExample() throws {
        let scratch = try TemporaryFolder()
        let source = try String(contentsOf: Self.folder.appendingPathComponent("hdrcompositor.c"), encoding: .utf8)
        let program = try scratch.compile(source, as: "curtain", packages: Self.packages, flags: Self.flags)
        let outcome = try GstTool.run(program)
        expectClean(outcome)
        // White of SDR is 1.0; that of PQ is 10 000 cd/m² over 203.
        #expect(outcome.output == "50 pictures, light of 1.00 on the left and 49.26 on the right\n")
    }

    @Test func thePythonExample() throws {
        let script = Self.folder.appendingPathComponent("hdrcompositor.py").path
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", script])
        expectClean(outcome)
        // The instruction leaves the last ten of fifty pictures to the element.
        #expect(outcome.output == "the canvas is 64x48 pixels of GRAY8\n26 composed, 14 passed\n")
    }

    /// The C code of the element's page compiles.
    @Test func theCodeOfThePageCompiles() throws {
        let page = try String(
            contentsOfFile: Repository.path("Sources/GstHDR/GstHDR.docc/custom-compositor.md"), encoding: .utf8)
        let blocks = page.components(separatedBy: "```c\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(blocks.count == 1)
        for block in blocks {
            let scratch = try TemporaryFolder()
            let source = block + "\nint main (void) { return attach (NULL, NULL, NULL); }\n"
            let program = try scratch.compile(source, as: "page", packages: Self.packages, flags: Self.flags)
            // Without an element, attaching fails.
            #expect(try GstTool.run(program).status == 0)
        }
    }

    /// A handler of the signal may return the picture of a source, which stands for that source: SDR white on a PQ
    /// canvas is reference white. It may post an error in words.
    @Test func aHandlerReturnsASource() throws {
        let program = """
            import gi
            gi.require_version("Gst", "1.0")
            from gi.repository import GLib, Gst
            Gst.init(None)
            pads = ("videotestsrc num-buffers=3 pattern=white ! video/x-raw,format=I420,width=16,height=16,"
                    "colorimetry=bt709 ! c.sink_0 "
                    "videotestsrc num-buffers=3 pattern=white ! video/x-raw,format=I420_10LE,width=32,height=32,"
                    "colorimetry=bt2100-pq ! c.sink_1 ")
            for sources in ("sdr", "hdr"):
                for pad, luma in (("sink_0", 573), ("sink_1", 943)):
                    pipeline = Gst.parse_launch(
                        f"hdrcompositor name=c emit-signals=true compose-sources={sources} ! "
                        "video/x-raw,format=I420_10LE,width=32,height=32,colorimetry=bt2100-pq ! "
                        "fakesink name=sink sync=false " + pads)
                    element = pipeline.get_by_name("c")
                    element.connect("compose", lambda element, request: request.get_value(pad).get_buffer())
                    pipeline.set_state(Gst.State.PLAYING)
                    ends = Gst.MessageType.EOS | Gst.MessageType.ERROR
                    message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, ends)
                    assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()
                    shown = pipeline.get_by_name("sink").get_property("last-sample").get_buffer().extract_dup(0, 2)
                    assert int.from_bytes(shown, "little") == luma, (sources, pad, shown)
                    pipeline.set_state(Gst.State.NULL)
            pipeline = Gst.parse_launch("hdrcompositor name=c emit-signals=true ! fakesink " + pads)
            element = pipeline.get_by_name("c")

            def fail(element, request):
                error = GLib.Error.new_literal(Gst.stream_error_quark(), "no picture", Gst.StreamError.FAILED)
                element.post_message(Gst.Message.new_error(element, error, ""))

            element.connect("compose", fail)
            pipeline.set_state(Gst.State.PLAYING)
            message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, ends)
            assert message.type == Gst.MessageType.ERROR and message.parse_error()[0].message == "no picture"
            pipeline.set_state(Gst.State.NULL)
            """
        expectClean(try GstTool.run("/usr/bin/python3", ["-c", program]))
    }

    /// The element shows what it has for compositors.
    @Test func theElementShowsItsSignals() throws {
        let outcome = try GstTool.run("gst-inspect-1.0", ["hdrcompositor"])
        for name in [
            "set-compositor-callbacks", "add-instruction", "clear-instructions", "compose", "render-context-changed",
            "request-timeout", "compose-sources",
        ] { #expect(outcome.output.contains(name), "\(name)") }
    }
}
