import Foundation
import PluginSupport
import Testing
import TestSupport

/// A frame costs a fixed number of memory allocations, whatever its size; a row and a pixel cost none.
@Suite struct AllocationTests {
    static let counter: Result<(library: String, owner: TemporaryFolder), any Error> = Result {
        let scratch = try TemporaryFolder()
        return (try scratch.compile(source, as: "counter.so", flags: ["-shared", "-fPIC"]), scratch)
    }

    /// The allocations of a whole process.
    static func allocations(of line: String) throws -> Double {
        let scratch = try TemporaryFolder()
        let outcome = try GstTool.launch(
            line,
            environment: ["LD_PRELOAD": try counter.get().library, "ALLOCATION_COUNT_FILE": scratch.path("count")])
        expectClean(outcome)
        let text = scratch.text("count").trimmingCharacters(in: .whitespacesAndNewlines)
        return try #require(Double(text), "the counter wrote nothing")
    }

    /// The allocations of one frame, from the difference of two runs, so that start-up does not count.
    static func allocationsPerFrame(height: Int, source: String, element: String, target: String) throws -> Double {
        func run(_ frames: Int) throws -> Double {
            try allocations(
                of: """
                    videotestsrc num-buffers=\(frames) ! video/x-raw,width=64,height=\(height),\(source) ! \(element) !
                    video/x-raw,\(target) ! fakesink
                    """)
        }
        return (try run(40) - run(20)) / 20
    }

    static let conversions = [
        (
            "format=I420_10LE,colorimetry=bt2100-pq", "hdrconvert n-threads=1",
            "format=NV12,colorimetry=bt709"
        ),
        (
            "format=P010_10LE,colorimetry=bt2100-hlg", "hdrconvert n-threads=2",
            "format=v210,colorimetry=bt2100-pq"
        ),
        (
            "format=Y444_10LE,colorimetry=bt2100-pq",
            "hdrconvert n-threads=2 tone-mapping=bt2390 tone-mapping-domain=ictcp gamut-mapping=desaturate",
            "format=RGBA,colorimetry=sRGB"
        ),
        (
            "format=RGB,colorimetry=sRGB", "hdrconvert n-threads=2 inverse-tone-mapping=spline quality=fast",
            "format=I420_10LE,colorimetry=bt2100-pq"
        ),
        (
            "format=I420_10LE,interlace-mode=interleaved,colorimetry=bt2100-pq", "hdrconvert n-threads=2",
            "format=I420,interlace-mode=interleaved,colorimetry=bt709"
        ),
        (
            "format=I422_10LE,colorimetry=bt709", "hdrconvert n-threads=2 chroma-mode=nearest",
            "format=I420,colorimetry=bt709"
        ),
    ]

    @Test(arguments: conversions.indices)
    func aRowAllocatesNothing(index: Int) throws {
        let (source, element, target) = Self.conversions[index]
        let low = try Self.allocationsPerFrame(height: 64, source: source, element: element, target: target)
        let high = try Self.allocationsPerFrame(height: 512, source: source, element: element, target: target)
        // One a band, let alone one a row, would show as at least 2 here.
        #expect(abs(high - low) < 1, "\(low) at 64 rows, \(high) at 512")
        // GStreamer itself makes a few for each buffer; videoconvert has two a frame in the same place. The fields of
        // an interlaced picture are converted one after the other. Of a picture whose peak is measured some numbers are
        // kept, and a queue of those that wait.
        #expect(high <= (source.contains("interleaved") ? 24 : 18), "\(high) a frame")
    }

    @Test func theReferenceKernelAllocatesNothingPerRowEither() throws {
        let format = "format=I420_10LE,colorimetry=bt2100-pq"
        let element = "hdrconvert n-threads=2 quality=reference"
        let target = "format=NV12,colorimetry=bt709"
        let low = try Self.allocationsPerFrame(height: 64, source: format, element: element, target: target)
        let high = try Self.allocationsPerFrame(height: 256, source: format, element: element, target: target)
        #expect(abs(high - low) < 1, "\(low) at 64 rows, \(high) at 256")
        #expect(high <= 18, "\(high) a frame")
    }

    /// Counts the calls of every allocating function of glibc, and writes the count at exit.
    static let source = #"""
        #include <errno.h>
        #include <stdatomic.h>
        #include <stddef.h>
        #include <stdio.h>
        #include <stdlib.h>

        extern void *__libc_malloc(size_t);
        extern void *__libc_calloc(size_t, size_t);
        extern void *__libc_realloc(void *, size_t);
        extern void *__libc_memalign(size_t, size_t);

        static atomic_ulong count;

        void *malloc(size_t size) { count++; return __libc_malloc(size); }
        void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
        void *realloc(void *block, size_t size) { count++; return __libc_realloc(block, size); }
        void *memalign(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
        void *aligned_alloc(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
        int posix_memalign(void **block, size_t alignment, size_t size) {
            count++;
            *block = __libc_memalign(alignment, size);
            return *block ? 0 : ENOMEM;
        }

        __attribute__((destructor)) static void report(void) {
            unsigned long total = count;
            const char *name = getenv("ALLOCATION_COUNT_FILE");
            FILE *file = name ? fopen(name, "w") : NULL;
            if (!file) return;
            fprintf(file, "%lu\n", total);
            fclose(file);
        }
        """#
}
