/// Mastering display colour volume: SMPTE ST 2086.
package struct MasteringDisplay: Equatable, Sendable {
    /// CIE 1931 x, y of red, green, blue and white, in steps of 0.00002.
    package var red: SIMD2<UInt16>
    package var green: SIMD2<UInt16>
    package var blue: SIMD2<UInt16>
    package var white: SIMD2<UInt16>
    /// Luminances in steps of 0.0001 cd/m².
    package var maximum: UInt32
    package var minimum: UInt32

    package init(
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

    package static let luminanceStep = 0.0001

    /// Peak luminance in cd/m².
    package var peak: Double { Double(maximum) * Self.luminanceStep }

    /// Why the values are not credible; `nil` where they are.
    package var defect: String? {
        if maximum == 0 { return "mastering display peak is 0" }
        if peak > 10000 { return "mastering display peak is over 10000 cd/m2" }
        if minimum >= maximum { return "mastering display black is not below its peak" }
        // Of a writer that counts in other steps, or a reader that takes a part of the number.
        if peak < 1 { return "mastering display peak is below 1 cd/m2" }
        return nil
    }

    /// The volume clamped to a peak in cd/m².
    package func limited(to peak: Double) -> MasteringDisplay {
        var result = self
        let limit = UInt32((peak > 0 ? min(peak, 10000) : 0) / Self.luminanceStep)
        result.maximum = min(maximum, limit)
        result.minimum = min(minimum, result.maximum)
        return result
    }

    /// Whether this is what qtdemux of GStreamer 1.26 or 1.28 makes of an `mdcv` box: its primaries, which are in the
    /// order green, blue, red, as if they were red, green, blue; 1.26 takes the upper halves of its luminances too.
    package func isMisreading(of box: MasteringDisplay) -> Bool {
        var misread = box
        (misread.red, misread.green, misread.blue) = (box.green, box.blue, box.red)
        if self == misread { return true }
        (misread.maximum, misread.minimum) = (box.maximum >> 16, box.minimum >> 16)
        return self == misread || self == misread.withRedFirst
    }

    /// The volume with its primaries in the order red, green, blue, where they are in that of boxes and SEI messages:
    /// green, blue, red. A red has the largest x of the three, and a green the largest y.
    package var withRedFirst: MasteringDisplay {
        var turned = self
        (turned.red, turned.green, turned.blue) = (blue, red, green)
        return !hasRedFirst && turned.hasRedFirst ? turned : self
    }

    private var hasRedFirst: Bool {
        red.x > green.x && red.x > blue.x && green.y > red.y && green.y > blue.y
    }

    /// Whether no value differs by more than one step, the error of readers that truncate in place of rounding.
    package func isNear(_ other: MasteringDisplay) -> Bool {
        let points = zip([red, green, blue, white], [other.red, other.green, other.blue, other.white])
        let isNear = points.allSatisfy { own, other in
            abs(Int(own.x) - Int(other.x)) <= 1 && abs(Int(own.y) - Int(other.y)) <= 1
        }
        return isNear && abs(Int(maximum) - Int(other.maximum)) <= 1 && abs(Int(minimum) - Int(other.minimum)) <= 1
    }
}
