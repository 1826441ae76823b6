import CGStreamer
import CGstCheck
import HDRColor
import Testing

/// `inverse-tone-mapping=auto` with measured highlights: small ones reach for the peak, a white page does not dazzle.
@Suite(.quiet)
struct HighlightShareTests {
    private static let size = (width: 256, height: 144)
    private static let frame: GstClockTime = 40_000_000
    private static let grey: UInt16 = 120
    private static let white: UInt16 = 235

    /// Grey, of which so many of the left columns are white.
    private static func picture(whiteColumns: Int) -> PictureCodes {
        PictureCodes(size.width, size.height) { x, _ in SIMD4(x < whiteColumns ? white : grey, 128, 128, .max) }
    }

    /// The luma codes of the first and the last column, by picture.
    private static func convert(
        _ pictures: [PictureCodes], _ properties: [String: String] = [:]
    ) throws -> (codes: [(white: Int, grey: Int)], harness: Harness) {
        let harness = try Harness(
            ["inverse-tone-mapping": "auto", "dither": "none", "quality": "reference"].merging(properties) { $1 })
        gst_harness_set_live(harness.harness, 0)
        try #require(
            harness.negotiate(
                caps("Y444", "bt709", size.width, size.height), to: want("Y444_10LE", "bt2100-pq")))
        for (index, picture) in pictures.enumerated() {
            let buffer = try Buffer(picture, try harness.inputInfo())
            buffer.pointer.pointee.pts = GstClockTime(index) * frame
            buffer.pointer.pointee.duration = frame
            try #require(harness.push(buffer) == GST_FLOW_OK)
        }
        harness.send(gst_event_new_eos())
        var codes: [(white: Int, grey: Int)] = []
        while let buffer = harness.pull() {
            func code(_ column: Int) -> Int { Int(buffer.bytes[2 * column]) | Int(buffer.bytes[2 * column + 1]) << 8 }
            codes.append((code(0), code(size.width - 1)))
        }
        return (codes, harness)
    }

    private static func code(_ light: Double) -> Double { 64 + 876 * PQ.inverseEOTF(light) }

    /// SDR white becomes what the definition makes of the share, in every picture of the scene.
    @Test(arguments: [4, 32, 128, 256]) func whiteFollowsTheShare(_ columns: Int) throws {
        let (codes, _) = try Self.convert(Array(repeating: Self.picture(whiteColumns: columns), count: 6))
        try #require(codes.count == 6)
        let share = Double(columns) / Double(Self.size.width)
        let expected = Self.code(HighlightExpansion(white: 203.0, peak: 1000, highlightShare: share)(203))
        for code in codes { #expect(abs(Double(code.white) - expected) <= 2, "\(code), \(expected)") }
    }

    /// What is below 70 % of the signal stays, whatever the share.
    @Test func greyStays() throws {
        let expected = Self.code(SDR.bt1886(Double(Self.grey - 16) / 219) * 203)
        for columns in [4, 200] {
            let (codes, _) = try Self.convert([Self.picture(whiteColumns: columns)])
            #expect(abs(Double(try #require(codes.first).grey) - expected) <= 1, "\(codes), \(expected)")
        }
    }

    /// Without detection the share is the usual one.
    @Test func withoutDetectionNothingIsMeasured() throws {
        let expected = Self.code(HighlightExpansion(white: 203.0, peak: 1000)(203))
        for columns in [4, 200] {
            let (codes, harness) = try Self.convert(
                [Self.picture(whiteColumns: columns)], ["peak-detection": "off"])
            #expect(abs(Double(try #require(codes.first).white) - expected) <= 1, "\(codes), \(expected)")
            #expect(harness.structures("hdr-light").isEmpty)
        }
    }

    /// A scene keeps its share from its first picture to its last, and the next one has its own from its first on.
    @Test func eachSceneHasItsOwn() throws {
        let lamp = Array(repeating: Self.picture(whiteColumns: 8), count: 8)
        let page = Array(repeating: Self.picture(whiteColumns: 224), count: 8)
        let (codes, harness) = try Self.convert(lamp + page)
        try #require(codes.count == 16)
        #expect(Set(codes[..<8].map(\.white)).count == 1 && Set(codes[8...].map(\.white)).count == 1, "\(codes)")
        #expect(codes[0].white > codes[8].white + 40, "\(codes)")
        #expect(harness.structures("hdr-light").filter { $0["new-scene"] == 1 }.count == 2)
        #expect(harness.structures("hdr-scene").isEmpty)
    }
}
