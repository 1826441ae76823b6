import HDRMetadata

extension ExportPlanner {
    /// Whether the pictures of a source may bring dynamic metadata into the file, so that they are searched for them.
    package func looksForDynamicMetadata(_ given: SourceFormat) -> Bool {
        let codec = settings.codec ?? preset?.videoCodec
        guard given.codec == nil, codec == .hevc,
            settings.compression.insertionMode != MetadataInsertionMode.none
        else { return false }
        let source = sourceFormatHint.map(given.completed) ?? given
        guard source.dynamicRange.isHDR, let color = try? colorPlan(source, codec: .hevc) else { return false }
        return color.dynamicRange.isHDR
    }

    /// The plan for dynamic metadata, which describe exact pixels. They are kept with pixels that are only scaled,
    /// rotated or mirrored; where light or picture change, they are measured anew; and they are made for a source
    /// without any only on request.
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
        let range = color.dynamicRange
        var formats = source.dynamicMetadata
        for format in formats.subtracting(formats.filter { $0.fits(range) }).sorted(by: { $0.title < $1.title }) {
            warnings.append("the source's \(format.title) is left out: it does not exist for \(range)")
            formats.remove(format)
        }
        // Dolby Vision's profile 8 is HEVC Main 10, whose pictures are 4:2:0.
        let profile = (try? settings.compression.profileLevel?.profile(of: codec)) ?? .hevcMain10
        let takesDolbyVision = profile == .hevcMain10
        if !takesDolbyVision, formats.remove(.dolbyVision) != nil {
            warnings.append(
                "the source's \(DynamicMetadataFormat.dolbyVision.title) is left out: it does not exist for "
                    + "\(profile.name), only for main-10")
        }
        var adds = false
        if case .author(let format) = authored {
            if !format.fits(range) {
                warnings.append("dynamic-hdr-metadata has no effect: \(format.title) does not exist for \(range)")
            } else if format == .dolbyVision, !takesDolbyVision {
                warnings.append(
                    "dynamic-hdr-metadata has no effect: \(format.title) does not exist for \(profile.name), only for "
                        + "main-10")
            } else if formats.insert(format).inserted {
                adds = true
            }
        }
        if let reason = reasonToRecompute(source, color: color, geometry: geometry) {
            if settings.compression.preserveDynamicMetadata == true, !source.dynamicMetadata.isEmpty {
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
        guard case .author(let format) = authored, adds else { return DynamicMetadataPlan(.preserve, formats) }
        var plan = DynamicMetadataPlan(.author, formats, "dynamic-hdr-metadata asks for it")
        plan.added = format
        return plan
    }

    private func reasonToRecompute(
        _ source: SourceFormat, color: ColorPlan, geometry: FrameGeometry
    ) -> String? {
        if settings.compression.preserveDynamicMetadata == false { return "preserve-dynamic-hdr-metadata is false" }
        if source.hadOwnColors { return "pictures of Dolby Vision 5 become BT.2020 and Y'CbCr" }
        if source.hasStaleMetadata { return "the pictures were graded" }
        if source.hasCroppedMetadata { return "the pictures were cropped" }
        if color.action == .convert { return "the color is converted" }
        if joinsSources { return "several sources are joined" }
        if geometry.crop != .zero { return "the picture is cropped" }
        return nil
    }
}
