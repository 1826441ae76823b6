extension DolbyVisionRPU {
    /// The coding of the mapping's coefficients: coefficient_data_type.
    package enum CoefficientFormat: Equatable, Sendable {
        /// Type 0: numbers in units of 1 / 2^`log2Denominator`, which is coefficient_log2_denom, 0...32.
        case fixedPoint(log2Denominator: UInt8)
        /// Type 1: bit patterns of IEEE 754 numbers of 32 bits.
        case floatingPoint

        /// The value that a coefficient represents.
        package func value(of coefficient: Int64) -> Double {
            switch self {
            case .fixedPoint(let bits): Double(coefficient) / Double(UInt64(1) << UInt64(min(bits, 63)))
            case .floatingPoint: Double(Float(bitPattern: UInt32(truncatingIfNeeded: coefficient)))
            }
        }

        /// The coefficient that represents 1.
        package var one: Int64 {
            switch self {
            case .fixedPoint(let bits): 1 << Int64(min(bits, 62))
            case .floatingPoint: Int64(Float(1).bitPattern)
            }
        }
    }

    /// The part of rpu_data_header() that describes a whole sequence. The values that it begins with are those of
    /// profile 8.
    package struct SequenceInfo: Equatable, Sendable {
        package var chromaResamplingExplicitFilterFlag = false
        /// coefficient_data_type and coefficient_log2_denom.
        package var coefficientFormat = CoefficientFormat.fixedPoint(log2Denominator: 23)
        /// vdr_rpu_normalized_idc, 0...3.
        package var normalizedIDC: UInt8 = 1
        /// bl_video_full_range_flag.
        package var isBaseLayerFullRange = false
        /// bl_bit_depth_minus8 + 8, 8...16.
        package var baseLayerBitDepth: UInt8 = 10
        /// The low eight bits of el_bit_depth_minus8, + 8: 8...16.
        package var enhancementLayerBitDepth: UInt8 = 10
        /// ext_mapping_idc, which profile 20 has: the next eight bits of el_bit_depth_minus8.
        package var extendedMappingIDC: UInt8 = 0
        /// vdr_bit_depth_minus8 + 8, 8...16.
        package var vdrBitDepth: UInt8 = 12
        package var spatialResamplingFilterFlag = false
        /// reserved_zero_3bits, 0...7. Where it is 1, the metadata for display management lack their `signal`.
        package var dmCompression: UInt8 = 0
        package var elSpatialResamplingFilterFlag = false
        /// Whether the residual of the enhancement layer is disabled; if not, the mapping has parameters for it.
        package var disableResidualFlag = true

        package init() {}

        mutating func code(_ coder: inout RPUCoder) throws(BitstreamError) {
            try coder.flag(&chromaResamplingExplicitFilterFlag)
            try codeCoefficientFormat(&coder)
            try coder.u(&normalizedIDC, 2, "vdr_rpu_normalized_idc")
            try coder.flag(&isBaseLayerFullRange)
            try Self.code(&coder, depth: &baseLayerBitDepth, "bl_bit_depth_minus8")
            var enhancement = UInt32(extendedMappingIDC) << 8 | UInt32(enhancementLayerBitDepth &- 8)
            try coder.ue(&enhancement, upTo: 0xFFFF, "el_bit_depth_minus8")
            guard enhancement & 0xFF <= 8 else {
                throw coder.failure("has el_bit_depth_minus8 \(enhancement & 0xFF), and 8 is the maximum")
            }
            enhancementLayerBitDepth = UInt8(truncatingIfNeeded: enhancement & 0xFF) + 8
            extendedMappingIDC = UInt8(truncatingIfNeeded: enhancement >> 8)
            try Self.code(&coder, depth: &vdrBitDepth, "vdr_bit_depth_minus8")
            try coder.flag(&spatialResamplingFilterFlag)
            try coder.u(&dmCompression, 3, "reserved_zero_3bits")
            try coder.flag(&elSpatialResamplingFilterFlag)
            try coder.flag(&disableResidualFlag)
        }

        private static func code(
            _ coder: inout RPUCoder, depth: inout UInt8, _ field: StaticString
        ) throws(BitstreamError) {
            var more = depth &- 8
            try coder.ue(&more, upTo: 8, field)
            depth = more + 8
        }

        private mutating func codeCoefficientFormat(_ coder: inout RPUCoder) throws(BitstreamError) {
            var type: UInt8 = coefficientFormat == .floatingPoint ? 1 : 0
            try coder.u(&type, 2, "coefficient_data_type")
            switch type {
            case 0:
                var denominator: UInt8 = 0
                if case .fixedPoint(let bits) = coefficientFormat { denominator = bits }
                try coder.ue(&denominator, upTo: 32, "coefficient_log2_denom")
                coefficientFormat = .fixedPoint(log2Denominator: denominator)
            case 1: coefficientFormat = .floatingPoint
            default: throw coder.failure("has coefficient_data_type \(type), and 1 is the maximum")
            }
        }
    }

    /// The beginning of rpu_data_header(). The values that it begins with are those of profile 8.
    package struct Header: Equatable, Sendable {
        /// The formats of which the syntax is known have these bits 0.
        private static let otherFormats: UInt16 = 0x700
        private static let type: UInt8 = 2

        /// rpu_format, 0...2047.
        package var format: UInt16 = 18
        /// vdr_rpu_profile, 0...15: 0 for profile 5, 1 for profiles 4, 7 and 8.
        package var profile: UInt8 = 1
        /// vdr_rpu_level, 0...15.
        package var level: UInt8 = 0
        /// The sequence data; `nil` where those of an earlier RPU apply (vdr_seq_info_present_flag).
        package var sequence: SequenceInfo? = SequenceInfo()

        package init() {}

        mutating func code(_ coder: inout RPUCoder) throws(BitstreamError) {
            var type = Self.type
            try coder.u(&type, 6, "rpu_type")
            guard type == Self.type else { throw coder.failure("has rpu_type \(type), and only 2 is known") }
            try coder.u(&format, 11, "rpu_format")
            guard format & Self.otherFormats == 0 else {
                throw coder.failure("has rpu_format \(format), and only those below 256 are known")
            }
            try coder.u(&profile, 4, "vdr_rpu_profile")
            try coder.u(&level, 4, "vdr_rpu_level")
            var hasSequence = sequence != nil
            try coder.flag(&hasSequence)
            if hasSequence {
                var info = sequence ?? SequenceInfo()
                try info.code(&coder)
                sequence = info
            } else {
                sequence = nil
            }
        }

        /// The Dolby Vision profile that the fields represent: 4, 5, 7 or 8; `nil` where they match none. The base
        /// layer of profile 8 is only known from its transfer function; AV1 carries RPUs of 5 and 8 as profile 10.
        package var signaledProfile: UInt8? {
            switch profile {
            case 0: return sequence?.isBaseLayerFullRange != false ? 5 : nil
            case 1:
                guard let sequence else { return nil }
                guard sequence.elSpatialResamplingFilterFlag, !sequence.disableResidualFlag else { return 8 }
                return sequence.vdrBitDepth == 12 ? 7 : 4
            default: return nil
            }
        }
    }
}

extension DolbyVisionRPU.Header {
    /// Reads the beginning of a NAL unit of type 62 only, without a look at the CRC. `nil` where it is no RPU.
    package init?(nalUnit: UnsafeRawBufferPointer) {
        // The header ends within 32 bytes.
        let bytes = EmulationPrevention.removed(from: nalUnit.part(0..<80), limit: 64)
        self.init(payload: Array(bytes.dropFirst(bytes.first == DolbyVisionRPU.prefix ? 0 : 2)))
    }

    /// Reads the beginning of an RPU without emulation prevention, from its prefix byte on.
    package init?(payload: [UInt8]) {
        guard payload.first == DolbyVisionRPU.prefix else { return nil }
        self.init()
        var coder = RPUCoder(reading: Array(payload.dropFirst()))
        do { try code(&coder) } catch { return nil }
    }
}
