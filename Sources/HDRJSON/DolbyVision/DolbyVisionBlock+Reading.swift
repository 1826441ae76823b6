import HDRBitstream

extension DolbyVisionRPU.Block {
    /// Reads an object with one member that is named after the level, as in the JSON of dovi_tool. Missing fields are
    /// neutral where dovi_tool treats them as neutral.
    /// - Parameter path: the block's name in errors.
    package init(_ json: JSON, _ path: String) throws(JSONError) {
        guard case .object(let members) = json, let (name, value) = members.first, members.count == 1 else {
            throw JSONError("\(path) in the JSON should be an object with one member, such as \"Level1\"")
        }
        let block = JSONFields(value, "\(path).\(name)")
        switch name {
        case "Level1": self = .level1(try Self.level1(block))
        case "Level2": self = .level2(try Self.level2(block))
        case "Level3": self = .level3(try Self.level3(block))
        case "Level4": self = .level4(try Self.level4(block))
        case "Level5": self = .level5(try Self.level5(block))
        case "Level6": self = .level6(try Self.level6(block))
        case "Level8": self = .level8(try Self.level8(block))
        case "Level9": self = .level9(try Self.level9(block))
        case "Level10": self = .level10(try Self.level10(block))
        case "Level11": self = .level11(try Self.level11(block))
        case "Level254": self = .level254(try Self.level254(block))
        case "Level255": self = .level255(try Self.level255(block))
        default:
            throw JSONError(
                "\(path) in the JSON has \(name.prefix(40)): there are Level1 to 6, 8 to 11, 254 and 255")
        }
        try block.finish()
    }

