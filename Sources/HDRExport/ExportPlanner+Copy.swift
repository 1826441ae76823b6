import HDRMetadata

extension ExportPlanner {
    /// Checks that a copy changes only metadata.
    func checkPassthrough() throws(ExportError) {
        var others = settings
        others.compression = CompressionProperties()
        // Tags can be corrected without touching the pictures.
        others.color = nil
        let compression = settings.compression.settings
        var keys = others.settings.map(\.key)
        for setting in compression where !CompressionProperties.passthroughKeys.contains(setting.key) {
            keys.append("compression-properties." + setting.key)
        }
        // Measuring needs decoded pixels.
        if settings.compression.contentLightLevel == .measured {
            keys.append("compression-properties.content-light-level-info=auto")
        }
        if settings.compression.preserveDynamicMetadata == false {
            keys.append("compression-properties.preserve-dynamic-hdr-metadata=false")
        }
        if !keys.isEmpty { throw .passthroughReencodes(keys: keys) }
        if settings.compression.insertionMode == MetadataInsertionMode.none,
            let key = compression.map(\.key).first(where: {
                $0 == "mastering-display-color-volume" || $0 == "content-light-level-info"
                    || $0 == "ambient-viewing-environment"
            })
        {
            throw .metadataNotInserted(key: key)
        }
    }

    func passthrough(_ source: SourceFormat) throws(ExportError) -> VideoPlan {
        guard let codec = source.codec else { throw .passthroughNeedsCompressed }
        try fileType.check(codec)
        let tags = try self.tags(of: source, codec)
        let range = tags.map { DynamicRange(transfer: $0.transfer) } ?? source.dynamicRange
        let requested = settings.compression
        var metadata = MetadataPlan(
            masteringDisplay: requested.masteringDisplay ?? source.metadata.masteringDisplay, contentLightLevel: .none,
            dynamic: .preserve, ambientViewing: requested.ambientViewing ?? source.metadata.ambientViewing)
        switch requested.contentLightLevel {
        case .fixed(let level)?: metadata.contentLightLevel = .fixed(level)
        default: metadata.contentLightLevel = source.metadata.contentLightLevel.map { .fixed($0) } ?? .none
        }
        // Video that is not known to be HDR may still be HDR, which only the bitstream shows.
        if !range.isHDR, tags != nil || ColorProperties(source.color) != nil {
            if requested.masteringDisplay != nil { throw .metadataForSDR(key: "mastering-display-color-volume") }
            if requested.contentLightLevel != nil { throw .metadataForSDR(key: "content-light-level-info") }
            if requested.ambientViewing != nil { throw .metadataForSDR(key: "ambient-viewing-environment") }
        }
        if requested.insertionMode == MetadataInsertionMode.none {
            metadata = .none
            metadata.dynamic = .unwanted([])
        }
        let color = ColorProperties(source.color) == nil ? nil : source.color
        let size = FrameSize(source.width, source.height)
        let canTurn = carriesRotation || source.rotation == 0
        var warnings =
            canTurn
            ? [] : ["\(fileType.title) cannot say that the picture is to be turned by \(source.rotation) degrees"]
        if source.isMirrored {
            warnings.append("the picture is to be shown mirrored, which a copy does not say; encode it to keep that")
        }
        return VideoPlan(
            codec: codec, profile: nil, level: nil, fileType: fileType,
            sampleEntry: fileType.sampleEntry(of: codec, needsDolbyVision: source.hadOwnColors),
            rawFormat: nil,
            geometry: FrameGeometry(
                turn: 0, displayRotation: carriesRotation ? source.rotation : 0, crop: .zero, scaled: size,
                borders: .zero, frame: size, pixelAspectRatio: source.pixelAspectRatio, isScaled: false),
            cleanAperture: nil, frameRate: source.usableFrameRate, deinterlaces: false,
            color: tags.map { ColorPlan(action: .tag, source: color, target: $0) }
                ?? ColorPlan(action: color == nil ? .untagged : .keep, source: color, target: color),
            metadata: metadata,
            chromaLocation: color?.chromaLocation, rate: .copied, expectedBitRate: 0, keyFrameInterval: 0, bFrames: 0,
            warnings: warnings)
    }

    /// The colour with which a copy is tagged instead of the source's; `nil` to keep the source's.
    private func tags(of source: SourceFormat, _ codec: VideoCodec) throws(ExportError) -> ColorDescription? {
        guard let color = settings.color else { return nil }
        guard codec == .hevc || codec == .h264 || codec.isProRes else {
            throw .passthroughReencodes(keys: ["color-properties of \(codec.title)"])
        }
        var tags = color.description(chromaLocation: source.color?.chromaLocation)
        tags.isFullRange = source.color?.isFullRange ?? false
        return tags
    }

    /// The plan of an audio track.
    package func plan(audio source: AudioSource) throws(ExportError) -> AudioPlan {
        try source.check()
        if preset == .passthrough {
            let codec = source.codec ?? .pcm
            try fileType.check(codec)
            let floatBits = codec == .pcm && source.isFloat ? source.bitDepth : nil
            // Matroska's floats are little-endian (RFC 9559 section 27.1).
            let swapped = fileType == .matroska && source.isBigEndian ? floatBits.map { "F\($0)LE" } : nil
            return AudioPlan(
                codec: codec, isPassthrough: true, sampleRate: source.sampleRate, channels: source.channels, bitRate: 0,
                rawFormat: swapped, channelMask: source.channelMask, floatBits: floatBits)
        }
        let isProRes = (settings.codec ?? preset?.videoCodec)?.isProRes ?? false
        let codec: AudioCodec = isProRes ? .pcm : .aac
        try fileType.check(codec)
        // audioconvert 1.22 crashes at more.
        guard source.channels < 64 || source.codec != nil else {
            throw .sourceNotUsable("it has \(source.channels) audio channels, and GStreamer converts 63 at most")
        }
        if codec == .pcm {
            let is16Bit = source.bitDepth.map { $0 <= 16 } ?? true
            return AudioPlan(
                codec: .pcm, isPassthrough: false, sampleRate: source.sampleRate, channels: source.channels,
                bitRate: source.sampleRate * source.channels * (is16Bit ? 16 : 24),
                rawFormat: is16Bit ? "S16LE" : "S24LE", channelMask: source.channelMask)
        }
        if source.codec == .aac {
            // Encoding it again would only lose quality.
            return AudioPlan(
                codec: .aac, isPassthrough: true, sampleRate: source.sampleRate, channels: source.channels, bitRate: 0,
                rawFormat: nil)
        }
        let sampleRate = AAC.sampleRate(for: source.sampleRate)
        let placement = ChannelPlacement(source)
        let channels = placement.layout.channels
        return AudioPlan(
            codec: .aac, isPassthrough: false, sampleRate: sampleRate, channels: channels,
            bitRate: AAC.bitRate(channels: channels, sampleRate: sampleRate), rawFormat: nil,
            channelMask: placement.layout.channelMask, placement: placement)
    }
}
