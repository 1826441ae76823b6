/// A format of dynamic metadata, which may change from picture to picture.
package enum DynamicMetadataFormat: String, CaseIterable, Sendable {
    /// Dolby Vision of profile 8.1 with PQ, or 8.4 with HLG.
    case dolbyVision = "dolby-vision"
    /// HDR10+ (SMPTE ST 2094-40), with PQ.
    case hdr10Plus = "hdr10-plus"
    /// The format of SMPTE ST 2094-50.
    case st209450 = "st2094-50"

    package var title: String {
        switch self {
        case .dolbyVision: "Dolby Vision"
        case .hdr10Plus: "HDR10+"
        case .st209450: "SMPTE ST 2094-50"
        }
    }

    /// Whether the format is defined for a dynamic range.
    package func fits(_ range: DynamicRange) -> Bool {
        switch self {
        case .dolbyVision, .st209450: range.isHDR
        case .hdr10Plus: range == .pq
        }
    }
}

/// The property `dynamic-hdr-metadata`: the format that is authored for a source that has none.
package enum DynamicMetadataRequest: Equatable, Sendable {
    /// Nothing is authored; the source's metadata decide.
    case auto
    case author(DynamicMetadataFormat)
}

/// How the dynamic metadata of a source are treated.
package struct DynamicMetadataPlan: Equatable, Sendable {
    package enum Action: String, Sendable {
        /// The source's own are kept; the places in them follow where the picture is scaled, rotated or mirrored.
        case preserve
        /// They are measured anew, in the source's formats.
        case recompute
        /// They are measured for pictures without them; those of pictures that have them are preserved.
        case author
        case strip
    }

    package var action: Action
    /// The formats in the file; empty for `strip`, for a source without any, and for a copy, where they are not listed.
    package var formats: Set<DynamicMetadataFormat>
    /// The reason as readable text, which ends a sentence.
    package var reason: String
    /// Those of `formats` that the first pictures lack, for `author`.
    package var added: Set<DynamicMetadataFormat> = []
    /// The formats that the source has and the file lacks, for `strip`.
    package var left: Set<DynamicMetadataFormat> = []

    package init(_ action: Action, _ formats: Set<DynamicMetadataFormat> = [], _ reason: String = "") {
        self.action = action
        self.formats = formats
        self.reason = reason
    }

    package static let strip = DynamicMetadataPlan(.strip)
    /// The plan where no HDR metadata are wanted.
    /// - Parameter formats: the formats of the source.
    static func unwanted(_ formats: Set<DynamicMetadataFormat>) -> Self {
        var plan = Self(.strip, [], "no HDR metadata are to be written")
        plan.left = formats
        return plan
    }
    package static let preserve = DynamicMetadataPlan(.preserve)

    /// A readable summary, such as "Dolby Vision preserved"; `nil` where there are no dynamic metadata.
    package var summary: String? {
        func text(_ formats: Set<DynamicMetadataFormat>, _ deed: String, _ reason: String = "") -> String? {
            guard !formats.isEmpty else { return nil }
            let names = formats.map(\.title).sorted().joined(separator: " and ")
            return "\(names) \(deed)" + (reason.isEmpty ? "" : ", because \(reason)")
        }
        switch action {
        case .preserve: return text(formats, "preserved", reason)
        case .recompute: return text(formats, "measured anew", reason)
        case .strip: return text(left, "left out", reason)
        case .author:
            let measured = formats.intersection(added)
            let parts = [
                text(formats.subtracting(measured), "preserved"), text(measured, "measured and added", reason),
            ]
            return parts.compactMap { $0 }.joined(separator: ", ")
        }
    }
}
