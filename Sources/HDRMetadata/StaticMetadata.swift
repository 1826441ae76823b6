/// The HDR metadata that apply to a whole stream: those of HDR10, and the ambient viewing environment.
package struct StaticMetadata: Equatable, Sendable {
    package var masteringDisplay: MasteringDisplay?
    package var contentLightLevel: ContentLightLevel?
    package var ambientViewing: AmbientViewing?

    package init(
        masteringDisplay: MasteringDisplay? = nil, contentLightLevel: ContentLightLevel? = nil,
        ambientViewing: AmbientViewing? = nil
    ) {
        self.masteringDisplay = masteringDisplay
        self.contentLightLevel = contentLightLevel
        self.ambientViewing = ambientViewing
    }

    package static let none = StaticMetadata()

    /// Peaks below this, in cd/m², count as not set, in metadata and where a user sets them.
    package static let lowestPeak = 1.0

    /// The stream's peak in cd/m², from the content light level, else the mastering display; `nil` where neither is
    /// credible.
    package var peak: Double? {
        if let level = contentLightLevel, level.defect == nil { return Double(level.maximum) }
        if let display = masteringDisplay, display.defect == nil { return display.peak }
        return nil
    }

    /// Why values are not credible, one sentence each.
    package var defects: [String] {
        [contentLightLevel?.defect, masteringDisplay?.defect, ambientViewing?.defect].compactMap { $0 }
    }

    /// The values that differ from another stream's metadata.
    package func differing(from other: StaticMetadata) -> StaticMetadata {
        StaticMetadata(
            masteringDisplay: masteringDisplay == other.masteringDisplay ? nil : masteringDisplay,
            contentLightLevel: contentLightLevel == other.contentLightLevel ? nil : contentLightLevel,
            ambientViewing: ambientViewing == other.ambientViewing ? nil : ambientViewing)
    }

    /// These values, replaced by those that `other` has.
    package func replaced(by other: StaticMetadata) -> StaticMetadata {
        StaticMetadata(
            masteringDisplay: other.masteringDisplay ?? masteringDisplay,
            contentLightLevel: other.contentLightLevel ?? contentLightLevel,
            ambientViewing: other.ambientViewing ?? ambientViewing)
    }

    /// The metadata of a signal whose light has been clipped or compressed to a peak in cd/m².
    package func limited(to peak: Double) -> StaticMetadata {
        StaticMetadata(
            masteringDisplay: masteringDisplay?.limited(to: peak),
            contentLightLevel: contentLightLevel?.limited(to: peak), ambientViewing: ambientViewing)
    }
}
