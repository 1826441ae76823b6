import Glibc
import Testing

/// Pads of `hdrcompositor` whose pictures are not what their caps say.
@Suite(
    .quiet, .serialized, .enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
struct CompositorPadTests {
    private static let caps = "video/x-raw,format=GRAY8,width=8,height=6,framerate=25/1,colorimetry=bt709"

    /// The pad without a picture shows nothing; those above and below it do.
    @Test(arguments: [0, 1, 2]) func aShortPictureHidesNoOther(_ short: Int) throws {
        let harness = try CompositingHarness(Self.caps)
        let sources = try (0..<3).map { _ in try harness.source(Self.caps) }
        let values: [UInt16] = [60, 120, 200]
        for (index, source) in sources.enumerated() {
            if index == short { source.pushShort() } else { source.push(values[index]) }
        }
        for source in sources { source.end() }
        #expect(Set(harness.pull() ?? []) == [UInt8(short == 2 ? values[1] : values[2])])
    }
}
