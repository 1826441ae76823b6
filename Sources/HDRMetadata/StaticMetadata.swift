/// The HDR metadata of a stream that hold for all of it: HDR10's, and the light it is meant to be seen in.
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

    /// The stream's peak in cd/m², from the content light level, else the mastering display; `nil` where neither can be
    /// believed.
    package var peak: Double? {
        if let level = contentLightLevel, level.defect == nil { return Double(level.maximum) }
        if let display = masteringDisplay, display.defect == nil { return display.peak }
        return nil
    }

    /// What cannot be believed, each in words.
    package var defects: [String] {
        [contentLightLevel?.defect, masteringDisplay?.defect, ambientViewing?.defect].compactMap { $0 }
    }

    /// What says something else than another stream's metadata.
    package func differing(from other: StaticMetadata) -> StaticMetadata {
        StaticMetadata(
            masteringDisplay: masteringDisplay == other.masteringDisplay ? nil : masteringDisplay,
            contentLightLevel: contentLightLevel == other.contentLightLevel ? nil : contentLightLevel,
            ambientViewing: ambientViewing == other.ambientViewing ? nil : ambientViewing)
    }

    /// These values, or those of `wish` where it has any.
    package func replaced(by wish: StaticMetadata) -> StaticMetadata {
        StaticMetadata(
            masteringDisplay: wish.masteringDisplay ?? masteringDisplay,
            contentLightLevel: wish.contentLightLevel ?? contentLightLevel,
            ambientViewing: wish.ambientViewing ?? ambientViewing)
    }

    /// What holds after the light has been cut or compressed to a peak in cd/m².
    package func limited(to peak: Double) -> StaticMetadata {
        StaticMetadata(
            masteringDisplay: masteringDisplay?.limited(to: peak),
            contentLightLevel: contentLightLevel?.limited(to: peak), ambientViewing: ambientViewing)
    }
}
