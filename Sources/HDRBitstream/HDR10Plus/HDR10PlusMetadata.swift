/// The metadata of one picture in SMPTE ST 2094-40, Application 4, which is HDR10+. Its fields have the numbers of the
/// bitstream, whose syntax is user_data_registered_itu_t_t35() of ANSI/CTA-861-H annex S.
///
/// A message that was read has the same bytes when it is written again. See ``findings`` for values that can be coded
/// and are not allowed.
package struct HDR10PlusMetadata: Equatable, Sendable {
    /// application_version, 0 or 1. The profiles of HDR10+ are of version 1. The syntax is the same.
    package var applicationVersion: UInt8 = 1
    /// The processing windows, 1...3. The first is the whole picture, and the only one in the profiles of HDR10+.
    package var windows = [Window()]
    /// targeted_system_display_maximum_luminance: of the display that the curves are made for, 0...10000 cd/m², in 27
    /// bits. 0 where there are no curves.
    package var targetedSystemDisplayMaximumLuminance: UInt32 = 0
    /// targeted_system_display_actual_peak_luminance, where its flag is set.
    package var targetedSystemDisplayActualPeakLuminance: ActualPeakLuminance?
    /// mastering_display_actual_peak_luminance, where its flag is set.
    package var masteringDisplayActualPeakLuminance: ActualPeakLuminance?
    /// The bits behind the last field up to a whole byte, at most 7 bits, the first one highest: zeros, or a one and
    /// zeros, 0x80, as encoders end other SEI messages. Of it as many bits are written as there is place for.
    package var alignment: UInt8 = 0
    /// The bytes behind the metadata; none by the standard.
    package var trailing: [UInt8] = []

    /// One window of the whole picture, with all light 0.
    package init() {}

    /// A window: its region, the light in it, and its curve.
    package struct Window: Equatable, Sendable {
        /// The region; `nil` in the first window, which is the whole picture.
        package var region: Region?
        /// maxscl: the largest linear red, green and blue, 0...100000 steps of 0.1 cd/m², in 17 bits.
        package var maxSCL = SIMD3<UInt32>()
        /// average_maxrgb: the mean of the pixels' largest components, 0...100000 steps of 0.1 cd/m², in 17 bits.
        package var averageMaxRGB: UInt32 = 0
        /// distribution_maxrgb_percentages and _percentiles, at most 15.
        package var distributionMaxRGB: [Percentile] = []
        /// fraction_bright_pixels: 0...1000 thousandths of the pixels, in 10 bits.
        package var fractionBrightPixels: UInt16 = 0
        /// The tone mapping; `nil` where tone_mapping_flag is not set.
        package var toneMapping: ToneMapping?
        /// color_saturation_weight: 0...63 eighths, where color_saturation_mapping_flag is set.
        package var colorSaturationWeight: UInt8?

        package init() {}
    }

    /// A step of the distribution of the pixels' largest components.
    package struct Percentile: Equatable, Sendable {
        /// distribution_maxrgb_percentage: 0...100 per cent of the pixels, in 7 bits.
        package var percentage: UInt8
        /// distribution_maxrgb_percentile: what these pixels do not exceed, 0...100000 steps of 0.1 cd/m², in 17 bits.
        /// In the profiles of HDR10+ the entry of 99 per cent has the 99.98th percentile, that of 5 per cent
        /// DistributionY99, for which encoders write the 99.99th one, and that of 10 per cent DistributionY100nit, the
        /// share of pixels of at most 100 cd/m², in per cent.
        package var percentile: UInt32

        package init(percentage: UInt8, percentile: UInt32) {
            self.percentage = percentage
            self.percentile = percentile
        }
    }

    /// The region of a window: a rectangle, and in it two concentric ellipses, between which the window fades.
    package struct Region: Equatable, Sendable {
        /// window_upper_left_corner and window_lower_right_corner, x and y, in pixels. Both corners are part of it.
        package var upperLeftCorner = SIMD2<UInt16>()
        package var lowerRightCorner = SIMD2<UInt16>()
        /// center_of_ellipse, x and y, in pixels.
        package var centerOfEllipse = SIMD2<UInt16>()
        /// rotation_angle of the major axis: 0...180 degrees, clockwise from the x axis.
        package var rotationAngle: UInt8 = 0
        /// semimajor_axis_internal_ellipse, 1 or more pixels.
        package var semimajorAxisInternalEllipse: UInt16 = 0
        /// semimajor_axis_external_ellipse, in pixels, not smaller than the internal one.
        package var semimajorAxisExternalEllipse: UInt16 = 0
        /// semiminor_axis_external_ellipse, 1 or more pixels.
        package var semiminorAxisExternalEllipse: UInt16 = 0
        /// overlap_process_option: whether the window lies over those before it, and is not averaged with them.
        package var isLayered = false

        package init() {}
    }

    /// The peak luminance that places of a display reach: a matrix, in fifteenths of the maximum luminance.
    package struct ActualPeakLuminance: Equatable, Sendable {
        /// Rows of one length, 2...25 of 2...25 values, each 0...15. At most 31 of 31 can be coded.
        package var rows: [[UInt8]]
        /// The length of a row; it is coded where there are no rows too.
        package var columns: Int

        package init(rows: [[UInt8]], columns: Int? = nil) {
            self.rows = rows
            self.columns = columns ?? rows.first?.count ?? 0
        }
    }

    /// The curve for the targeted display: a line from zero to the knee, and a Bézier curve from there on. See
    /// ``HDR10PlusToneCurve`` for its values.
    package struct ToneMapping: Equatable, Sendable {
        /// knee_point_x and knee_point_y: 0...4095, where 4095 is 1.
        package var kneePoint = SIMD2<UInt16>()
        /// bezier_curve_anchors: 0...1023, where 1023 is 1. At most 15, and 9 in the profiles of HDR10+.
        package var bezierCurveAnchors: [UInt16] = []

        package init() {}

        package init(kneePoint: SIMD2<UInt16>, bezierCurveAnchors: [UInt16]) {
            self.kneePoint = kneePoint
            self.bezierCurveAnchors = bezierCurveAnchors
        }
    }
}
