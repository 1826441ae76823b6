import HDRBitstream

// RPUs in the JSON that dovi_tool writes, in its names and its order.
extension DolbyVisionRPU {
    /// The RPU as JSON. The numbers of curves are in two parts as in the bitstream: an integer part, and a fraction of
    /// coefficient_log2_denom bits.
    ///
    /// - Parameter sequence: the sequence information of an earlier RPU, for streams that have it in some RPUs only.
    package func json(sequence inherited: SequenceInfo? = nil) throws(BitstreamError) -> JSON {
        let sequence = header.sequence ?? inherited
        let payload = try payload(sequence: inherited)
        let end = (payload.lastIndex { $0 != 0 } ?? 0)
        let checksum = payload[max(end - 4, 0)..<end].reduce(0) { $0 << 8 | UInt32($1) }
        var members: [(String, JSON)] = [("dovi_profile", .integer(signaledProfile ?? 0))]
        switch enhancementLayer {
        case .minimal?: members.append(("el_type", .string("MEL")))
        case .full?: members.append(("el_type", .string("FEL")))
        case nil: break
        }
        members.append(("header", headerJSON(sequence)))
        if let mapping { members.append(("rpu_data_mapping", mapping.json(sequence ?? SequenceInfo()))) }
        if let displayManagement { members.append(("vdr_dm_data", displayManagement.json)) }
        if !unknownBytes.isEmpty {
            let bits = unknownBytes.flatMap { byte in (0..<8).map { JSON.integer(byte >> (7 - $0) & 1) } }
            members.append(("remaining", .array(bits)))
        }
        members.append(("rpu_data_crc32", .integer(checksum)))
        return .object(members)
    }

    private func headerJSON(_ sequence: SequenceInfo?) -> JSON {
        let info = header.sequence
        var (type, bits, length) = (0, 0, 0)
        switch info?.coefficientFormat {
        case .fixedPoint(let denominator)?: (bits, length) = (Int(denominator), Int(denominator))
        case .floatingPoint?: (type, length) = (1, 32)
        case nil: break
        }
        func flag(_ value: Bool?) -> JSON { .bool(value ?? false) }
        return .object([
            ("rpu_nal_prefix", .integer(25)), ("rpu_type", .integer(2)), ("rpu_format", .integer(header.format)),
            ("vdr_rpu_profile", .integer(header.profile)), ("vdr_rpu_level", .integer(header.level)),
            ("vdr_seq_info_present_flag", .bool(info != nil)),
            ("chroma_resampling_explicit_filter_flag", flag(info?.chromaResamplingExplicitFilterFlag)),
            ("coefficient_data_type", .integer(type)), ("coefficient_log2_denom", .integer(bits)),
            ("coefficient_log2_denom_length", .integer(length)),
            ("vdr_rpu_normalized_idc", .integer(info?.normalizedIDC ?? 0)),
            ("bl_video_full_range_flag", flag(info?.isBaseLayerFullRange)),
            ("bl_bit_depth_minus8", .integer((info?.baseLayerBitDepth ?? 8) &- 8)),
            ("el_bit_depth_minus8", .integer((info?.enhancementLayerBitDepth ?? 8) &- 8)),
            ("ext_mapping_idc_0_4", .integer((info?.extendedMappingIDC ?? 0) & 0x1F)),
            ("ext_mapping_idc_5_7", .integer((info?.extendedMappingIDC ?? 0) >> 5)),
            ("vdr_bit_depth_minus8", .integer((info?.vdrBitDepth ?? 8) &- 8)),
            ("spatial_resampling_filter_flag", flag(info?.spatialResamplingFilterFlag)),
            ("reserved_zero_3bits", .integer(info?.dmCompression ?? 0)),
            ("el_spatial_resampling_filter_flag", flag(info?.elSpatialResamplingFilterFlag)),
            ("disable_residual_flag", flag(info?.disableResidualFlag)),
            ("vdr_dm_metadata_present_flag", .bool(displayManagement != nil)),
            ("use_prev_vdr_rpu_flag", .bool(mapping == nil)), ("prev_vdr_rpu_id", .integer(previousMappingID)),
        ])
    }
}

extension DolbyVisionRPU.Mapping {
    fileprivate func json(_ sequence: DolbyVisionRPU.SequenceInfo) -> JSON {
        let format = sequence.coefficientFormat
        var members: [(String, JSON)] = [
            ("vdr_rpu_id", .integer(id)), ("mapping_color_space", .integer(colorSpace)),
            ("mapping_chroma_format_idc", .integer(chromaFormatIDC)), ("num_x_partitions_minus1", .integer(0)),
            ("num_y_partitions_minus1", .integer(0)), ("curves", .array(curves.map { $0.json(format) })),
        ]
        if let residual {
            members += [
                ("nlq_method_idc", .string("LinearDeadzone")), ("nlq_num_pivots_minus2", .integer(0)),
                ("nlq_pred_pivot_value", Self.differences(residual.pivots)), ("nlq", residual.json(format)),
            ]
        }
        return .object(members)
    }