    private static func level1(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level1 {
        .init(
            minimumPQ: try block.number("min_pq", 12), maximumPQ: try block.number("max_pq", 12),
            averagePQ: try block.number("avg_pq", 12))
    }

    private static func level2(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level2 {
        var level = DolbyVisionRPU.Level2()
        level.targetMaximumPQ = try block.number("target_max_pq", 12, or: 2081)
        level.trimSlope = try block.number("trim_slope", 12, or: 2048)
        level.trimOffset = try block.number("trim_offset", 12, or: 2048)
        level.trimPower = try block.number("trim_power", 12, or: 2048)
        level.trimChromaWeight = try block.number("trim_chroma_weight", 12, or: 2048)
        level.trimSaturationGain = try block.number("trim_saturation_gain", 12, or: 2048)
        level.msWeight = Int16(truncatingIfNeeded: try block.integer("ms_weight", -4096...4095, or: 2048))
        return level
    }

    private static func level3(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level3 {
        var level = DolbyVisionRPU.Level3()
        level.minimumPQOffset = try block.number("min_pq_offset", 12, or: 2048)
        level.maximumPQOffset = try block.number("max_pq_offset", 12, or: 2048)
        level.averagePQOffset = try block.number("avg_pq_offset", 12, or: 2048)
        return level
    }

    private static func level4(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level4 {
        var level = DolbyVisionRPU.Level4()
        level.anchorPQ = try block.number("anchor_pq", 12)
        level.anchorPower = try block.number("anchor_power", 12)
        return level
    }

    static func level5(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level5 {
        .init(
            left: try block.number("active_area_left_offset", 13),
            right: try block.number("active_area_right_offset", 13),
            top: try block.number("active_area_top_offset", 13),
            bottom: try block.number("active_area_bottom_offset", 13))
    }

    static func level6(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level6 {
        .init(
            maximumMasteringLuminance: try block.number("max_display_mastering_luminance", 16),
            minimumMasteringLuminance: try block.number("min_display_mastering_luminance", 16),
            maximumContentLightLevel: try block.number("max_content_light_level", 16),
            maximumFrameAverageLightLevel: try block.number("max_frame_average_light_level", 16))
    }

    /// Reads level 8. The length says which fields there are; without it, those in the JSON are taken.
    private static func level8(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level8 {
        var level = DolbyVisionRPU.Level8()
        level.targetDisplayIndex = try block.number("target_display_index", 8, or: 1)
        level.trimSlope = try block.number("trim_slope", 12, or: 2048)
        level.trimOffset = try block.number("trim_offset", 12, or: 2048)
        level.trimPower = try block.number("trim_power", 12, or: 2048)
        level.trimChromaWeight = try block.number("trim_chroma_weight", 12, or: 2048)
        level.trimSaturationGain = try block.number("trim_saturation_gain", 12, or: 2048)
        level.msWeight = try block.number("ms_weight", 12, or: 2048)
        let length = try block.optional("length", 10...25)
        let contrast: UInt16 = try block.number("target_mid_contrast", 12, or: 2048)
        let clip: UInt16 = try block.number("clip_trim", 12, or: 2048)
        var vectors: [String: [UInt8]] = [:]
        for name in ["saturation", "hue"] {
            var vector: [UInt8] = []
            for index in 0..<6 { vector.append(try block.number("\(name)_vector_field\(index)", 8, or: 128)) }
            vectors[name] = vector
        }
        func has(_ field: String, _ from: Int) -> Bool { length.map { $0 >= from } ?? block.has(field) }
        if has("target_mid_contrast", 12) { level.targetMidContrast = contrast }
        if has("clip_trim", 13) { level.clipTrim = clip }
        if has("saturation_vector_field0", 19) { level.saturationVector = vectors["saturation"] }
        if has("hue_vector_field0", 25) { level.hueVector = vectors["hue"] }
        return level
    }

    private static func level9(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level9 {
        var level = DolbyVisionRPU.Level9()
        level.sourcePrimaryIndex = try block.number("source_primary_index", 8, or: 0)
        level.primaries = try primaries(block, "source_primary", length: 17)
        return level
    }

    private static func level10(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level10 {
        var level = DolbyVisionRPU.Level10()
        level.targetDisplayIndex = try block.number("target_display_index", 8, or: 20)
        level.targetMaximumPQ = try block.number("target_max_pq", 12, or: 2081)
        level.targetMinimumPQ = try block.number("target_min_pq", 12, or: 0)
        level.targetPrimaryIndex = try block.number("target_primary_index", 8, or: 2)
        level.primaries = try primaries(block, "target_primary", length: 21)
        return level
    }

    private static func primaries(
        _ block: JSONFields, _ name: String, length: Int
    ) throws(JSONError) -> DolbyVisionRPU.Primaries? {
        let given = try block.optional("length", 1...21)
        var values: [UInt16] = []
        for color in ["red", "green", "blue", "white"] {
            for axis in ["x", "y"] { values.append(try block.number("\(name)_\(color)_\(axis)", 16, or: 0)) }
        }
        guard given.map({ $0 >= length }) ?? block.has("\(name)_red_x"), values.count == 8 else { return nil }
        var primaries = DolbyVisionRPU.Primaries()
        primaries.red = SIMD2(values[0], values[1])
        primaries.green = SIMD2(values[2], values[3])
        primaries.blue = SIMD2(values[4], values[5])
        primaries.white = SIMD2(values[6], values[7])
        return primaries
    }

    static func level11(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level11 {
        var level = DolbyVisionRPU.Level11()
        level.contentType = try block.number("content_type", 8)
        level.whitePoint = try block.number("whitepoint", 4)
        level.referenceModeFlag = try block.flag("reference_mode_flag")
        level.reserved2 = try block.number("reserved_byte2", 8, or: 0)
        level.reserved3 = try block.number("reserved_byte3", 8, or: 0)
        return level
    }

    private static func level254(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level254 {
        var level = DolbyVisionRPU.Level254()
        level.mode = try block.number("dm_mode", 8, or: 0)
        level.versionIndex = try block.number("dm_version_index", 8, or: 2)
        return level
    }

    static func level255(_ block: JSONFields) throws(JSONError) -> DolbyVisionRPU.Level255 {
        var level = DolbyVisionRPU.Level255()
        level.runMode = try block.number("dm_run_mode", 8, or: 0)
        level.runVersion = try block.number("dm_run_version", 8, or: 0)
        level.debug0 = try block.number("dm_debug0", 8, or: 0)
        level.debug1 = try block.number("dm_debug1", 8, or: 0)
        level.debug2 = try block.number("dm_debug2", 8, or: 0)
        level.debug3 = try block.number("dm_debug3", 8, or: 0)
        return level
    }
}
