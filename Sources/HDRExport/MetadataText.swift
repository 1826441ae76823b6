import HDRMetadata

/// The value of the setting `content-light-level-info`.
package enum LightLevelSetting: Equatable, Sendable {
    case fixed(ContentLightLevel)
    /// `auto`: levels are measured while writing.
    case measured
}

extension MasteringDisplay {
    /// Parses GStreamer's caps string `Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min`, in steps of 0.00002 and 0.0001 cd/m².
    package init(text: String) throws(ExportError) {
        let shown = String(text.prefix(96))
        func malformed(_ reason: String) -> ExportError { .masteringDisplay(shown, reason: reason) }
        let parts = text.prefix(256).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 10 else { throw malformed("it has \(parts.count) numbers instead of 10") }
        let numbers = parts.compactMap { UInt32($0) }
        guard numbers.count == 10 else { throw malformed("all of it must be whole numbers from 0 to 4294967295") }
        let coordinates = numbers.prefix(8).compactMap { UInt16(exactly: $0) }.filter { $0 <= 50000 }
        guard coordinates.count == 8 else { throw malformed("a chromaticity is over 1, which is 50000") }
        func point(_ index: Int) -> SIMD2<UInt16> { SIMD2(coordinates[2 * index], coordinates[2 * index + 1]) }
        self.init(
            red: point(0), green: point(1), blue: point(2), white: point(3), maximum: numbers[8], minimum: numbers[9])
        // In any RGB triangle red has the largest x and green the largest y. HEVC's own order is green, blue, red.
        guard red.x > green.x, red.x > blue.x, green.y > red.y, green.y > blue.y else {
            throw malformed("the primaries are not in the order red, green, blue")
        }
        if let defect { throw malformed(defect) }
    }
}

extension AmbientViewing {
    /// Parses `illuminance:x:y`, in steps of 0.0001 lux and 0.00002.
    package init(text: String) throws(ExportError) {
        let shown = String(text.prefix(96))
        let parts = text.prefix(64).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let illuminance = UInt32(parts[0]), let x = UInt16(parts[1]), let y = UInt16(parts[2])
        else { throw .ambientViewing(shown, reason: "it is not three whole numbers") }
        self.init(illuminance: illuminance, light: SIMD2(x, y))
        if let defect { throw .ambientViewing(shown, reason: defect) }
    }
}

extension LightLevelSetting {
    /// Parses GStreamer's caps string `MaxCLL:MaxFALL` in cd/m², or `auto`.
    package init(text: String) throws(ExportError) {
        if text == "auto" {
            self = .measured
            return
        }
        let shown = String(text.prefix(96))
        let parts = text.prefix(64).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let maximum = UInt16(parts[0]), let average = UInt16(parts[1]) else {
            throw .contentLightLevel(shown, reason: "it is not two whole numbers from 0 to 65535")
        }
        let level = ContentLightLevel(maximum: maximum, frameAverage: average)
        if let defect = level.defect { throw .contentLightLevel(shown, reason: defect) }
        self = .fixed(level)
    }

    /// The text of the setting's value.
    package var text: String {
        switch self {
        case .fixed(let level): level.text
        case .measured: "auto"
        }
    }
}
