extension HDR10PlusMetadata {
    /// The profiles that HDR10+ Technologies defines for ST 2094-40.
    package enum Profile: String, Equatable, Sendable {
        /// Measured light only: no display is targeted, and there is no curve.
        case a = "A"
        /// A curve with anchors for a targeted display.
        case b = "B"
    }

    /// The profile; `nil` where the metadata match neither.
    package var profile: Profile? {
        let curve = windows.first?.toneMapping
        if curve == nil, targetedSystemDisplayMaximumLuminance == 0 { return .a }
        guard let curve, !curve.bezierCurveAnchors.isEmpty, targetedSystemDisplayMaximumLuminance > 0 else {
            return nil
        }
        return .b
    }

    /// The percentages of ``Window/distributionMaxRGB`` in the profiles.
    package static let profilePercentages: [UInt8] = [1, 5, 10, 25, 50, 75, 90, 95, 99]
    /// The percentages of a list of ten, which some encoders write.
    package static let tenPercentages: [UInt8] = [1, 5, 10, 25, 50, 75, 90, 95, 98, 99]

    /// What is wrong with the values, in plain words, with the fields' names: against the ranges of ST 2094-40, against
    /// the profiles of HDR10+, and within themselves. Empty where all is well.
    package var findings: [String] {
        var found: [String] = []
        if applicationVersion == 1 { findLimitsOfProfiles(&found) }
        if targetedSystemDisplayMaximumLuminance > 10000 {
            found.append(
                "targeted_system_display_maximum_luminance is \(targetedSystemDisplayMaximumLuminance) cd/m², and "
                    + "10000 is the maximum")
        }
        let hasCurve = windows.contains { $0.toneMapping != nil }
        if hasCurve, targetedSystemDisplayMaximumLuminance == 0 {
            found.append("there is a tone curve, and targeted_system_display_maximum_luminance is 0: no display")
        }
        if !hasCurve, targetedSystemDisplayMaximumLuminance > 0 {
            found.append("a display of \(targetedSystemDisplayMaximumLuminance) cd/m² is targeted without a tone curve")
        }
        Self.find(in: targetedSystemDisplayActualPeakLuminance, "targeted", &found)
        Self.find(in: masteringDisplayActualPeakLuminance, "mastering", &found)
        for (index, window) in windows.enumerated() { window.find(&found, in: index) }
        if ![0, 0x80].contains(alignment) || trailing.contains(where: { $0 != 0 }) {
            found.append("data that no field explains follow the last one")
        } else if !trailing.isEmpty {
            found.append("\(trailing.count) zero bytes follow the last field")
        }
        return found
    }

    private func findLimitsOfProfiles(_ found: inout [String]) {
        if windows.count != 1 {
            found.append("there are \(windows.count) windows, and profiles of HDR10+ have one")
        }
        if targetedSystemDisplayActualPeakLuminance != nil || masteringDisplayActualPeakLuminance != nil {
            found.append("there is actual_peak_luminance, which profiles of HDR10+ do not have")
        }
        if windows.contains(where: { $0.colorSaturationWeight != nil }) {
            found.append("there is color_saturation_weight, which profiles of HDR10+ do not have")
        }
        for (index, window) in windows.enumerated() {
            let place = window.place(index)
            let percentages = window.distributionMaxRGB.map(\.percentage)
            if percentages != Self.profilePercentages, percentages != Self.tenPercentages {
                let text = percentages.map(String.init).joined(separator: ", ")
                found.append(
                    "\(place)distribution_maxrgb_percentages are \(text.isEmpty ? "missing" : text), and profiles "
                        + "of HDR10+ have 1, 5, 10, 25, 50, 75, 90, 95, 99")
            }
            if let anchors = window.toneMapping?.bezierCurveAnchors.count, anchors > 9 {
                found.append("\(place)there are \(anchors) bezier_curve_anchors, and profiles of HDR10+ have at most 9")
            }
        }
    }

    private static func find(in matrix: ActualPeakLuminance?, _ display: String, _ found: inout [String]) {
        guard let matrix else { return }
        let sizes = 2...25
        if !sizes.contains(matrix.rows.count) || !sizes.contains(matrix.columns) {
            found.append(
                "\(display) display's actual_peak_luminance has \(matrix.rows.count) rows of \(matrix.columns), and 2 "
                    + "to 25 of either are allowed")
        }
    }
}

extension HDR10PlusMetadata.Window {
    private static let largestLight: UInt32 = 100_000

    /// The prefix of a finding about a window with this index.
    fileprivate func place(_ index: Int) -> String { index == 0 ? "" : "window \(index): " }

    fileprivate func find(_ found: inout [String], in index: Int) {
        let place = place(index)
        func limit(_ value: UInt32, _ field: String) {
            if value > Self.largestLight {
                found.append("\(place)\(field) is \(value), and 100000, which is 10000 cd/m², is the maximum")
            }
        }
        let largest = maxSCL.max()
        limit(largest, "maxscl")
        limit(averageMaxRGB, "average_maxrgb")
        if averageMaxRGB > largest, averageMaxRGB <= Self.largestLight {
            found.append("\(place)average_maxrgb \(averageMaxRGB) is above the largest maxscl, \(largest)")
        }
        limit(distributionMaxRGB.map(\.percentile).max() ?? 0, "distribution_maxrgb_percentile")
        let percentages = distributionMaxRGB.map(\.percentage)
        if percentages.contains(where: { $0 > 100 }) || zip(percentages, percentages.dropFirst()).contains(where: >=) {
            found.append("\(place)distribution_maxrgb_percentages do not rise from 0 to 100")
        }
        if fractionBrightPixels > 1000 {
            found.append("\(place)fraction_bright_pixels is \(fractionBrightPixels), and 1000 is all of them")
        }
        if let anchors = toneMapping?.bezierCurveAnchors, zip(anchors, anchors.dropFirst()).contains(where: >) {
            found.append("\(place)bezier_curve_anchors fall, so that the curve may turn light around")
        }
        region?.find(&found, place)
    }
}

extension HDR10PlusMetadata.Region {
    fileprivate func find(_ found: inout [String], _ place: String) {
        if upperLeftCorner.x > lowerRightCorner.x || upperLeftCorner.y > lowerRightCorner.y {
            found.append("\(place)window_upper_left_corner lies below or right of window_lower_right_corner")
        }
        if rotationAngle > 180 { found.append("\(place)rotation_angle is \(rotationAngle), and 180 is the maximum") }
        if semimajorAxisInternalEllipse == 0 || semiminorAxisExternalEllipse == 0 {
            found.append("\(place)an ellipse has an axis of 0 pixels")
        }
        if semimajorAxisExternalEllipse < semimajorAxisInternalEllipse {
            found.append("\(place)the external ellipse is smaller than the internal one")
        }
    }
}
