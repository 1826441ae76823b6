import HDRMetadata

extension ExportPlanner {
    /// Whether the pictures of a source may bring dynamic metadata into the file, so that they are searched for them:
    /// those of joined sources are told.
    package func looksForDynamicMetadata(_ given: SourceFormat) -> Bool {
        let codec = settings.codec ?? preset?.videoCodec
        guard given.codec == nil, codec == .hevc, joinedMetadata.isEmpty,
            settings.compression.insertionMode != MetadataInsertionMode.none
        else { return false }
        let source = sourceFormatHint.map(given.completed) ?? given
        guard source.dynamicRange.isHDR, let color = try? colorPlan(source, codec: .hevc) else { return false }
        return color.dynamicRange.isHDR
    }

    /// The plan for dynamic metadata, which describe exact pixels. They are kept with pixels that are only scaled,
    /// rotated or mirrored; where light or picture change, they are measured anew; and they are made for a source
    /// without any only on request, or where another source in the file has them.
    func dynamicMetadata(
        _ source: SourceFormat, color: ColorPlan, geometry: FrameGeometry, codec: VideoCodec,
        warnings: inout [String]
    ) -> DynamicMetadataPlan {
        guard codec == .hevc else {
            if case .author(let format) = authored {
                warnings.append("dynamic-hdr-metadata has no effect: \(format.title) is written into HEVC only")
            }
            return .strip
        }
        let given = source.dynamicMetadata.union(joinedMetadata)
        var formats = given
        for format in given.sorted(by: { $0.title < $1.title }) {
            guard let reason = reasonAgainst(format, color.dynamicRange, codec) else { continue }
            warnings.append("the source's \(format.title) is left out: it \(reason)")
            formats.remove(format)
        }
        if case .author(let format) = authored {
            if let reason = reasonAgainst(format, color.dynamicRange, codec) {
                warnings.append("dynamic-hdr-metadata has no effect: \(format.title) \(reason)")
            } else {
                formats.insert(format)
            }
        }
        if let reason = reasonToRecompute(source, color: color, geometry: geometry) {
            if settings.compression.preserveDynamicMetadata == true, !given.isEmpty {
                warnings.append("preserve-dynamic-hdr-metadata cannot be followed: \(reason)")
            }
            // Choices of a colourist cannot be measured.
            if formats.remove(.st209450) != nil {
                warnings.append(
                    "the source's \(DynamicMetadataFormat.st209450.title) is left out: it cannot be measured, and "
                        + reason)
            }
            return DynamicMetadataPlan(.recompute, formats, reason)
        }
        let added = formats.subtracting(source.dynamicMetadata).subtracting([.st209450])
        guard !added.isEmpty else { return DynamicMetadataPlan(.preserve, formats) }
        var reasons: [String] = []
        if !added.isDisjoint(with: joinedMetadata) { reasons.append(Self.joining) }
        if !added.isSubset(of: joinedMetadata) { reasons.append("dynamic-hdr-metadata asks for it") }
        var plan = DynamicMetadataPlan(.author, formats, reasons.joined(separator: " and "))
        plan.added = added
        return plan
    }

    /// Why a format cannot be in the file, as the predicate of a sentence; `nil` where it can.
    private func reasonAgainst(_ format: DynamicMetadataFormat, _ range: DynamicRange, _ codec: VideoCodec) -> String? {
        guard format.fits(range) else { return "does not exist for \(range)" }
        // Dolby Vision's profile 8 is HEVC Main 10, whose pictures are 4:2:0.
        let profile = (try? settings.compression.profileLevel?.profile(of: codec)) ?? .hevcMain10
        guard format == .dolbyVision, profile != .hevcMain10 else { return nil }
        return "does not exist for \(profile.name), only for main-10"
    }

    private static let joining = "several sources are joined"

    private func reasonToRecompute(
        _ source: SourceFormat, color: ColorPlan, geometry: FrameGeometry
    ) -> String? {
        if settings.compression.preserveDynamicMetadata == false { return "preserve-dynamic-hdr-metadata is false" }
        if source.hadOwnColors { return "pictures of Dolby Vision 5 become BT.2020 and Y'CbCr" }
        if source.hasStaleMetadata { return "the pictures were graded" }
        if source.hasCroppedMetadata { return "the pictures were cropped" }
        if color.action == .convert { return "the color is converted" }
        if joinsSources { return Self.joining }
        if geometry.crop != .zero { return "the picture is cropped" }
        return nil
    }
}
