import CGStreamer
import TestSupport
import Testing

/// `contrast-recovery` of the element: where it acts, and that nothing but the picture decides what it makes.
@Suite(.quiet) struct ContrastRecoveryTests {
    static let sdr = want("NV12", "bt709")

    /// A bright picture with detail everywhere.
    static func picture(_ width: Int, _ height: Int) -> PictureCodes {
        var random = SeededGenerator(seed: 5)
        return PictureCodes(width, height) { x, y in
            SIMD4(
                UInt16(450 + (x * 2 + y) % 200 + Int.random(in: 0...60, using: &random)), UInt16(480 + x % 60),
                UInt16(490 + y % 50), 1023)
        }
    }

    static func converted(
        _ properties: [String: String], _ width: Int = 150, _ height: Int = 134, from source: String = "P010_10LE",
        _ colorimetry: String = "bt2100-pq", to target: String = sdr, more: String = ""
    ) throws -> [UInt8] {
        let harness = try Harness(
            caps(source, colorimetry, width, height, more: more), to: target,
            ["tone-mapping": "bt2390", "dither": "none"].merging(properties) { $1 })
        let input = try Buffer(picture(width, height), try harness.inputInfo())
        if !more.isEmpty { input.flags |= GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue }
        return try harness.convert(input).bytes
    }

    @Test(arguments: ["fast", "balanced", "reference"], ["bt2100-pq", "bt2100-hlg"])
    func threadsChangeNothing(_ quality: String, _ colorimetry: String) throws {
        let properties = ["quality": quality, "contrast-recovery": "0.5"]
        let one = try Self.converted(properties.merging(["n-threads": "1"]) { $1 }, from: "P010_10LE", colorimetry)
        for threads in ["2", "3", "7"] {
            let several = try Self.converted(
                properties.merging(["n-threads": threads]) { $1 }, from: "P010_10LE", colorimetry)
            #expect(several == one, "\(threads)")
        }
        #expect(one != (try Self.converted(["quality": quality], from: "P010_10LE", colorimetry)))
    }

    /// By default local contrast is recovered where the element chooses the curve and follows the scene, and nowhere
    /// else.
    @Test func theDefaultIsAStrengthWhereNothingIsNamed() throws {
        for (properties, strength) in [
            (["tone-mapping": "auto"], "0.35"), (["tone-mapping": "auto", "peak-detection": "off"], "0"),
            (["tone-mapping": "bt2390"], "0"), (["tone-mapping": "reference-white"], "0"),
        ] {
            let usual = try Self.converted(properties)
            #expect(usual == (try Self.converted(properties.merging(["contrast-recovery": strength]) { $1 })))
            let other = strength == "0" ? "0.35" : "0"
            #expect(usual != (try Self.converted(properties.merging(["contrast-recovery": other]) { $1 })))
        }
    }

