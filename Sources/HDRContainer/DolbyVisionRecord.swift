import HDRMetadata

/// The Dolby Vision decoder configuration record: box `dvcC`, `dvvC` or `dvwC` ("Dolby Vision Streams Within the ISO
/// Base Media File Format" section 3.2), and the same bytes in a Matroska BlockAdditionMapping.
///
/// The record is stored as its bytes: one that was read is written again unchanged, including reserved bits and the box
/// type.
package struct DolbyVisionRecord: Equatable, Sendable {
    /// The box's payload: 24 bytes for a record that was made here, five or more for one that was read.
    package let payload: [UInt8]
    /// The type of the box that it was read from, or that its profile uses.
    package let boxType: FourCC

    /// - Parameters:
    ///   - profile: the profile, 0...127.
    ///   - level: the level, 1...13, which limits the pixels per second.
    ///   - compatibility: the compatibility of the base layer's signal: 0 none, 1 HDR10, 2 SDR, 4 HLG.
    ///   - compression: the compression of the metadata, 0...3.
    package init(
        profile: UInt8, level: UInt8, compatibility: UInt8, hasRPU: Bool = true, hasEnhancementLayer: Bool = false,
        hasBaseLayer: Bool = true, compression: UInt8 = 0, majorVersion: UInt8 = 1, minorVersion: UInt8 = 0
    ) {
        let fields =
            UInt16(profile & 0x7f) << 9 | UInt16(level & 0x3f) << 3 | (hasRPU ? 4 : 0)
            | (hasEnhancementLayer ? 2 : 0) | (hasBaseLayer ? 1 : 0)
        let start = [
            majorVersion, minorVersion, UInt8(fields >> 8), UInt8(truncatingIfNeeded: fields),
            (compatibility & 15) << 4 | (compression & 3) << 2,
        ]
        payload = start + [UInt8](repeating: 0, count: 19)
        boxType = Self.boxType(profile: profile)
    }

    /// Reads a box's payload; `nil` where it has less than five bytes.
    /// - Parameter boxType: the type of the box; `nil` for the type that the record's profile uses.
    package init?(payload: [UInt8], boxType: FourCC? = nil) {
        guard payload.count >= 5 else { return nil }
        self.payload = payload
        self.boxType = boxType ?? Self.boxType(profile: payload[2] >> 1)
    }

    /// The type of the box: `dvcC` for profiles up to 7, `dvvC` for profiles up to 10, and `dvwC` above.
    private static func boxType(profile: UInt8) -> FourCC { profile > 10 ? "dvwC" : profile > 7 ? "dvvC" : "dvcC" }

    static let boxTypes: Set<FourCC> = ["dvcC", "dvvC", "dvwC"]

    // MARK: Fields

    package var majorVersion: UInt8 { payload[0] }
    package var minorVersion: UInt8 { payload[1] }
    /// The profile, 0...127.
    package var profile: UInt8 { payload[2] >> 1 }
    /// The level, 1...13, which limits the pixels per second.
    package var level: UInt8 { (payload[2] & 1) << 5 | payload[3] >> 3 }
    package var hasRPU: Bool { payload[3] & 4 != 0 }
    package var hasEnhancementLayer: Bool { payload[3] & 2 != 0 }
    package var hasBaseLayer: Bool { payload[3] & 1 != 0 }
    /// The compatibility of the base layer's signal: 0 none, 1 HDR10, 2 SDR, 4 HLG.
    package var compatibility: UInt8 { payload[4] >> 4 }
    /// The compression of the metadata, 0...3.
    package var compression: UInt8 { payload[4] >> 2 & 3 }

    /// Whether only a Dolby Vision decoder can show the picture, as for profile 5, whose IPT-PQ-C2 other decoders would
    /// take for Y'CbCr. Profile 7 has an HDR10 base layer and profiles 4 and 9 an SDR one, even where an old writer
    /// left the compatibility 0.
    package var needsDolbyVision: Bool { compatibility == 0 && ![4, 7, 9].contains(profile) }

    /// Whether the record permits the base layer to have that transfer function.
    /// - Parameter transfer: TransferCharacteristics of ISO/IEC 23091-2: 16 is PQ, 18 HLG.
    package func fits(transfer: UInt8) -> Bool {
        switch compatibility {
        case 1: transfer == 16
        case 2: transfer != 16 && transfer != 18
        case 4: transfer == 18
        default: true
        }
    }
}

extension DolbyVisionRecord {
    /// The level for a width and a number of pixels per second: "Dolby Vision Profiles and Levels", section 3. Where
    /// the frame rate is not known, 30 frames per second are assumed.
    package static func level(width: Int, height: Int, framesPerSecond: Double?) -> UInt8 {
        let rate = Double(width) * Double(height) * (framesPerSecond ?? 30)
        let levels: [(width: Int, rate: Double)] = [
            (1280, 1280 * 720 * 24), (1280, 1280 * 720 * 30), (1920, 1920 * 1080 * 24), (2560, 1920 * 1080 * 30),
            (3840, 1920 * 1080 * 60), (3840, 3840 * 2160 * 24), (3840, 3840 * 2160 * 30), (3840, 3840 * 2160 * 48),
            (3840, 3840 * 2160 * 60), (3840, 3840 * 2160 * 120), (7680, 7680 * 4320 * 30), (7680, 7680 * 4320 * 60),
        ]
        let side = max(width, height)
        // The tolerance keeps rates such as 30000/1001, and those of clocks that are not quite exact, in their level.
        let found = levels.firstIndex { side <= $0.width && rate <= $0.rate * 1.01 }
        return UInt8((found ?? levels.count) + 1)
    }

    /// A record for single-layer video that has none, from its bitstream; `nil` where the bitstream has too little
    /// information.
    /// - Parameters:
    ///   - transfer: the transfer characteristics of the base layer, as in ISO/IEC 23091-2.
    ///   - needsDolbyVision: whether the base layer is in IPTPQc2, as that of profile 5 always is.
    package init?(
        profile: UInt8, transfer: UInt8, needsDolbyVision: Bool = false, width: Int, height: Int,
        framesPerSecond: Double?
    ) {
        guard width > 0, height > 0 else { return nil }
        let isAlone = profile == 5 || profile == 10 && needsDolbyVision
        let compatibility = isAlone ? 0 : DolbyVisionCompatibility.identifier(transfer: transfer)
        guard isAlone || (profile == 8 || profile == 10) && compatibility != 0 else { return nil }
        self.init(
            profile: profile, level: Self.level(width: width, height: height, framesPerSecond: framesPerSecond),
            compatibility: compatibility)
    }
}
