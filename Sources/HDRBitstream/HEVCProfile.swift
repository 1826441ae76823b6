/// profile_tier_level() of H.265 7.3.3, its general part.
package struct HEVCProfile: Equatable, Sendable {
    /// general_profile_space and general_profile_idc.
    package let space: UInt8
    package let code: UInt8
    package let isHighTier: Bool
    /// general_profile_compatibility_flag 0...31, flag 0 in the highest bit.
    package let compatibility: UInt32
    /// The 48 bits between the compatibility flags and the level, in the lowest bits.
    package let constraints: UInt64
    /// general_level_idc: thirty times the level's number.
    package let level: UInt8

    init(
        space: UInt8, isHighTier: Bool, code: UInt8, compatibility: UInt32, constraints: UInt64, level: UInt8
    ) {
        self.space = space
        self.isHighTier = isHighTier
        self.code = code
        self.compatibility = compatibility
        self.constraints = constraints
        self.level = level
    }

    /// Reads 96 bits.
    init(_ reader: inout RBSPReader) throws(BitstreamError) {
        space = UInt8(truncatingIfNeeded: try reader.bits(2))
        isHighTier = try reader.flag()
        code = UInt8(truncatingIfNeeded: try reader.bits(5))
        compatibility = try reader.bits(32)
        let high = UInt64(try reader.bits(16))
        constraints = high << 32 | UInt64(try reader.bits(32))
        level = try reader.byte()
    }

    /// general_progressive_source_flag and general_interlaced_source_flag.
    var isProgressiveSource: Bool { constraints >> 47 & 1 == 1 }
    var isInterlacedSource: Bool { constraints >> 46 & 1 == 1 }

    /// The name of the level, such as "5.1".
    package var levelName: String {
        let tenths = Int(level) / 3
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    /// The names of H.265 annex A, such as "Main 10" and "Main 4:2:2 10".
    package var name: String {
        guard space == 0 else { return "profile \(code) of space \(space)" }
        switch code {
        case 1: return "Main"
        case 2: return constraint(36) ? "Main 10 Still Picture" : "Main 10"
        case 3: return "Main Still Picture"
        case 4: return rangeExtensionName(prefix: "")
        case 5: return rangeExtensionName(prefix: "High Throughput ")
        case 6: return "Multiview Main"
        case 7: return "Scalable Main"
        case 8: return "3D Main"
        case 9: return rangeExtensionName(prefix: "Screen-Extended ")
        case 10: return "Scalable Format Range Extensions"
        case 11: return rangeExtensionName(prefix: "Screen-Extended High Throughput ")
        default: return "profile \(code)"
        }
    }

    private func constraint(_ bit: Int) -> Bool { constraints >> UInt64(bit) & 1 == 1 }

    /// Tables A.2, A.3 and A.5: the constraint flags exclude what the profile cannot have.
    private func rangeExtensionName(prefix: String) -> String {
        let (max12, max10, max8) = (constraint(43), constraint(42), constraint(41))
        let (max422, max420, monochrome) = (constraint(40), constraint(39), constraint(38))
        let depth = max8 ? "" : max10 ? " 10" : max12 ? " 12" : " 16"
        let chroma = max420 ? "" : max422 ? " 4:2:2" : " 4:4:4"
        let base = monochrome ? "Monochrome" : "Main"
        let still = constraint(36) ? " Still Picture" : constraint(37) ? " Intra" : ""
        return prefix + base + (monochrome ? "" : chroma) + depth + still
    }
}
