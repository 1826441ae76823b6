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
        /// Measured, for a source that has none of that format; what it has of others is preserved.
        case author
        case strip
    }

    package var action: Action
    /// What the file gets; none for `strip`, and for a source that has none. Of a copy they are not listed.
    package var formats: Set<DynamicMetadataFormat>
    /// Why, for people, as the end of a sentence.
    package var reason: String
    /// What is measured of `formats`, for `author`.
    package var added: DynamicMetadataFormat?
    /// What the source has and the file does not get, for `strip`.
    package var left: Set<DynamicMetadataFormat> = []

    package init(_ action: Action, _ formats: Set<DynamicMetadataFormat> = [], _ reason: String = "") {
        self.action = action
        self.formats = formats
        self.reason = reason
    }

    package static let strip = DynamicMetadataPlan(.strip)
    /// For who wants no HDR metadata.
    /// - Parameter formats: of the source.
    static func unwanted(_ formats: Set<DynamicMetadataFormat>) -> Self {
        var plan = Self(.strip, [], "no HDR metadata are to be written")
        plan.left = formats
        return plan
    }
    package static let preserve = DynamicMetadataPlan(.preserve)

    /// For people: "Dolby Vision preserved"; `nil` where there is nothing to say.
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
            let measured = formats.filter { $0 == added }
            let parts = [
                text(formats.subtracting(measured), "preserved"), text(measured, "measured and added", reason),
            ]
            return parts.compactMap { $0 }.joined(separator: ", ")
        }
    }
}
