import HDRMetadata

/// Makes the plan of an export from a preset, settings, a file type and a source. It throws all errors of an export
/// that can be known before the first frame.
package struct ExportPlanner: Equatable, Sendable {
    package var preset: ExportPreset?
    /// The settings, which override the preset.
    package var settings: VideoSettings
    package var fileType: FileType
    /// AVAssetWriterInput's `sourceFormatHint`: completes what a source leaves unspecified.
    package var sourceFormatHint: SourceFormat?
    /// Whether the file can carry a rotation; otherwise the picture itself is rotated.
    package var carriesRotation: Bool
    /// The common color of several sources, where the settings name no color; `nil` for a single source.
    package var mixedColor: ColorProperties?
    /// Whether the file joins several sources.
    package var joinsSources = false
    /// The dynamic metadata that any of the file's sources has, as far as they are told before the first picture.
    package var joinedMetadata: Set<DynamicMetadataFormat> = []
    /// The format of dynamic metadata that is authored.
    package var authored = DynamicMetadataRequest.auto

    package init(
        preset: ExportPreset? = nil, settings: VideoSettings = VideoSettings(), fileType: FileType = .mov,
        sourceFormatHint: SourceFormat? = nil
    ) {
        self.preset = preset
        self.settings = settings
        self.fileType = fileType
        self.sourceFormatHint = sourceFormatHint
        carriesRotation = fileType.carriesRotation
    }

    /// Checks the rules that do not depend on the source.
    package func check() throws(ExportError) {
        // Settings made in code must be within the ranges of the dictionary, too.
        _ = try VideoSettings(settings.settings)
        if preset == .passthrough {
            try checkPassthrough()
            return
        }
        if let preset, !preset.fileTypes.contains(fileType), settings.codec == nil {
            if let codec = preset.videoCodec { try fileType.check(codec) }
            throw .presetFileType(preset, fileType)
        }
        if preset == .m4a {
            guard settings.isEmpty else { throw .presetWithoutVideo(.m4a) }
            return
        }
        guard let codec = settings.codec ?? preset?.videoCodec else {
            throw .nothingAsked
        }
        try fileType.check(codec)
        try checkProperties(codec)
        if codec == .h264, let range = settings.color?.dynamicRange, range.isHDR { throw .hdrWithH264(range) }
        let compression = settings.compression
        if let profile = try compression.profileLevel?.profile(of: codec) {
            if profile.bitDepth == 8, let range = settings.color?.dynamicRange, range.isHDR {
                throw .profileDepth(profile, range)
            }
            if profile == .h264Baseline, let bFrames = compression.bFrames, bFrames > 0 {
                throw .bFramesConflict("the Baseline profile has none")
            }
        }
        if compression.insertionMode == MetadataInsertionMode.none {
            if compression.masteringDisplay != nil {
                throw .metadataNotInserted(key: "mastering-display-color-volume")
            }
            if case .fixed? = compression.contentLightLevel {
                throw .metadataNotInserted(key: "content-light-level-info")
            }
            if compression.ambientViewing != nil {
                throw .metadataNotInserted(key: "ambient-viewing-environment")
            }
        }
    }

    /// The plan of a file.
    /// - Throws: the rule that is broken.
    package func plan(video: SourceFormat?, audio: [AudioSource] = []) throws(ExportError) -> ExportPlan {
        var plan = ExportPlan(fileType: fileType, video: nil, audio: [])
        if let video, preset != .m4a { plan.video = try self.plan(video: video) } else { try check() }
        for source in audio { plan.audio.append(try self.plan(audio: source)) }
        return plan
    }

    /// The plan of a video track.
    package func plan(video given: SourceFormat) throws(ExportError) -> VideoPlan {
        try check()
        let source = sourceFormatHint.map(given.completed) ?? given
        try source.check()
        if preset == .passthrough { return try passthrough(source) }
        guard let codec = settings.codec ?? preset?.videoCodec else {
            if let preset { throw .presetWithoutVideo(preset) }
            throw .nothingAsked
        }
        var color = try colorPlan(source, codec: codec)
        // The caps of the pixels do not contain the hint.
        if ColorProperties(given.color) == nil, let hinted = ColorProperties(source.color) {
            color.assumed = hinted.assumed(of: source)
        }
        let (profile, rawFormat) = try encoderInput(source, codec: codec, range: color.dynamicRange)
        try checkDepth(source, codec: codec, color: color)
        let geometry = try self.geometry(source, codec: codec)
        let compression = settings.compression
        let frameRate = settings.frameRate ?? source.usableFrameRate
        // The source's rate takes precedence over the expected one.
        let likelyRate = frameRate ?? compression.expectedSourceFrameRate
        let framesPerSecond = likelyRate?.value ?? 30
        let level = compression.profileLevel?.level
        try checkLevel(level, codec: codec, size: geometry.frame, frameRate: likelyRate)
        try settings.cleanAperture?.check(within: geometry.frame)
        let (metadata, notes) = try metadataPlan(source, color: color, geometry: geometry, codec: codec)
        let (rate, bitRate) = self.rate(
            codec, size: geometry.frame, frameRate: framesPerSecond, range: color.dynamicRange)
        let (interval, bFrames) = keyFrames(codec, profile: profile, frameRate: framesPerSecond)
        var warnings = notes
        if codec == .hevc, interval == 1 {
            warnings.append("x265 calls a stream of key frames only an intra profile, which not every player takes")
        }
        var plan = VideoPlan(
            codec: codec, profile: profile, level: level, fileType: fileType,
            sampleEntry: fileType.sampleEntry(of: codec), rawFormat: rawFormat, geometry: geometry,
            cleanAperture: settings.cleanAperture, frameRate: frameRate, deinterlaces: source.isInterlaced,
            color: color,
            metadata: metadata, chromaLocation: nil, rate: rate, expectedBitRate: bitRate, keyFrameInterval: interval,
            bFrames: bFrames, warnings: warnings)
        plan.resamplesFrames = settings.frameRate != nil
        plan.chromaLocation = chromaLocation(source, plan: plan)
        plan.color.target?.chromaLocation = plan.chromaLocation
        return plan
    }

    private func checkProperties(_ codec: VideoCodec) throws(ExportError) {
        guard codec.isProRes else { return }
        let present = settings.compression.settings.map(\.key)
        if let key = present.first(where: { !CompressionProperties.proResKeys.contains($0) }) {
            throw .propertyForOtherCodec(key: "compression-properties." + key, codec)
        }
    }

    /// Refuses 8-bit pixels that would be taken for HDR without a conversion.
    private func checkDepth(_ source: SourceFormat, codec: VideoCodec, color: ColorPlan) throws(ExportError) {
        guard codec == .hevc, color.dynamicRange.isHDR, let depth = source.bitDepth, depth < 10 else { return }
        if color.action != .convert || source.dynamicRange.isHDR {
            throw .hdrNeedsTenBits(color.dynamicRange, bitDepth: depth)
        }
    }

    /// The profile, and the encoder's input format.
    private func encoderInput(
        _ source: SourceFormat, codec: VideoCodec, range: DynamicRange
    ) throws(ExportError) -> (VideoProfile, String) {
        if codec.isProRes {
            guard codec == .proRes4444 || codec == .proRes4444XQ else { return (.proRes, "I422_10LE") }
            return (.proRes, source.hasAlpha ? "A444_10LE" : "Y444_10LE")
        }
        let needsTen = range.isHDR || (source.bitDepth ?? 8) > 8
        let profile =
            try settings.compression.profileLevel?.profile(of: codec)
            ?? (codec == .h264 ? .h264High : needsTen ? .hevcMain10 : .hevcMain)
        if codec == .hevc, range.isHDR, profile.bitDepth == 8 { throw .profileDepth(profile, range) }
        let format =
            switch profile {
            case .hevcMain10: "I420_10LE"
            case .hevcMain422_10: "I422_10LE"
            case .hevcMain444_10: "Y444_10LE"
            default: "I420"
            }
        return (profile, format)
    }

    private func geometry(_ source: SourceFormat, codec: VideoCodec) throws(ExportError) -> FrameGeometry {
        let turn = carriesRotation ? 0 : source.rotation
        let size = FrameSize(source.width, source.height)
        let lies = turn == 90 || turn == 270
        let fitting = FrameFitting(
            source: lies ? size.transposed : size,
            pixelAspectRatio: lies ? source.pixelAspectRatio.inverted : source.pixelAspectRatio, codec: codec)
        var geometry = try fitting.geometry(
            within: preset?.maximumSize, settings: settings, turn: turn,
            displayRotation: carriesRotation ? source.rotation : 0)
        geometry.isMirrored = source.isMirrored
        return geometry
    }

    private func checkLevel(
        _ name: String?, codec: VideoCodec, size: FrameSize, frameRate: Fraction?
    ) throws(ExportError) {
        guard let name else { return }
        let levels = CodecLevel.all(of: codec)
        let rate = frameRate?.value ?? 0
        func fits(_ level: CodecLevel) -> Bool { level.allows(size, frameRate: rate, codec: codec) }
        guard let level = levels.first(where: { $0.name == name }), fits(level) else {
            throw .level(name, codec, size: size, frameRate: frameRate, needed: levels.first(where: fits)?.name)
        }
    }
}
