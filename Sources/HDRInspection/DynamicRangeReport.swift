import HDRContainer

/// The dynamic range of a video stream, in the names that people use.
package struct DynamicRangeReport: Equatable, Sendable {
    /// The signal without dynamic metadata.
    package enum Base: String, Equatable, Sendable {
        case sdr = "SDR"
        case hlg = "HLG"
        /// PQ with static metadata.
        case hdr10 = "HDR10"
        /// PQ without static metadata.
        case pq = "PQ"
        /// A signal that only a Dolby Vision decoder can display, such as that of profile 5.
        case none = "none"
    }

    package struct DolbyVision: Equatable, Sendable {
        package var profile: UInt8
        /// The base layer's compatibility: 0 none, 1 HDR10, 2 SDR, 4 HLG, 6 HDR10 of Ultra HD Blu-ray; `nil` where it
        /// is unknown.
        package var compatibility: UInt8?
        /// The level of the container's record; `nil` where only the bitstream is known.
        package var level: UInt8?

        /// Whether only a Dolby Vision decoder shows the picture; see `DolbyVisionRecord.needsDolbyVision`.
        package var needsDolbyVision: Bool {
            compatibility.map {
                DolbyVisionRecord(profile: profile, level: 0, compatibility: $0).needsDolbyVision
            } ?? false
        }

        /// The name of the profile, such as "8.4" and "5".
        package var name: String {
            guard profile >= 8, let compatibility else { return "\(profile)" }
            return "\(profile).\(compatibility)"
        }
    }

    package var base: Base
    package var hasHDR10Plus: Bool
    package var hasST209450 = false
    package var dolbyVision: DolbyVision?

    package static let st209450 = "SMPTE ST 2094-50"

    /// Whether SDR displays need a conversion to show it, as AVFoundation's media characteristic `containsHDRVideo`.
    package var isHDR: Bool { base != .sdr }

    /// Every format, from the base to the richest, such as `["HLG", "Dolby Vision 8.4"]`.
    package var formats: [String] {
        var names: [String] = base == .none ? [] : [base.rawValue]
        if hasHDR10Plus { names.append("HDR10+") }
        if hasST209450 { names.append(Self.st209450) }
        if let dolbyVision { names.append("Dolby Vision \(dolbyVision.name)") }
        return names
    }

    /// The name of the dynamic range, such as "HDR10" and "Dolby Vision 8.4 (HLG base)".
    package var name: String {
        var names: [String] = []
        if let dolbyVision { names.append("Dolby Vision \(dolbyVision.name)") }
        if hasHDR10Plus { names.append("HDR10+") }
        if hasST209450 { names.append(Self.st209450) }
        guard !names.isEmpty else { return base.rawValue }
        let shown = names.joined(separator: " and ")
        return base == .none ? "\(shown) (no base for other displays)" : "\(shown) (\(base.rawValue) base)"
    }
}
