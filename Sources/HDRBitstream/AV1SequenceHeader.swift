import HDRMetadata

/// The picture format in an AV1 sequence header: AV1 specification 5.5, up to color_config().
struct AV1SequenceHeader: Equatable {
    /// The profile: 0 Main, 1 High, 2 Professional.
    let profile: UInt8
    /// seq_level_idx of the first operating point.
    let level: UInt8
    let width: Int
    let height: Int
    let bitDepth: UInt8
    /// The chroma format by the values of chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    let chromaFormat: UInt8
    let color: ColorDescription

    /// Reads the payload of an OBU of type 1.
    init(payload: [UInt8]) throws(BitstreamError) {
        var reader = RBSPReader(all: payload, name: "AV1 sequence header")
        profile = UInt8(truncatingIfNeeded: try reader.bits(3))
        guard profile <= 2 else { throw reader.failure("has profile \(profile), which is reserved") }
        try reader.skip(1)
        let isReduced = try reader.flag()
        level = isReduced ? UInt8(truncatingIfNeeded: try reader.bits(5)) : try Self.readOperatingPoints(&reader)
        let widthBits = 1 + Int(try reader.bits(4))
        let heightBits = 1 + Int(try reader.bits(4))
        width = 1 + Int(try reader.bits(widthBits))
        height = 1 + Int(try reader.bits(heightBits))
        try Self.skipTools(&reader, isReduced: isReduced)
        (bitDepth, chromaFormat, color) = try Self.readColor(&reader, profile: profile)
    }

    var profileName: String {
        switch profile {
        case 0: "Main"
        case 1: "High"
        default: "Professional"
        }
    }

    /// Annex A.3: X.Y, where the index is 4 (X - 2) + Y; 31 sets no limit.
    var levelName: String { level == 31 ? "maximum" : "\(2 + level / 4).\(level % 4)" }

    /// The level of the first operating point.
    private static func readOperatingPoints(_ reader: inout RBSPReader) throws(BitstreamError) -> UInt8 {
        var delayBits: Int?
        if try reader.flag() {
            try reader.skip(64)
            if try reader.flag() { _ = try reader.unsigned() }
            if try reader.flag() {
                delayBits = 1 + Int(try reader.bits(5))
                try reader.skip(42)
            }
        }
        let hasInitialDelay = try reader.flag()
        var first: UInt8 = 0
        for index in 0...(try reader.bits(5)) {
            try reader.skip(12)
            let level = UInt8(truncatingIfNeeded: try reader.bits(5))
            if index == 0 { first = level }
            if level > 7 { try reader.skip(1) }
            if let delayBits, try reader.flag() { try reader.skip(2 * delayBits + 1) }
            if hasInitialDelay, try reader.flag() { try reader.skip(4) }
        }
        return first
    }

    /// Skips the syntax from frame_id_numbers_present_flag to enable_restoration.
    private static func skipTools(_ reader: inout RBSPReader, isReduced: Bool) throws(BitstreamError) {
        if !isReduced, try reader.flag() { try reader.skip(7) }
        try reader.skip(3)
        if !isReduced {
            try reader.skip(4)
            let hasOrderHint = try reader.flag()
            if hasOrderHint { try reader.skip(2) }
            // seq_choose_screen_content_tools, else whether they are forced on or off.
            let mayUseScreenTools = try reader.flag() ? true : try reader.flag()
            if mayUseScreenTools, try !reader.flag() { try reader.skip(1) }
            if hasOrderHint { try reader.skip(3) }
        }
        try reader.skip(3)
    }

    /// color_config(), 5.5.2.
    private static func readColor(
        _ reader: inout RBSPReader, profile: UInt8
    ) throws(BitstreamError) -> (depth: UInt8, chroma: UInt8, ColorDescription) {
        let isHigh = try reader.flag()
        let isTwelve = profile == 2 && isHigh ? try reader.flag() : false
        let depth: UInt8 = isTwelve ? 12 : isHigh ? 10 : 8
        let isMonochrome = profile == 1 ? false : try reader.flag()
        var color = ColorDescription.unspecified
        if try reader.flag() {
            color.primaries = try reader.byte()
            color.transfer = try reader.byte()
            color.matrix = try reader.byte()
        }
        if !isMonochrome, (color.primaries, color.transfer, color.matrix) == (1, 13, 0) {
            color.isFullRange = true
            return (depth, 3, color)
        }
        color.isFullRange = try reader.flag()
        if isMonochrome { return (depth, 0, color) }
        let chroma: UInt8
        switch profile {
        case 0: chroma = 1
        case 1: chroma = 3
        default:
            if !isTwelve {
                chroma = 2
            } else if try !reader.flag() {
                chroma = 3
            } else {
                chroma = try reader.flag() ? 1 : 2
            }
        }
        if chroma == 1 {
            // chroma_sample_position: 1 beside the luma sample's left edge, 2 with the top left luma sample.
            switch try reader.bits(2) {
            case 1: color.chromaLocation = 0
            case 2: color.chromaLocation = 2
            default: break
            }
        }
        return (depth, chroma, color)
    }
}
