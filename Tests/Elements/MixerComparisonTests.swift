import Foundation
import PluginSupport
import TestSupport
import Testing

/// `hdrcompositor` beside GStreamer's `compositor` in the same pipelines, for programs in Python: the same pictures at
/// the same times, caps, ends and messages.
@Suite struct MixerComparisonTests {
    private func compare(_ program: String, _ name: String) throws {
        let path = Repository.path("Tests/Elements/Programs/mixer/\(program).py")
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", path, name], timeout: 110)
        expectClean(outcome)
        #expect(outcome.output == "\(name) ok\n", "\(outcome)")
    }

    @Test(arguments: [
        "plain", "late", "come", "come-to-a-fixed-canvas", "go", "end-of-one", "repeat-after-eos",
        "max-repeat-after-eos", "hole", "gap-events", "gap-buffers", "gaps-on-all", "nothing-on-one", "nothing-on-all",
        "inactive", "ignored", "started-again", "zorder", "opacity",
    ]) func pads(_ name: String) throws { try compare("pads", name) }

    @Test(arguments: [
        "rates", "uneven-rates", "odd-durations", "no-durations", "no-rate", "still-below", "slower-canvas",
        "faster-canvas", "unordered", "no-times", "start-at-zero", "start-at-first", "start-when-set",
        "start-after-first", "segment-base", "segment-offset", "segment-start", "segment-time", "segment-applied",
        "segment-fast", "segment-slow", "segment-reverse", "segments-fast", "segments-reverse", "two-segments",
        "larger-pad", "larger-pad-on-a-fixed-canvas", "faster-pad", "other-shape", "downstream",
    ]) func times(_ name: String) throws { try compare("times", name) }

    @Test(arguments: [
        "to-the-middle", "beside-the-grid", "not-accurate", "near-the-end", "behind-the-end", "fast", "slow",
        "very-fast", "reverse", "reverse-fast", "reverse-clip", "segment-seek", "no-flush", "while-playing",
        "in-a-pause", "quick", "steps", "queries",
    ]) func seeks(_ name: String) throws { try compare("seeks", name) }

    @Test(arguments: [
        "latency-of-sources", "latency-of-its-own", "latency-for-later-sources", "latency-of-no-live-source", "live",
        "all-stall", "nothing-comes", "quality", "no-quality",
    ]) func byTheClock(_ name: String) throws { try compare("live", name) }

    /// The columns and rows that a white picture of a size, with pixels of a shape, has on a black canvas.
    private func covered(
        _ element: String, _ size: (Int, Int), pixels: String, into box: (Int, Int)
    ) throws -> [Range<Int>] {
        let scratch = try TemporaryFolder()
        let path = scratch.path("canvas")
        expectClean(
            try GstTool.launch(
                "\(element) name=c background=black sink_0::width=\(box.0) sink_0::height=\(box.1) "
                    + "sink_0::sizing-policy=keep-aspect-ratio ! video/x-raw,format=GRAY8,width=256,height=256,"
                    + "pixel-aspect-ratio=1/1 ! filesink location=\(path) videotestsrc num-buffers=1 pattern=white ! "
                    + "video/x-raw,format=GRAY8,width=\(size.0),height=\(size.1),pixel-aspect-ratio=\(pixels),"
                    + "framerate=25/1 ! c."))
        let codes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        try #require(codes.count == 256 * 256)
        let white = codes.indices.filter { codes[$0] > 127 }
        func range(_ places: [Int]) -> Range<Int> { places.isEmpty ? 0..<0 : places.min()!..<places.max()! + 1 }
        return [range(white.map { $0 % 256 }), range(white.map { $0 / 256 })]
    }

    @Test(
        arguments: [
            ((160, 90), "1/1", (100, 100)), ((160, 90), "1/1", (201, 77)), ((64, 48), "1/1", (97, 73)),
            ((90, 160), "1/1", (255, 255)), ((72, 57), "16/15", (130, 90)), ((72, 48), "10/11", (90, 130)),
            ((71, 37), "1/1", (113, 59)), ((37, 71), "1/1", (59, 200)), ((50, 50), "1/1", (33, 254)),
            ((200, 10), "1/1", (9, 30)),
        ] as [((Int, Int), String, (Int, Int))])
    func aspectRatiosAreKept(_ size: (Int, Int), _ pixels: String, _ box: (Int, Int)) throws {
        let places = try ["compositor", "hdrcompositor"].map { try covered($0, size, pixels: pixels, into: box) }
        #expect(places[0] == places[1])
    }

    /// Backgrounds in SDR, around a picture in the corner.
    @Test(arguments: ["checker", "black", "white"], ["I420", "NV12", "Y444", "AYUV"])
    func backgrounds(_ background: String, _ format: String) throws {
        let scratch = try TemporaryFolder()
        let canvases = try ["compositor", "hdrcompositor"].map { element in
            let path = scratch.path(element)
            expectClean(
                try GstTool.launch(
                    "\(element) name=c background=\(background) sink_0::xpos=20 sink_0::ypos=4 ! "
                        + "video/x-raw,format=\(format),width=64,height=48 ! filesink location=\(path) "
                        + "videotestsrc num-buffers=1 pattern=black ! "
                        + "video/x-raw,format=I420,width=16,height=16,framerate=25/1,colorimetry=bt709 ! c."))
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
        let most = zip(canvases[0], canvases[1]).map { abs(Int($0) - Int($1)) }.max() ?? 255
        #expect(canvases[0].count == canvases[1].count && most <= (background == "checker" ? 1 : 0), "\(most)")
        let count = Set(canvases[1].prefix(64 * 48)).count
        #expect(count >= (background == "black" ? 1 : 2), "\(count)")
    }
}
