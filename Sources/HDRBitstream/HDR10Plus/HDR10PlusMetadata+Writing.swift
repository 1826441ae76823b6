extension HDR10PlusMetadata {
    /// Country code 0xB5 (United States), provider 0x003C (Samsung), its code 0x0001, application_identifier 4.
    static let prefix: [UInt8] = [0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04]

    /// The payload of an ITU-T T.35 message from its country code on; that of a message that was read is the same.
    ///
    /// Throws where a value does not fit in the bits of its field, and where a window lacks a region or has one too
    /// many.
    package var payload: [UInt8] {
        get throws(BitstreamError) {
            guard (1...3).contains(windows.count) else {
                throw BitstreamError("HDR10+ metadata has \(windows.count) windows, and there can be 1 to 3")
            }
            var writer = FieldWriter("HDR10+ metadata", capacity: 64)
            writer.append(bytes: Self.prefix)
            try writer.write(applicationVersion, bits: 8, upTo: 1, "application_version")
            try writer.write(windows.count, bits: 2, "num_windows")
            for (index, window) in windows.enumerated() {
                guard (window.region == nil) == (index == 0) else {
                    throw BitstreamError(
                        index == 0
                            ? "the first window of HDR10+ metadata is the whole picture and has no region"
                            : "window \(index) of HDR10+ metadata has no region: only the first one has none")
                }
                try window.region?.write(&writer)
            }
            try writer.write(
                targetedSystemDisplayMaximumLuminance, bits: 27, "targeted_system_display_maximum_luminance")
            try Self.write(targetedSystemDisplayActualPeakLuminance, &writer)
            for window in windows { try window.writeLight(&writer) }
            try Self.write(masteringDisplayActualPeakLuminance, &writer)
            for window in windows { try window.writeCurve(&writer) }
            writer.align(with: alignment)
            writer.append(bytes: trailing)
            return writer.bytes
        }
    }

    private static func write(
        _ matrix: ActualPeakLuminance?, _ writer: inout FieldWriter
    ) throws(BitstreamError) {
        writer.write(matrix != nil)
        guard let matrix else { return }
        try writer.write(matrix.rows.count, bits: 5, "rows of actual_peak_luminance")
        try writer.write(matrix.columns, bits: 5, "columns of actual_peak_luminance")
        for row in matrix.rows {
            guard row.count == matrix.columns else {
                throw BitstreamError(
                    "a row of actual_peak_luminance in HDR10+ metadata has \(row.count) values, not \(matrix.columns)")
            }
            for value in row { try writer.write(value, bits: 4, "actual_peak_luminance") }
        }
    }
}

extension HDR10PlusMetadata.Window {
    fileprivate func writeLight(_ writer: inout FieldWriter) throws(BitstreamError) {
        for component in 0..<3 { try writer.write(maxSCL[component], bits: 17, "maxscl") }
        try writer.write(averageMaxRGB, bits: 17, "average_maxrgb")
        try writer.write(distributionMaxRGB.count, bits: 4, "num_distribution_maxrgb_percentiles")
        for step in distributionMaxRGB {
            try writer.write(step.percentage, bits: 7, "distribution_maxrgb_percentage")
            try writer.write(step.percentile, bits: 17, "distribution_maxrgb_percentile")
        }
        try writer.write(fractionBrightPixels, bits: 10, "fraction_bright_pixels")
    }

    fileprivate func writeCurve(_ writer: inout FieldWriter) throws(BitstreamError) {
        writer.write(toneMapping != nil)
        if let toneMapping {
            try writer.write(toneMapping.kneePoint.x, bits: 12, "knee_point_x")
            try writer.write(toneMapping.kneePoint.y, bits: 12, "knee_point_y")
            try writer.write(toneMapping.bezierCurveAnchors.count, bits: 4, "num_bezier_curve_anchors")
            for anchor in toneMapping.bezierCurveAnchors {
                try writer.write(anchor, bits: 10, "bezier_curve_anchors")
            }
        }
        writer.write(colorSaturationWeight != nil)
        if let colorSaturationWeight {
            try writer.write(colorSaturationWeight, bits: 6, "color_saturation_weight")
        }
    }
}

extension HDR10PlusMetadata.Region {
    fileprivate func write(_ writer: inout FieldWriter) throws(BitstreamError) {
        for point in [upperLeftCorner, lowerRightCorner, centerOfEllipse] {
            writer.write(point.x)
            writer.write(point.y)
        }
        try writer.write(rotationAngle, bits: 8, "rotation_angle")
        writer.write(semimajorAxisInternalEllipse)
        writer.write(semimajorAxisExternalEllipse)
        writer.write(semiminorAxisExternalEllipse)
        writer.write(isLayered)
    }
}