    /// The pivots as in the bitstream: each one but the first as its difference to the one before.
    fileprivate static func differences(_ pivots: [UInt16]) -> JSON {
        .array(zip(pivots, [0] + pivots).map { .integer($0 &- $1) })
    }
}

extension DolbyVisionRPU.Mapping.Curve {
    fileprivate func json(_ format: DolbyVisionRPU.CoefficientFormat) -> JSON {
        let isRegression: Bool
        if case .mmr? = pieces.first { isRegression = true } else { isRegression = false }
        let members: [(String, JSON)] = [
            ("num_pivots_minus2", .integer(max(pivots.count - 2, 0))),
            ("pivots", DolbyVisionRPU.Mapping.differences(pivots)),
            ("mapping_idc", .string(isRegression ? "MMR" : "Polynomial")),
        ]
        return .object(members + (isRegression ? regression(format) : polynomial(format)))
    }

    private func polynomial(_ format: DolbyVisionRPU.CoefficientFormat) -> [(String, JSON)] {
        var (orders, flags, wholes, fractions): ([JSON], [JSON], [JSON], [JSON]) = ([], [], [], [])
        for piece in pieces {
            switch piece {
            case .polynomial(let values):
                orders.append(.integer(max(values.count - 2, 0)))
                flags.append(.bool(false))
                wholes.append(.array(values.map { .integer(format.parts($0).whole) }))
                fractions.append(.array(values.map { .integer(format.parts($0).fraction) }))
            case .linearInterpolation(let start, let end):
                let values = [start] + (end.map { [$0] } ?? [])
                orders.append(.integer(0))
                flags.append(.bool(true))
                wholes.append(.array(values.map { .integer(format.parts($0).whole) }))
                fractions.append(.array(values.map { .integer(format.parts($0).fraction) }))
            case .mmr: break
            }
        }
        return [
            ("poly_order_minus1", .array(orders)), ("linear_interp_flag", .array(flags)),
            ("poly_coef_int", .array(wholes)), ("poly_coef", .array(fractions)),
        ]
    }

    private func regression(_ format: DolbyVisionRPU.CoefficientFormat) -> [(String, JSON)] {
        let terms = pieces.compactMap { piece -> (constant: Int64, orders: [[Int64]])? in
            if case .mmr(let constant, let orders) = piece { (constant, orders) } else { nil }
        }
        func list(_ part: (Int64) -> JSON) -> JSON {
            .array(terms.map { term in .array(term.orders.map { .array($0.map(part)) }) })
        }
        return [
            ("mmr_order_minus1", .array(terms.map { .integer(max($0.orders.count - 1, 0)) })),
            ("mmr_constant_int", .array(terms.map { .integer(format.parts($0.constant).whole) })),
            ("mmr_constant", .array(terms.map { .integer(format.parts($0.constant).fraction) })),
            ("mmr_coef_int", list { .integer(format.parts($0).whole) }),
            ("mmr_coef", list { .integer(format.parts($0).fraction) }),
        ]
    }
}

extension DolbyVisionRPU.Mapping.Residual {
    fileprivate func json(_ format: DolbyVisionRPU.CoefficientFormat) -> JSON {
        func list(_ part: (Component) -> Int64) -> (whole: JSON, fraction: JSON) {
            let parts = components.map { format.parts(part($0)) }
            return (.array(parts.map { .integer($0.whole) }), .array(parts.map { .integer($0.fraction) }))
        }
        let (maximum, slope, threshold) = (
            list(\.inputMaximum), list(\.deadZoneSlope), list(\.deadZoneThreshold)
        )
        return .object([
            ("nlq_offset", .array(components.map { .integer($0.offset) })),
            ("vdr_in_max_int", maximum.whole), ("vdr_in_max", maximum.fraction),
            ("linear_deadzone_slope_int", slope.whole), ("linear_deadzone_slope", slope.fraction),
            ("linear_deadzone_threshold_int", threshold.whole), ("linear_deadzone_threshold", threshold.fraction),
        ])
    }
}

extension DolbyVisionRPU.CoefficientFormat {
    /// The two parts of a coefficient in the bitstream. One in floating point is a bit pattern, and has no integer
    /// part.
    fileprivate func parts(_ value: Int64) -> (whole: Int64, fraction: Int64) {
        guard case .fixedPoint(let denominator) = self else { return (0, value) }
        let bits = Int64(min(denominator, 32))
        return (value >> bits, value & (1 << bits - 1))
    }
}
