/// Metadata that change from picture to picture.
package enum DynamicMetadataFormat: String, CaseIterable, Sendable {
    /// Of profile 8.1 with PQ, 8.4 with HLG.
    case dolbyVision = "dolby-vision"
    /// SMPTE ST 2094-40, with PQ.
    case hdr10Plus = "hdr10-plus"
    /// SMPTE ST 2094-50.
    case st209450 = "st2094-50"

    package var title: String {
        switch self {
        case .dolbyVision: "Dolby Vision"
        case .hdr10Plus: "HDR10+"
        case .st209450: "SMPTE ST 2094-50"
        }
    }

    /// Whether it exists for a dynamic range.
    package func fits(_ range: DynamicRange) -> Bool {
        switch self {
        case .dolbyVision, .st209450: range.isHDR
        case .hdr10Plus: range == .pq
        }
    }
}

/// The property `dynamic-hdr-metadata`: what is authored for a source that has none.
package enum DynamicMetadataRequest: Equatable, Sendable {
    /// Nothing: what the source has decides.
    case auto
    case author(DynamicMetadataFormat)
}

/// What becomes of metadata that change from picture to picture.
package struct DynamicMetadataPlan: Equatable, Sendable {
    package enum Action: String, Sendable {
        /// The source's own; its places follow where the picture is scaled, turned or mirrored.
        case preserve
        /// Measured anew, in the source's formats.
        case recompute
        /// Measured, for a source that has none.
        case author
        case strip
    }

    package var action: Action
    /// What the file gets; none for `strip`, and for a source that has none. Of a copy they are not listed.
    package var formats: Set<DynamicMetadataFormat>
    /// Why, for people, as the end of a sentence.
    package var reason: String

    package init(_ action: Action, _ formats: Set<DynamicMetadataFormat> = [], _ reason: String = "") {
        self.action = action
        self.formats = formats
        self.reason = reason
    }

    package static let strip = DynamicMetadataPlan(.strip)
    package static let preserve = DynamicMetadataPlan(.preserve)

    /// For people: "Dolby Vision is preserved"; `nil` where there is nothing to say.
    package var summary: String? {
        guard !formats.isEmpty else { return nil }
        let names = formats.map(\.title).sorted().joined(separator: " and ")
        let deed =
            switch action {
            case .preserve: "preserved"
            case .recompute: "measured anew"
            case .author: "measured and added"
            case .strip: "left out"
            }
        return "\(names) \(deed)" + (reason.isEmpty ? "" : ", because \(reason)")
    }
}
