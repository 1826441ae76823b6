import Foundation
import PluginSupport
import Testing
import TestSupport

/// Pictures of 8K and of 16 bits, and the memory that a conversion takes.
@Suite(.serialized) struct LargePictureTests {
    // MARK: Pictures

    /// The bytes of one frame of a flat picture after a conversion.
    static func flat(_ from: String, _ to: String, _ width: Int, _ height: Int) throws -> Data {
        let scratch = try TemporaryFolder()
        expectClean(
            try GstTool.launch(
                """
                videotestsrc num-buffers=1 pattern=solid-color foreground-color=0xff4080c0 !
                video/x-raw,format=\(from),width=\(width),height=\(height) ! hdrconvert dither=none !
                video/x-raw,format=\(to) ! filesink location=\(scratch.path("out"))
                """, timeout: 60))
        return try scratch.data("out")
    }

    static let formats = [
        ("P016_LE,colorimetry=bt2100-pq", "NV12,colorimetry=bt709"),
        ("RGBA64_LE,colorimetry=1:1:14:7", "P016_LE,colorimetry=bt2100-hlg"),
        ("I420_10LE,colorimetry=bt2100-hlg", "RGBA64_LE,colorimetry=sRGB"),
    ]

    /// Every pixel of an 8K picture is that of a small one, whose pixels are known to be right.
    @Test(arguments: formats.indices) func eightK(_ index: Int) throws {
        let (from, to) = Self.formats[index]
        let (width, height) = (7680, 4320)
        let small = try Self.flat(from, to, 64, 64)
        let large = try Self.flat(from, to, width, height)
        let planes: [(samples: Int, unit: Int)] =
            switch to.prefix { $0 != "," } {
            case "NV12": [(width * height, 1), (width * height / 4, 2)]
            case "P016_LE": [(width * height, 2), (width * height / 4, 4)]
            default: [(width * height, 8)]
            }
        #expect(large.count == planes.reduce(0) { $0 + $1.samples * $1.unit })
        var (start, smallStart) = (0, 0)
        for plane in planes {
            let end = start + plane.samples * plane.unit
            try #require(large.count >= end)
            #expect(large[start..<start + plane.unit] == small[smallStart..<smallStart + plane.unit])
            // Each pixel is like the one before it.
            #expect(large[start..<end - plane.unit] == large[start + plane.unit..<end], "\(from) to \(to)")
            start = end
            smallStart += plane.samples / (width * height / 4096) * plane.unit
        }
    }

    // MARK: Memory

    static let runner: Result<(program: String, owner: TemporaryFolder), any Error> = Result {
        let scratch = try TemporaryFolder()
        return (try scratch.compile(peak, as: "peak"), scratch)
    }

    /// The most memory that a launch line holds at a time, in KiB: the lesser of two runs, because threads that
    /// happen to overlap cost memory of their own.
    static func peak(_ line: String) throws -> Double {
        try (0..<2).map { _ in
            let scratch = try TemporaryFolder()
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            let outcome = try GstTool.run(
                try runner.get().program, [scratch.path("peak"), "gst-launch-1.0", "-q"] + words, timeout: 60)
            expectClean(outcome)
            let text = scratch.text("peak").trimmingCharacters(in: .whitespacesAndNewlines)
            return try #require(Double(text), "no peak was written")
        }.min()!
    }

    static let conversions = [
        (1920, 1080, "I420_10LE,colorimetry=bt2100-pq", "NV12,colorimetry=bt709", "n-threads=2 peak-detection=off"),
        (
            1920, 1080, "P016_LE,colorimetry=bt2100-pq", "I420_10LE,colorimetry=bt2100-hlg",
            "quality=reference peak-detection=off"
        ),
        (7680, 4320, "I420_10LE,colorimetry=bt2100-pq", "NV12,colorimetry=bt709", "n-threads=2 peak-detection=off"),
        (7680, 4320, "P010_10LE,colorimetry=bt709", "I420,colorimetry=bt709", "n-threads=8"),
        (7680, 4320, "v210,colorimetry=bt2100-hlg", "P016_LE,colorimetry=bt2100-pq", "quality=fast"),
    ]

    /// Against a pipeline with the same buffers of both sides, and with the plugin loaded, that converts nothing. With
    /// peak detection pictures wait, as many as `look-ahead` says.
    @Test(arguments: conversions.indices) func aConversionTakesLittleMemory(_ index: Int) throws {
        let (width, height, from, to, properties) = Self.conversions[index]
        let sink = "fakesink enable-last-sample=false"
        func caps(_ format: String) -> String { "video/x-raw,format=\(format),width=\(width),height=\(height)" }
        let source = "videotestsrc num-buffers=2 ! \(caps(from)) ! hdrconvert \(properties)"
        let converting = try Self.peak("\(source) ! \(caps(to)) ! \(sink)")
        let passing = try Self.peak("\(source) ! \(sink) videotestsrc num-buffers=2 ! \(caps(to)) ! \(sink)")
        #expect(converting - passing < 4096, "\(converting) KiB, \(passing) KiB without the conversion")
    }

    /// The measurement sees a buffer more.
    @Test func anotherBufferWouldShow() throws {
        let sink = "fakesink enable-last-sample=false"
        let source = "videotestsrc num-buffers=2 ! video/x-raw,format=I420_10LE,width=1920,height=1080"
        let one = try Self.peak("\(source) ! \(sink)")
        let two = try Self.peak("\(source) ! fakesink enable-last-sample=true")
        #expect(two - one > 4096, "\(one) KiB, \(two) KiB")
    }

    /// Runs a program and writes its largest resident size, in KiB.
    static let peak = #"""
        #include <stdio.h>
        #include <sys/resource.h>
        #include <sys/wait.h>
        #include <unistd.h>

        int main(int argc, char **argv) {
            if (argc < 3) return 2;
            pid_t child = fork();
            if (child == 0) {
                execvp(argv[2], argv + 2);
                _exit(127);
            }
            int status;
            struct rusage usage;
            if (child < 0 || wait4(child, &status, 0, &usage) != child) return 1;
            FILE *file = fopen(argv[1], "w");
            if (!file) return 1;
            fprintf(file, "%ld\n", usage.ru_maxrss);
            fclose(file);
            return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        }
        """#
}
