/// Mastering display colour volume: SMPTE ST 2086.
public struct MasteringDisplay: Equatable, Sendable {
    /// CIE 1931 x, y of red, green, blue and white, in steps of 0.00002.
    public var red: SIMD2<UInt16>
    public var green: SIMD2<UInt16>
    public var blue: SIMD2<UInt16>
    public var white: SIMD2<UInt16>
    /// Luminances in steps of 0.0001 cd/m².
    public var maximum: UInt32
    public var minimum: UInt32

    public init(
        red: SIMD2<UInt16>, green: SIMD2<UInt16>, blue: SIMD2<UInt16>, white: SIMD2<UInt16>, maximum: UInt32,
        minimum: UInt32
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
        self.maximum = maximum
        self.minimum = minimum
    }

    public static let luminanceStep = 0.0001

    /// Peak luminance in cd/m².
    public var peak: Double { Double(maximum) * Self.luminanceStep }

    /// Why the peak cannot be believed, or `nil`.
    public var defect: String? {
        if maximum == 0 { return "mastering display peak is 0" }
        if peak > 10000 { return "mastering display peak is over 10000 cd/m2" }
        if minimum >= maximum { return "mastering display black is not below its peak" }
        return nil
    }

    /// The volume cut at a peak in cd/m².
    public func limited(to peak: Double) -> MasteringDisplay {
        var result = self
        let limit = UInt32((peak > 0 ? min(peak, 10000) : 0) / Self.luminanceStep)
        result.maximum = min(maximum, limit)
        result.minimum = min(minimum, result.maximum)
        return result
    }
}
