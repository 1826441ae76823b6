import MetadataTestSupport
import Testing

@testable import HDRInspection
@testable import HDRMetadata

@Suite struct MasteringGamutTests {
    private let p3 = MetadataFixture.display

    private func display(_ red: SIMD2<UInt16>, _ green: SIMD2<UInt16>, _ blue: SIMD2<UInt16>) -> MasteringDisplay {
        var result = p3
        (result.red, result.green, result.blue) = (red, green, blue)
        return result
    }

    @Test func knownGamutsAreNamed() {
        #expect(p3.gamutName == "Display P3")
        #expect(SignalFixture.bt2020Display.gamutName == "BT.2020")
        var cinema = p3
        cinema.white = SIMD2(15700, 17550)
        #expect(cinema.gamutName == "DCI-P3")
        var near = p3
        near.white.x -= 1
        near.red.y += 2
        #expect(near.gamutName == "Display P3", "floating point costs a step or two")
        near.red.x -= 500
        #expect(near.gamutName == nil)
        #expect(near.chromaticityDefects.isEmpty, "a display of its own is no defect")
    }

    /// Each wrong order of the three primaries is recognized, and can be set right.
    @Test func wrongOrders() {
        let (r, g, b) = (p3.red, p3.green, p3.blue)
        #expect(p3.chromaticityDefects.isEmpty && p3.reordered == nil)
        // The fields are read in the order green, blue, red.
        let orders: [(MasteringDisplay, String)] = [
            (display(b, r, g), "shifted: red, green, blue was"), (display(g, b, r), "shifted: blue, red, green was"),
            (display(g, r, b), "red and green are swapped"), (display(r, b, g), "green and blue are swapped"),
            (display(b, g, r), "red and blue are swapped"),
        ]
        for (wrong, words) in orders {
            #expect(wrong.chromaticityDefects.count == 1)
            #expect(wrong.chromaticityDefects.first?.contains(words) == true, "\(wrong.chromaticityDefects)")
            #expect(wrong.chromaticityDefects.first?.contains("those of Display P3") == true)
            #expect(wrong.reordered == p3)
        }
    }

    @Test func impossiblePoints() {
        let zero = display(.zero, .zero, .zero)
        #expect(
            zero.chromaticityDefects == [
                "mastering red has y = 0", "mastering green has y = 0", "mastering blue has y = 0",
            ])
        var all = zero
        all.white = .zero
        #expect(all.chromaticityDefects == ["mastering primaries are 0"])
        #expect(
            display(SIMD2(65535, 65535), p3.green, p3.blue).chromaticityDefects == ["mastering red has x + y over 1"])
        let line = display(SIMD2(30000, 10000), SIMD2(10000, 30000), SIMD2(35000, 5000))
        #expect(line.chromaticityDefects == ["mastering primaries lie on a line"])
        var white = p3
        white.white = SIMD2(35000, 14000)
        #expect(white.chromaticityDefects == ["mastering white lies outside of its primaries"])
    }

    @Test func decimalsAreExact() {
        #expect(DecimalText(15635 * 2, decimals: 5).description == "0.3127")
        #expect(DecimalText(1, decimals: 4).description == "0.0001")
        #expect(DecimalText(10_000_000, decimals: 4).description == "1000")
        #expect(DecimalText(0, decimals: 4).description == "0")
        #expect(DecimalText(-1500, decimals: 3).description == "-1.5")
        #expect(DecimalText(UInt32.max, decimals: 4).description == "429496.7295")
        #expect(DecimalText(Int64.min, decimals: 0).description == "-9223372036854775808")
        #expect(p3.luminanceText == "0.005 to 1000 cd/m²")
        #expect(MetadataFixture.ambient.illuminanceText == "314 lx")
    }
}
