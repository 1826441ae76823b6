// Levels of content mapping 4.0. Light is in PQ, 0...4095 for 0 to 10000 cd/m², unless a field says otherwise.
extension DolbyVisionRPU {
    /// Offsets that are added to level 1: 2048 is none.
    package struct Level3: Level {
        package var minimumPQOffset: UInt16 = 2048
        package var maximumPQOffset: UInt16 = 2048
        package var averagePQOffset: UInt16 = 2048

        package init() {}

        var number: UInt8 { 3 }
        var size: Int { 5 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&minimumPQOffset, 12, "min_pq_offset")
            try coder.u(&maximumPQOffset, 12, "max_pq_offset")
            try coder.u(&averagePQOffset, 12, "avg_pq_offset")
        }
    }

    /// Trims for a target display. 2048 is neutral, of the vectors 128.
    ///
    /// A block ends behind any of its optional fields. Where a later one is there and an earlier one is not, the
    /// earlier one is written as neutral.
    package struct Level8: Level {
        /// Bytes of blocks that end in front of each of the optional fields, and of one that has them all.
        private static let sizes = [10, 12, 13, 19, 25]

        package var targetDisplayIndex: UInt8 = 1
        package var trimSlope: UInt16 = 2048
        package var trimOffset: UInt16 = 2048
        package var trimPower: UInt16 = 2048
        package var trimChromaWeight: UInt16 = 2048
        package var trimSaturationGain: UInt16 = 2048
        package var msWeight: UInt16 = 2048
        package var targetMidContrast: UInt16?
        package var clipTrim: UInt16?
        /// Six, as is `hueVector`.
        package var saturationVector: [UInt8]?
        package var hueVector: [UInt8]?

        package init() {}

        var number: UInt8 { 8 }
        var size: Int {
            if hueVector != nil { return Self.sizes[4] }
            if saturationVector != nil { return Self.sizes[3] }
            if clipTrim != nil { return Self.sizes[2] }
            return targetMidContrast != nil ? Self.sizes[1] : Self.sizes[0]
        }

        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&targetDisplayIndex, 8, "target_display_index")
            try coder.u(&trimSlope, 12, "trim_slope")
            try coder.u(&trimOffset, 12, "trim_offset")
            try coder.u(&trimPower, 12, "trim_power")
            try coder.u(&trimChromaWeight, 12, "trim_chroma_weight")
            try coder.u(&trimSaturationGain, 12, "trim_saturation_gain")
            try coder.u(&msWeight, 12, "ms_weight")
            if size >= Self.sizes[1] { try Self.code(&coder, &targetMidContrast, "target_mid_contrast") }
            if size >= Self.sizes[2] { try Self.code(&coder, &clipTrim, "clip_trim") }
            if size >= Self.sizes[3] { try Self.code(&coder, &saturationVector, "saturation_vector_field") }
            if size >= Self.sizes[4] { try Self.code(&coder, &hueVector, "hue_vector_field") }
        }

        private static func code(
            _ coder: inout RPUCoder, _ trim: inout UInt16?, _ field: StaticString
        ) throws(BitstreamError) {
            var value = trim ?? 2048
            try coder.u(&value, 12, field)
            trim = value
        }

        private static func code(
            _ coder: inout RPUCoder, _ vector: inout [UInt8]?, _ field: StaticString
        ) throws(BitstreamError) {
            var values = vector ?? Array(repeating: 128, count: 6)
            guard values.count == 6 else { throw coder.failure("has \(values.count) of \(field), and 6 are needed") }
            for index in values.indices { try coder.u(&values[index], 8, field) }
            vector = values
        }
    }

    /// Primaries of the mastering display.
    package struct Level9: Level {
        /// source_primary_index: 0 is P3 with D65, 2 BT.2020; 255 where `primaries` have them.
        package var sourcePrimaryIndex: UInt8 = 0
        package var primaries: Primaries?

        package init() {}

        var number: UInt8 { 9 }
        var size: Int { primaries == nil ? 1 : 17 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&sourcePrimaryIndex, 8, "source_primary_index")
            if size > 1 { try Primaries.code(&coder, &primaries) }
        }
    }

    /// A target display that level 8 names.
    package struct Level10: Level {
        package var targetDisplayIndex: UInt8 = 20
        package var targetMaximumPQ: UInt16 = 2081
        package var targetMinimumPQ: UInt16 = 0
        /// target_primary_index: 0 is P3 with D65, 2 BT.2020; 255 where `primaries` have them.
        package var targetPrimaryIndex: UInt8 = 2
        package var primaries: Primaries?

        package init() {}

        var number: UInt8 { 10 }
        var size: Int { primaries == nil ? 5 : 21 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&targetDisplayIndex, 8, "target_display_index")
            try coder.u(&targetMaximumPQ, 12, "target_max_pq")
            try coder.u(&targetMinimumPQ, 12, "target_min_pq")
            try coder.u(&targetPrimaryIndex, 8, "target_primary_index")
            if size > 5 { try Primaries.code(&coder, &primaries) }
        }
    }

    /// CIE xy of red, green, blue and white, in units of 1/32767.
    package struct Primaries: Equatable, Sendable {
        package var red: SIMD2<UInt16> = .zero
        package var green: SIMD2<UInt16> = .zero
        package var blue: SIMD2<UInt16> = .zero
        package var white: SIMD2<UInt16> = .zero

        package init() {}

        static func code(_ coder: inout RPUCoder, _ primaries: inout Primaries?) throws(BitstreamError) {
            var value = primaries ?? Primaries()
            for point in [\Primaries.red, \.green, \.blue, \.white] {
                try coder.u(&value[keyPath: point].x, 16, "primary x")
                try coder.u(&value[keyPath: point].y, 16, "primary y")
            }
            primaries = value
        }
    }

    /// The content type (level 11).
    package struct Level11: Level {
        /// The content type: 0 unknown, 1 cinema, 2 games, 3 sport, 4 user generated.
        package var contentType: UInt8 = 0
        /// The white point, 0...15.
        package var whitePoint: UInt8 = 0
        package var referenceModeFlag = false
        /// Requested display settings in two bits each: sharpness and noise reductions, then frame rate, brightness and
        /// colour.
        package var reserved2: UInt8 = 0
        package var reserved3: UInt8 = 0

        package init() {}

        var number: UInt8 { 11 }
        var size: Int { 4 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&contentType, 8, "content_type")
            var reserved: UInt8 = 0
            try coder.u(&reserved, 3, "reserved bits of whitepoint")
            guard reserved == 0 else { throw coder.failure("has reserved bits in level 11") }
            try coder.flag(&referenceModeFlag)
            try coder.u(&whitePoint, 4, "whitepoint")
            try coder.u(&reserved2, 8, "reserved_byte2")
            try coder.u(&reserved3, 8, "reserved_byte3")
        }
    }

    /// The version of content mapping for which the metadata are made (level 254).
    package struct Level254: Level {
        package var mode: UInt8 = 0
        /// dm_version_index: 2 is version 4.0.2.
        package var versionIndex: UInt8 = 2

        package init() {}

        var number: UInt8 { 254 }
        var size: Int { 2 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&mode, 8, "dm_mode")
            try coder.u(&versionIndex, 8, "dm_version_index")
        }
    }
}
