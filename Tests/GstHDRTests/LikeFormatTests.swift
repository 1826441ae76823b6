import CGStreamer
import CGstCheck
import HDRColor
import Testing

/// Formats that differ from others in nothing but their order hold the same samples as these, by GStreamer's own
/// packers.
@Suite(.quiet)
struct LikeFormatTests {
    static let (width, height) = (37, 9)

    private func check(_ name: String, _ like: String, _ color: Color, _ properties: [String: String]) throws {
        let (one, other) = (Format(name), Format(like))
        // Chroma of every second column, so that no packer has to average.
        let ramp = PictureCodes.ramp(Self.width, Self.height, bits: one.bits)
        let picture = PictureCodes(Self.width, Self.height) { x, y in
            let shared = ramp[x & ~1, y & ~1]
            return one.isRGB ? ramp[x, y] : SIMD4(ramp[x, y].x, shared.y, shared.z, ramp[x, y].w)
        }
        let grey = UInt16(1 << (one.bits - 1))
        for (from, to) in [(one, other), (other, one)] {
            let harness = try Harness(
                caps(from.name, color.colorimetry(from), Self.width, Self.height),
                to: want(to.name, color.colorimetry(to)), properties)
            for padding in [0, 8] {
                let input = try Buffer(picture, try harness.inputInfo(), padding: padding)
                let sent = try input.picture(try harness.inputInfo())
                let result = try harness.convert(input).picture(try harness.outputInfo())
                for (index, (a, b)) in zip(sent.pixels, result.pixels).enumerated() {
                    var expected = a
                    // Grey keeps luma alone.
                    if name.hasPrefix("GRAY") { (expected.y, expected.z) = (grey, grey) }
                    if !(from.hasAlpha && to.hasAlpha) { expected.w = to.hasAlpha ? to.opaque : b.w }
                    if from.alphaBits != to.alphaBits { expected.w = b.w }
                    guard expected != b else { continue }
                    Issue.record("\(from.name) -> \(to.name), pixel \(index), padding \(padding): \(b) for \(expected)")
                    return
                }
            }
        }
    }

    @Test(arguments: Format.likes.keys.sorted()) func samples(_ name: String) throws {
        let like = try #require(Format.likes[name])
        for color in [Color.sdr, .pq] {
            try check(name, like, color, ["chroma-mode": "nearest", "dither": "none"])
        }
    }

    /// Where caps name no colorimetry, grey gets full range, and colour made of grey gets the usual range of its
    /// format.
    @Test(arguments: [
        ("GRAY8", "1:3:5:1", "RGB", "1:1:5:1"), ("I420", "bt709", "GRAY8", "1:3:5:1"),
        ("RGB", "sRGB", "GRAY8", "1:3:7:1"),
        ("P010_10LE", "bt2100-pq", "GRAY8", "1:3:5:1"), ("P010_10LE", "bt2100-pq", "GRAY16_LE", "1:6:14:7"),
        ("GRAY16_LE", "1:6:14:7", "P010_10LE", "bt2100-pq"),
    ])
    func greyIsFullRange(_ from: String, _ color: String, _ to: String, _ expected: String) throws {
        let harness = try Harness(caps(from, color), to: want(to))
        #expect(harness.output("colorimetry") == expected)
    }
}
