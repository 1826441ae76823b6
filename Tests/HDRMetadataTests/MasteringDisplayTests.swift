import Testing

@testable import HDRMetadata

@Suite struct MasteringDisplayTests {
    private static let display = MasteringDisplay(
        red: SIMD2(34000, 16000), green: SIMD2(13250, 34500), blue: SIMD2(7500, 3000), white: SIMD2(15635, 16450),
        maximum: 10_000_000, minimum: 50)

    /// The values that qtdemux of GStreamer 1.26.2 puts into caps.
    @Test func aMisreadBoxIsKnown() {
        let misread = MasteringDisplay(
            red: SIMD2(13250, 34500), green: SIMD2(7500, 3000), blue: SIMD2(34000, 16000), white: SIMD2(15635, 16450),
            maximum: 152, minimum: 0)
        #expect(misread.isMisreading(of: Self.display))
        #expect(!Self.display.isMisreading(of: Self.display) && !misread.isMisreading(of: misread))
        #expect(misread.withRedFirst.isMisreading(of: Self.display))
        #expect(misread.defect == "mastering display peak is below 1 cd/m2" && Self.display.defect == nil)
    }

    /// The values of GStreamer 1.28.
    @Test func primariesThatBeginWithGreenAreTurned() {
        var misread = Self.display
        (misread.red, misread.green, misread.blue) = (Self.display.green, Self.display.blue, Self.display.red)
        #expect(misread.isMisreading(of: Self.display) && misread.withRedFirst == Self.display)
        #expect(Self.display.withRedFirst == Self.display)
        // Primaries without a plausible order stay as they are.
        let grey = MasteringDisplay(
            red: SIMD2(1, 2), green: SIMD2(3, 4), blue: SIMD2(5, 6), white: SIMD2(7, 8), maximum: 10_000_000,
            minimum: 50)
        #expect(grey.withRedFirst == grey)
    }
}
