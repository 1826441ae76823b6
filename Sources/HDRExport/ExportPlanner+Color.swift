import HDRMetadata

extension ExportPlanner {
    /// The four tagging rules of AVVideoColorPropertiesKey: set and untagged: tag only; set and tagged: convert if
    /// different, then tag; unset and tagged: copy the tags; unset and untagged: nothing. Besides, H.264 is SDR, and
    /// allow-wide-color can be false.
    ///
    /// RGB that is untagged becomes Y'CbCr by a matrix that is chosen here, so that it is written: BT.709, which sRGB
    /// shares its primaries with.
    func colorPlan(_ source: SourceFormat, codec: VideoCodec) throws(ExportError) -> ColorPlan {
        let tags = ColorProperties(source.color)
        let sourceColor = tags == nil ? nil : source.color
        func plan(_ action: ColorAction, _ target: ColorProperties?) -> ColorPlan {
            var plan = ColorPlan(action: action, source: sourceColor, target: target?.description(chromaLocation: nil))
            if action == .tag, let target { plan.assumed = target.assumed(of: source) }
            return plan
        }
        if settings.color == nil, let mixedColor {
            let mustNarrow = settings.allowWideColor == false && (mixedColor.isWide || mixedColor.dynamicRange.isHDR)
            let target = mustNarrow ? .bt709 : mixedColor
            // Among tagged sources, an untagged one is assumed to be BT.709.
            var result = plan((tags ?? .bt709) == target ? .keep : .convert, target)
            result.assumed = ColorProperties.bt709.assumed(of: source)
            return result
        }
        if let requested = settings.color {
            if codec == .h264, requested.dynamicRange.isHDR { throw .hdrWithH264(requested.dynamicRange) }
            guard let tags else { return plan(.tag, requested) }
            return plan(tags == requested ? .keep : .convert, requested)
        }
        guard let tags else { return source.chroma == .rgb ? plan(.tag, .bt709) : plan(.untagged, nil) }
        let mustConvert =
            codec == .h264 && tags.dynamicRange.isHDR
            || settings.allowWideColor == false && (tags.isWide || tags.dynamicRange.isHDR)
        return mustConvert ? plan(.convert, .bt709) : plan(.keep, tags)
    }

    /// The chroma location of the output. Chroma that is not resampled keeps its place; otherwise it gets the place in
    /// the standard: for BT.2020 and BT.2100 on the upper left luma sample (2), for all others on the left (0).
    func chromaLocation(_ source: SourceFormat, plan: VideoPlan) -> UInt8? {
        guard plan.profile?.chroma == .yuv420, plan.color.action != .untagged else { return nil }
        let isMoved = plan.color.action == .convert || plan.geometry.isScaled || plan.geometry.changesOrientation
        // Raw 4:2:0 without a stated location has an unknown one, so none is signaled.
        if !isMoved, source.chroma == .yuv420 || source.chroma == nil {
            return source.color?.chromaLocation.flatMap { $0 <= 5 ? $0 : nil }
        }
        return plan.color.target?.primaries == 9 ? 2 : 0
    }

    /// Static metadata are kept with a signal that is not converted; a converted signal loses them, unless the settings
    /// specify them.
    func metadataPlan(
        _ source: SourceFormat, color: ColorPlan, geometry: FrameGeometry, codec: VideoCodec
    ) throws(ExportError) -> (MetadataPlan, warnings: [String]) {
        let requested = settings.compression
        var warnings = colorWarnings(source, color: color)
        let range = color.dynamicRange
        guard range.isHDR else {
            if requested.masteringDisplay != nil { throw .metadataForSDR(key: "mastering-display-color-volume") }
            if case .fixed? = requested.contentLightLevel { throw .metadataForSDR(key: "content-light-level-info") }
            if requested.ambientViewing != nil { throw .metadataForSDR(key: "ambient-viewing-environment") }
            if requested.contentLightLevel == .measured {
                warnings.append("content-light-level-info=auto has no effect on SDR")
            }
            if case .author(let format) = authored {
                warnings.append("dynamic-hdr-metadata has no effect: \(format.title) does not exist for SDR")
            }
            return (.none, warnings)
        }
        if requested.insertionMode == MetadataInsertionMode.none {
            var plan = MetadataPlan.none
            let given = source.dynamicMetadata.union(joinedMetadata)
            if !given.isEmpty { plan.dynamic = .unwanted(given) }
            return (plan, warnings)
        }
        // Without a conversion the light stays the same, and also from PQ to PQ with other primaries.
        let stays = color.action != .convert || source.dynamicRange == .pq && range == .pq
        let kept = stays ? source.metadata : .none
        var plan = MetadataPlan(
            masteringDisplay: requested.masteringDisplay ?? believable(kept.masteringDisplay, \.defect, &warnings),
            contentLightLevel: .none, dynamic: .strip,
            ambientViewing: requested.ambientViewing ?? believable(kept.ambientViewing, \.defect, &warnings))
        switch requested.contentLightLevel {
        case .fixed(let level)?: plan.contentLightLevel = .fixed(level)
        case .measured? where range == .pq: plan.contentLightLevel = .measured
        default:
            if requested.contentLightLevel == .measured {
                warnings.append(
                    "content-light-level-info=auto has no effect on HLG, whose light is relative to the display")
            }
            if let level = believable(kept.contentLightLevel, \.defect, &warnings) {
                plan.contentLightLevel = .fixed(level)
            }
        }
        plan.dynamic = dynamicMetadata(source, color: color, geometry: geometry, codec: codec, warnings: &warnings)
        return (plan, warnings)
    }

    private func believable<T>(_ value: T?, _ defect: (T) -> String?, _ warnings: inout [String]) -> T? {
        guard let value, let defect = defect(value) else { return value }
        warnings.append("the source's HDR metadata is left out: \(defect)")
        return nil
    }

    private func colorWarnings(_ source: SourceFormat, color: ColorPlan) -> [String] {
        var warnings: [String] = []
        if let target = ColorProperties(color.target), !target.isUsual {
            warnings.append(
                color.action == .keep
                    ? "the source's color \(target) is unusual and is kept as it is"
                    : "the color \(target) is unusual, and players may not show it as it is meant")
        }
        if color.dynamicRange == .sdr, source.dynamicRange.isHDR {
            warnings.append("\(source.dynamicRange) becomes SDR, and its HDR metadata is dropped")
        }
        return warnings
    }
}

extension ColorProperties {
    /// These properties as the description of a source's pixels: RGB is full range and has no matrix.
    func assumed(of source: SourceFormat) -> ColorDescription {
        let isRGB = source.chroma == .rgb
        return ColorDescription(
            primaries: primaries, transfer: transfer, matrix: isRGB ? 0 : matrix,
            isFullRange: source.color?.isFullRange ?? isRGB)
    }
}
