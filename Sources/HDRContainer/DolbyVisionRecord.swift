/// The Dolby Vision decoder configuration record: box `dvcC`, `dvvC` or `dvwC` ("Dolby Vision Streams Within the ISO Base
/// Media File Format" section 3.2), and the same bytes in a Matroska BlockAdditionMapping.
package struct DolbyVisionRecord: Equatable, Sendable {
    package var majorVersion: UInt8
    package var minorVersion: UInt8
    /// 0...127.
    package var profile: UInt8
    /// 1...13: pixels a second.
    package var level: UInt8
    package var hasRPU: Bool
    package var hasEnhancementLayer: Bool
    package var hasBaseLayer: Bool
    /// Base layer signal compatibility: 0 none, 1 HDR10, 2 SDR, 4 HLG.
    package var compatibility: UInt8
    /// Metadata compression, 0...3.
    package var compression: UInt8

    package init(
        profile: UInt8, level: UInt8, compatibility: UInt8, hasRPU: Bool = true, hasEnhancementLayer: Bool = false,
        hasBaseLayer: Bool = true, compression: UInt8 = 0, majorVersion: UInt8 = 1, minorVersion: UInt8 = 0
    ) {
        self.majorVersion = majorVersion
        self.minorVersion = minorVersion
        self.profile = profile
        self.level = level
        self.hasRPU = hasRPU
        self.hasEnhancementLayer = hasEnhancementLayer
        self.hasBaseLayer = hasBaseLayer
        self.compatibility = compatibility
        self.compression = compression
    }

    /// From a box's payload; `nil` where it has less than five bytes.
    package init?(payload: [UInt8]) {
        guard payload.count >= 5 else { return nil }
        let fields = UInt16(payload[2]) << 8 | UInt16(payload[3])
        self.init(
            profile: UInt8(fields >> 9), level: UInt8(fields >> 3 & 0x3f), compatibility: payload[4] >> 4,
            hasRPU: fields & 4 != 0, hasEnhancementLayer: fields & 2 != 0, hasBaseLayer: fields & 1 != 0,
            compression: payload[4] >> 2 & 3, majorVersion: payload[0], minorVersion: payload[1])
    }

    /// 24 bytes.
    package var payload: [UInt8] {
        let fields =
            UInt16(profile & 0x7f) << 9 | UInt16(level & 0x3f) << 3 | (hasRPU ? 4 : 0)
            | (hasEnhancementLayer ? 2 : 0) | (hasBaseLayer ? 1 : 0)
        let start = [
            majorVersion, minorVersion, UInt8(fields >> 8), UInt8(truncatingIfNeeded: fields),
            (compatibility & 15) << 4 | (compression & 3) << 2,
        ]
        return start + [UInt8](repeating: 0, count: 19)
    }

    /// The box that profiles up to 7, up to 10 and above use.
    package var boxType: FourCC { profile > 10 ? .dvwC : profile > 7 ? .dvvC : .dvcC }

    /// Only a Dolby Vision decoder shows its picture, such as profile 5, whose IPT-PQ-C2 others take for Y'CbCr. Profile 7
    /// has an HDR10 base and profiles 4 and 9 an SDR one, even where an old writer left the compatibility 0.
    package var needsDolbyVision: Bool { compatibility == 0 && ![4, 7, 9].contains(profile) }

    static let boxTypes: Set<FourCC> = [.dvcC, .dvvC, .dvwC]
}

extension DolbyVisionRecord {
    /// Levels by pixels a second and width: "Dolby Vision Profiles and Levels", section 3. Where the rate is not known, 30
    /// frames a second are taken.
    package static func level(width: Int, height: Int, framesPerSecond: Double?) -> UInt8 {
        let rate = Double(width) * Double(height) * (framesPerSecond ?? 30)
        let levels: [(width: Int, rate: Double)] = [
            (1280, 1280 * 720 * 24), (1280, 1280 * 720 * 30), (1920, 1920 * 1080 * 24), (2560, 1920 * 1080 * 30),
            (3840, 1920 * 1080 * 60), (3840, 3840 * 2160 * 24), (3840, 3840 * 2160 * 30), (3840, 3840 * 2160 * 48),
            (3840, 3840 * 2160 * 60), (3840, 3840 * 2160 * 120), (7680, 7680 * 4320 * 30), (7680, 7680 * 4320 * 60),
        ]
        let side = max(width, height)
        // Rates like 30000/1001 and clocks that are not quite exact stay in their level.
        let found = levels.firstIndex { side <= $0.width && rate <= $0.rate * 1.01 }
        return UInt8((found ?? levels.count) + 1)
    }

    /// The record of single-layer video that has none, from what its bitstream tells; `nil` where that is not enough.
    /// - Parameter transfer: ISO/IEC 23091-2, of the base layer.
    package init?(profile: UInt8, transfer: UInt8, width: Int, height: Int, framesPerSecond: Double?) {
        guard width > 0, height > 0 else { return nil }
        let compatibility: UInt8
        switch (profile, transfer) {
        case (5, _): compatibility = 0
        case (8, 16): compatibility = 1
        case (8, 18): compatibility = 4
        case (8, 1): compatibility = 2
        default: return nil
        }
        self.init(
            profile: profile, level: Self.level(width: width, height: height, framesPerSecond: framesPerSecond),
            compatibility: compatibility)
    }
}