    /// Fine lines have the same light wherever they lie among the cells, and whichever way they run.
    @Test(arguments: [2, 4, 8], [true, false]) func linesDoNotFlicker(_ period: Int, _ isAcross: Bool) throws {
        let size = 128
        let means = try (0..<period).map { shift in
            let harness = try Harness(
                caps("P010_10LE", "bt2100-pq", size, size), to: Self.sdr,
                ["tone-mapping": "bt2390", "dither": "none", "contrast-recovery": "1", "source-peak": "1000"])
            let picture = PictureCodes(size, size) { x, y in
                let isBright = ((isAcross ? y : x) + shift) % period < period / 2
                return SIMD4(isBright ? 700 : 500, 512, 512, .max)
            }
            let bytes = try harness.convert(try Buffer(picture, try harness.inputInfo())).bytes
            let middle = (32..<96).flatMap { y in bytes[y * size + 32..<y * size + 96].map { Int($0) } }
            return Double(middle.reduce(0, +)) / Double(middle.count)
        }
        let (lowest, highest) = (try #require(means.min()), try #require(means.max()))
        #expect(highest - lowest < 0.1, "\(means)")
    }

    /// Small and odd pictures, of formats that are rearranged on their way, with the peak that is measured.
    @Test(arguments: ["P010_10LE", "I420_10BE", "Y210", "v210", "GBR_10LE", "RGBA64_LE", "GRAY16_LE"])
    func everySizeAndFormat(_ format: String) throws {
        let isRGB = format.hasPrefix("GBR") || format.hasPrefix("RGB")
        let colorimetry = isRGB ? "1:1:14:7" : "bt2100-pq"
        for (width, height) in [(1, 1), (2, 1), (5, 3), (33, 18)] {
            for detection in ["off", "auto"] {
                func made(threads: String) throws -> PictureCodes {
                    let harness = try Harness(
                        caps(format, colorimetry, width, height), to: Self.sdr,
                        [
                            "tone-mapping": "bt2390", "dither": "none", "contrast-recovery": "1",
                            "peak-detection": detection, "n-threads": threads,
                        ])
                    return try harness.convert(Self.picture(width, height))
                }
                let one = try made(threads: "1")
                #expect(one.pixels.count == width * height)
                #expect(try made(threads: "3") == one, "\(width)x\(height), \(detection)")
            }
        }
    }

    /// Fields are pictures of their own: a picture whose fields differ is no mixture of them.
    @Test func fieldsAreSeparate() throws {
        let properties = ["contrast-recovery": "1", "n-threads": "3"]
        let (width, height) = (64, 48)
        let harness = try Harness(
            caps("I420_10LE", "bt2100-pq", width, height, more: "interlace-mode=interleaved"),
            to: want("Y444_10LE", "bt709"),
            ["tone-mapping": "bt2390", "dither": "none"].merging(properties) { $1 })
        let stripes = PictureCodes(width, height) { x, y in SIMD4(y % 2 == 0 ? 690 : 100, 512, 512, 1023) }
        let input = try Buffer(stripes, try harness.inputInfo())
        input.flags |= GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue
        let output = try harness.convert(input).bytes
        let plain = try Harness(
            caps("I420_10LE", "bt2100-pq", width, height / 2), to: want("Y444_10LE", "bt709"),
            ["tone-mapping": "bt2390", "dither": "none"])
        for (parity, code) in [(0, UInt16(690)), (1, 100)] {
            let field = try Buffer(
                PictureCodes(width, height / 2, code, 512, 512), try plain.inputInfo())
            let expected = try plain.convert(field).bytes
            // A flat field has one gain, which is the curve's own.
            for y in 0..<height / 2 {
                let row = 2 * width * (2 * y + parity)
                #expect(output[row..<row + 2 * width] == expected[2 * width * y..<2 * width * (y + 1)], "row \(y)")
            }
        }
    }

    /// Where a curve has no gain, or nothing is compressed, it changes nothing.
    @Test func whereItDoesNotAct() throws {
        for properties in [
            ["tone-mapping": "bt2446a"], ["tone-mapping": "clip"], ["tone-mapping": "bt2446c"],
            ["tone-mapping": "none"],
            ["tone-mapping-domain": "rgb"], ["tone-mapping-domain": "ictcp"], ["source-peak": "100"],
        ] {
            let with = try Self.converted(properties.merging(["contrast-recovery": "1"]) { $1 })
            #expect(with == (try Self.converted(properties)), "\(properties)")
        }
        for inverse in ["none", "spline", "auto"] {
            let properties = ["tone-mapping": "auto", "inverse-tone-mapping": inverse]
            func made(_ more: [String: String]) throws -> [UInt8] {
                try Self.converted(
                    properties.merging(more) { $1 }, from: "I420_10LE", "bt709", to: want("P010_10LE", "bt2100-pq"))
            }
            #expect(try made(["contrast-recovery": "1"]) == made([:]), "\(inverse)")
        }
        // Passing through goes on.
        let same = try Self.converted(
            ["contrast-recovery": "1", "tone-mapping": "bt2390"], to: want("P010_10LE", "bt2100-pq"))
        #expect(same == (try Self.converted([:], to: want("P010_10LE", "bt2100-pq"))))
    }

    @Test func noneIsAsWithoutTheProperty() throws {
        for quality in ["fast", "balanced"] {
            let none = try Self.converted(["contrast-recovery": "0", "quality": quality])
            #expect(none == (try Self.converted(["quality": quality])))
        }
    }
}
