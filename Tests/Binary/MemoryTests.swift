import Foundation
import PluginSupport
import Testing
import TestSupport

/// The use of memory in the release plugin: under valgrind, and with an allocator that overwrites what is freed.
///
/// Debug builds and AddressSanitizer's do not free as early as optimised Swift does.
@Suite(.enabled(if: Command.exists("valgrind"), "valgrind is not installed")) struct MemoryTests {
    /// Freed memory is overwritten at once, and given out again as late as it would be without a cache.
    static let allocator = ["GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "MALLOC_PERTURB_": "85"]

    /// Odd sizes, chroma that is shared by two rows, two threads and a property that changes the plan.
    static let processing = [
        """
        videotestsrc num-buffers=2 ! \(TestCaps.hdr),\(TestCaps.metadata) ! hdrconvert tone-mapping=bt2390
        gamut-mapping=softclip n-threads=2 ! \(TestCaps.sdr) ! hdrconvert inverse-tone-mapping=spline !
        video/x-raw,format=v210,colorimetry=bt2100-hlg ! fakesink
        """,
        "videotestsrc num-buffers=2 ! \(TestCaps.hdr) ! edrsink presenter=offscreen sync=false",
        "audiotestsrc num-buffers=5 ! hdrtap effect=bandpass ! hdrtap effect=gain ! hdrtap effect=meter ! fakesink",
        "audiotestsrc num-buffers=5 ! hdrtap effect=waveform emit-signals=true ! fakesink",
        """
        hdrcompositor name=c n-threads=2 sink_1::xpos=5 sink_1::ypos=3 sink_1::alpha=0.5 ! fakesink
        videotestsrc num-buffers=2 ! \(TestCaps.hdr) ! c.sink_0
        videotestsrc num-buffers=2 ! video/x-raw,format=AYUV,width=33,height=21,colorimetry=bt709 ! c.sink_1
        """,
        """
        videotestsrc num-buffers=2 ! \(TestCaps.hdr) ! hdrtap effect=exposure,statistics,gaussian-blur n-threads=2 !
        fakesink
        """,
    ]

    /// A source of pictures and sound for the exporter, with formats whose names it reads.
    static let source = """
        videotestsrc num-buffers=3 ! video/x-raw,format=I420_10LE,width=96,height=64,framerate=24/1,colorimetry=bt709 !
        m.video_0 audiotestsrc num-buffers=6 ! audio/x-raw,format=S24LE,rate=48000,channels=2 ! m.audio_0
        """
    static let coded = """
        videotestsrc num-buffers=3 ! \(TestCaps.hdr.replacingOccurrences(of: "65,height=37", with: "96,height=64"))
        ! x265enc speed-preset=ultrafast ! h265parse ! m.video_0
        """
    static let presets = [
        "hevc-highest-quality", "hevc-1920x1080", "h264-highest-quality", "h264-1280x720", "prores-422", "prores-4444",
        "passthrough",
    ]

    private func words(_ line: String) -> [String] { line.split(whereSeparator: \.isWhitespace).map(String.init) }

    private func valgrind(_ options: [String], _ line: String) throws {
        let outcome = try GstTool.run(
            "valgrind", ["--quiet", "--error-exitcode=9"] + options + ["gst-launch-1.0", "-q"] + words(line),
            timeout: 300)
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(arguments: processing) func processingUsesNoMemoryThatIsNotOurs(_ line: String) throws {
        try valgrind([], line)
    }

    /// Encoders compute with bytes that they never wrote, in ways that do not matter; freed and foreign memory does.
    @Test(arguments: presets) func exportsUseNoMemoryThatIsNotOurs(_ preset: String) throws {
        let scratch = try TemporaryFolder()
        try valgrind(["--undef-value-errors=no"], export(preset, to: scratch.path("out.mov")))
    }

    private func export(_ preset: String, to path: String) -> String {
        "\(preset == "passthrough" ? Self.coded : Self.source) hdrmux-settings name=m preset=\(preset) "
            + "speed-preset=ultrafast ! filesink location=\(path)"
    }

    @Test(arguments: presets) func exportsDoNotDependOnFreedMemory(_ preset: String) throws {
        let scratch = try TemporaryFolder()
        var files: [[UInt8]] = []
        for (name, variables) in [("plain.mov", [:]), ("overwritten.mov", Self.allocator)] {
            let path = scratch.path(name)
            expectClean(try GstTool.launch(export(preset, to: path), environment: variables, timeout: 60))
            files.append(try Self.withoutTimes([UInt8](Data(contentsOf: URL(fileURLWithPath: path)))))
        }
        #expect(files[0].count > 1000)
        #expect(files[0] == files[1])
    }

    /// A movie without the times at which it and its tracks were made: ISO/IEC 14496-12 8.2.2, 8.3.2 and 8.4.2.
    private static func withoutTimes(_ bytes: [UInt8]) throws -> [UInt8] {
        var bytes = bytes
        let headers = Set(["mvhd", "tkhd", "mdhd"].map { [UInt8]($0.utf8) })
        let moov = try #require(bytes.indices.dropLast(4).last { bytes[$0..<$0 + 4].elementsEqual("moov".utf8) })
        for at in moov..<(bytes.count - 24) where headers.contains(Array(bytes[at..<at + 4])) {
            // Version and flags; then both times, of four or eight bytes.
            let count = bytes[at + 4] == 1 ? 16 : 8
            for index in (at + 8)..<(at + 8 + count) { bytes[index] = 0 }
        }
        return bytes
    }
}
