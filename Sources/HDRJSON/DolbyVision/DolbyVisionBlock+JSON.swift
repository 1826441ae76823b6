import HDRBitstream

// Metadata for display management in the JSON that dovi_tool writes and reads.
extension DolbyVisionRPU.DisplayManagement {
    var json: JSON {
        let values = signal ?? DolbyVisionRPU.Signal()
        var members: [(String, JSON)] = [
            ("compressed", .bool(signal == nil)), ("affected_dm_metadata_id", .integer(affectedID)),
            ("current_dm_metadata_id", .integer(currentID)), ("scene_refresh_flag", .integer(sceneRefreshFlag)),
        ]
        func add(_ name: String, _ list: [some BinaryInteger]) {
            for (index, value) in list.enumerated() { members.append(("\(name)\(index)", .integer(value))) }
        }
        add("ycc_to_rgb_coef", values.yccToRGB)
        add("ycc_to_rgb_offset", values.yccToRGBOffset)
        add("rgb_to_lms_coef", values.rgbToLMS)
        members += [
            ("signal_eotf", .integer(values.eotf)), ("signal_eotf_param0", .integer(values.eotfParameter0)),
            ("signal_eotf_param1", .integer(values.eotfParameter1)),
            ("signal_eotf_param2", .integer(values.eotfParameter2)),
            ("signal_bit_depth", .integer(values.bitDepth)), ("signal_color_space", .integer(values.colorSpace)),
            ("signal_chroma_format", .integer(values.chromaFormat)),
            ("signal_full_range_flag", .integer(values.fullRangeFlag)),
            ("source_min_pq", .integer(values.sourceMinimumPQ)), ("source_max_pq", .integer(values.sourceMaximumPQ)),
            ("source_diagonal", .integer(values.sourceDiagonal)), ("cmv29_metadata", Self.json(blocks)),
        ]
        if let extendedBlocks { members.append(("cmv40_metadata", Self.json(extendedBlocks))) }
        return .object(members)
    }

    private static func json(_ blocks: [DolbyVisionRPU.Block]) -> JSON {
        .object([
            ("num_ext_blocks", .integer(blocks.count)), ("ext_metadata_blocks", .array(blocks.map(\.json))),
        ])
    }
}

extension DolbyVisionRPU.Block {
    /// An object with one member, which is named after the level.
    package var json: JSON {
        switch self {
        case .other(let level, let bytes):
            .object([
                (
                    "Reserved",
                    .object([
                        ("ext_block_length", .integer(bytes.count)), ("ext_block_level", .integer(level)),
                        ("data", .array(bytes.map(JSON.integer))),
                    ])
                )
            ])
        default: .object([("Level\(level)", .object(fields))])
        }
    }

