/// The ambient viewing environment, the light in which the picture is meant to be viewed: SEI 148 of H.265 D.2.39, box
/// `amve` of ISO/IEC 14496-12.
package struct AmbientViewing: Equatable, Sendable {
    /// Illuminance of the surroundings in steps of 0.0001 lux; 0 is not allowed.
    package var illuminance: UInt32
    /// CIE 1931 x, y of the surrounding light, in steps of 0.00002; at most 50000.
    package var light: SIMD2<UInt16>

    package init(illuminance: UInt32, light: SIMD2<UInt16>) {
        self.illuminance = illuminance
        self.light = light
    }

    package static let illuminanceStep = 0.0001

    /// Illuminance of the surroundings in lux.
    package var lux: Double { Double(illuminance) * Self.illuminanceStep }

    /// Why the values are not credible; `nil` where they are.
    package var defect: String? {
        if illuminance == 0 { return "ambient illuminance is 0" }
        if light.x > 50000 || light.y > 50000 { return "ambient light is over 1.0 in x or y" }
        return nil
    }
}
