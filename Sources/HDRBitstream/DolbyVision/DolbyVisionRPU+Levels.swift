// Levels of content mapping 2.9. Light is in PQ, 0...4095 for 0 to 10000 cd/m², unless a field says otherwise.
extension DolbyVisionRPU {
    /// The picture's light, inside of the active area.
    package struct Level1: Level {
        package var minimumPQ: UInt16 = 0
        package var maximumPQ: UInt16 = 0
        package var averagePQ: UInt16 = 0

        package init() {}
        package init(minimumPQ: UInt16, maximumPQ: UInt16, averagePQ: UInt16) {
            (self.minimumPQ, self.maximumPQ, self.averagePQ) = (minimumPQ, maximumPQ, averagePQ)
        }

        var number: UInt8 { 1 }
        var size: Int { 5 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&minimumPQ, 12, "min_pq")
            try coder.u(&maximumPQ, 12, "max_pq")
            try coder.u(&averagePQ, 12, "avg_pq")
        }
    }

    /// Trims for displays of a peak. 2048 is neutral.
    package struct Level2: Level {
        package var targetMaximumPQ: UInt16 = 2081
        package var trimSlope: UInt16 = 2048
        package var trimOffset: UInt16 = 2048
        package var trimPower: UInt16 = 2048
        package var trimChromaWeight: UInt16 = 2048
        package var trimSaturationGain: UInt16 = 2048
        /// ms_weight, -4096...4095, of which -1...4095 are in use.
        package var msWeight: Int16 = 2048

        package init() {}

        var number: UInt8 { 2 }
        var size: Int { 11 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&targetMaximumPQ, 12, "target_max_pq")
            try coder.u(&trimSlope, 12, "trim_slope")
            try coder.u(&trimOffset, 12, "trim_offset")
            try coder.u(&trimPower, 12, "trim_power")
            try coder.u(&trimChromaWeight, 12, "trim_chroma_weight")
            try coder.u(&trimSaturationGain, 12, "trim_saturation_gain")
            guard (-4096...4095).contains(msWeight) else {
                throw coder.failure("has ms_weight \(msWeight), and 13 bits cannot hold it")
            }
            var weight = UInt16(bitPattern: msWeight) & 0x1FFF
            try coder.u(&weight, 13, "ms_weight")
            msWeight = Int16(bitPattern: weight << 3) >> 3
        }
    }

    /// The anchor of contrast adaptation (level 4).
    package struct Level4: Level {
        package var anchorPQ: UInt16 = 0
        package var anchorPower: UInt16 = 0

        package init() {}

        var number: UInt8 { 4 }
        var size: Int { 3 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&anchorPQ, 12, "anchor_pq")
            try coder.u(&anchorPower, 12, "anchor_power")
        }
    }

    /// The active area (level 5): its distances from the picture's edges in luma samples, 0...8191.
    package struct Level5: Level {
        package var left: UInt16 = 0
        package var right: UInt16 = 0
        package var top: UInt16 = 0
        package var bottom: UInt16 = 0

        package init() {}
        package init(left: UInt16, right: UInt16, top: UInt16, bottom: UInt16) {
            (self.left, self.right, self.top, self.bottom) = (left, right, top, bottom)
        }

        var number: UInt8 { 5 }
        var size: Int { 7 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&left, 13, "active_area_left_offset")
            try coder.u(&right, 13, "active_area_right_offset")
            try coder.u(&top, 13, "active_area_top_offset")
            try coder.u(&bottom, 13, "active_area_bottom_offset")
        }
    }

    /// Static metadata of HDR10.
    package struct Level6: Level {
        /// The mastering display's peak in cd/m².
        package var maximumMasteringLuminance: UInt16 = 0
        /// The mastering display's black in 0.0001 cd/m².
        package var minimumMasteringLuminance: UInt16 = 0
        /// MaxCLL and MaxFALL in cd/m².
        package var maximumContentLightLevel: UInt16 = 0
        package var maximumFrameAverageLightLevel: UInt16 = 0

        package init() {}
        package init(
            maximumMasteringLuminance: UInt16, minimumMasteringLuminance: UInt16,
            maximumContentLightLevel: UInt16, maximumFrameAverageLightLevel: UInt16
        ) {
            self.maximumMasteringLuminance = maximumMasteringLuminance
            self.minimumMasteringLuminance = minimumMasteringLuminance
            self.maximumContentLightLevel = maximumContentLightLevel
            self.maximumFrameAverageLightLevel = maximumFrameAverageLightLevel
        }

        var number: UInt8 { 6 }
        var size: Int { 8 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&maximumMasteringLuminance, 16, "max_display_mastering_luminance")
            try coder.u(&minimumMasteringLuminance, 16, "min_display_mastering_luminance")
            try coder.u(&maximumContentLightLevel, 16, "max_content_light_level")
            try coder.u(&maximumFrameAverageLightLevel, 16, "max_frame_average_light_level")
        }
    }

    /// The run mode of display management, for calibration and debugging (level 255).
    package struct Level255: Level {
        package var runMode: UInt8 = 0
        package var runVersion: UInt8 = 0
        package var debug0: UInt8 = 0
        package var debug1: UInt8 = 0
        package var debug2: UInt8 = 0
        package var debug3: UInt8 = 0

        package init() {}

        var number: UInt8 { 255 }
        var size: Int { 6 }
        mutating func code(_ coder: inout RPUCoder, size: Int) throws(BitstreamError) {
            try coder.u(&runMode, 8, "dm_run_mode")
            try coder.u(&runVersion, 8, "dm_run_version")
            try coder.u(&debug0, 8, "dm_debug0")
            try coder.u(&debug1, 8, "dm_debug1")
            try coder.u(&debug2, 8, "dm_debug2")
            try coder.u(&debug3, 8, "dm_debug3")
        }
    }
}