    /// The fields of a level, by their names.
    package var fields: [(String, JSON)] {
        switch self {
        case .level1(let value):
            [
                ("min_pq", .integer(value.minimumPQ)), ("max_pq", .integer(value.maximumPQ)),
                ("avg_pq", .integer(value.averagePQ)),
            ]
        case .level2(let value):
            [
                ("target_max_pq", .integer(value.targetMaximumPQ)), ("trim_slope", .integer(value.trimSlope)),
                ("trim_offset", .integer(value.trimOffset)), ("trim_power", .integer(value.trimPower)),
                ("trim_chroma_weight", .integer(value.trimChromaWeight)),
                ("trim_saturation_gain", .integer(value.trimSaturationGain)), ("ms_weight", .integer(value.msWeight)),
            ]
        case .level3(let value):
            [
                ("min_pq_offset", .integer(value.minimumPQOffset)),
                ("max_pq_offset", .integer(value.maximumPQOffset)),
                ("avg_pq_offset", .integer(value.averagePQOffset)),
            ]
        case .level4(let value):
            [("anchor_pq", .integer(value.anchorPQ)), ("anchor_power", .integer(value.anchorPower))]
        case .level5(let value):
            [
                ("active_area_left_offset", .integer(value.left)),
                ("active_area_right_offset", .integer(value.right)),
                ("active_area_top_offset", .integer(value.top)),
                ("active_area_bottom_offset", .integer(value.bottom)),
            ]
        case .level6(let value):
            [
                ("max_display_mastering_luminance", .integer(value.maximumMasteringLuminance)),
                ("min_display_mastering_luminance", .integer(value.minimumMasteringLuminance)),
                ("max_content_light_level", .integer(value.maximumContentLightLevel)),
                ("max_frame_average_light_level", .integer(value.maximumFrameAverageLightLevel)),
            ]
        case .level8(let value): value.fields
        case .level9(let value):
            [
                ("length", .integer(value.primaries == nil ? 1 : 17)),
                ("source_primary_index", .integer(value.sourcePrimaryIndex)),
            ] + (value.primaries?.fields("source_primary") ?? [])
        case .level10(let value):
            [
                ("length", .integer(value.primaries == nil ? 5 : 21)),
                ("target_display_index", .integer(value.targetDisplayIndex)),
                ("target_max_pq", .integer(value.targetMaximumPQ)), ("target_min_pq", .integer(value.targetMinimumPQ)),
                ("target_primary_index", .integer(value.targetPrimaryIndex)),
            ] + (value.primaries?.fields("target_primary") ?? [])
        case .level11(let value):
            [
                ("content_type", .integer(value.contentType)), ("whitepoint", .integer(value.whitePoint)),
                ("reference_mode_flag", .bool(value.referenceModeFlag)), ("reserved_byte2", .integer(value.reserved2)),
                ("reserved_byte3", .integer(value.reserved3)),
            ]
        case .level254(let value):
            [("dm_mode", .integer(value.mode)), ("dm_version_index", .integer(value.versionIndex))]
        case .level255(let value):
            [
                ("dm_run_mode", .integer(value.runMode)), ("dm_run_version", .integer(value.runVersion)),
                ("dm_debug0", .integer(value.debug0)), ("dm_debug1", .integer(value.debug1)),
                ("dm_debug2", .integer(value.debug2)), ("dm_debug3", .integer(value.debug3)),
            ]
        case .other: []
        }
    }
}

extension DolbyVisionRPU.Level8 {
    fileprivate var fields: [(String, JSON)] {
        let length = hueVector != nil ? 25 : saturationVector != nil ? 19 : clipTrim != nil ? 13 : 10
        var members: [(String, JSON)] = [
            ("length", .integer(length == 10 && targetMidContrast != nil ? 12 : length)),
            ("target_display_index", .integer(targetDisplayIndex)), ("trim_slope", .integer(trimSlope)),
            ("trim_offset", .integer(trimOffset)), ("trim_power", .integer(trimPower)),
            ("trim_chroma_weight", .integer(trimChromaWeight)),
            ("trim_saturation_gain", .integer(trimSaturationGain)), ("ms_weight", .integer(msWeight)),
        ]
        if length > 10 || targetMidContrast != nil {
            members.append(("target_mid_contrast", .integer(targetMidContrast ?? 2048)))
        }
        if length > 12 { members.append(("clip_trim", .integer(clipTrim ?? 2048))) }
        func add(_ name: String, _ vector: [UInt8]?) {
            for index in 0..<6 {
                let value = vector.flatMap { $0.indices.contains(index) ? $0[index] : nil } ?? 128
                members.append(("\(name)_vector_field\(index)", .integer(value)))
            }
        }
        if length > 13 { add("saturation", saturationVector) }
        if length > 19 { add("hue", hueVector) }
        return members
    }
}

extension DolbyVisionRPU.Primaries {
    fileprivate func fields(_ name: String) -> [(String, JSON)] {
        [("red", red), ("green", green), ("blue", blue), ("white", white)].flatMap { color, point in
            [("\(name)_\(color)_x", JSON.integer(point.x)), ("\(name)_\(color)_y", .integer(point.y))]
        }
    }
}
