import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

extension HDRConvert {
    /// The values of the properties. Every field holds a value of its property's range.
    struct Settings: Equatable, Sendable {
        /// The tone curve; `nil` for `auto`.
        var toneMapping: ToneCurve?
        var toneMappingDomain = GST_HDR_CONVERT_DEFAULT_TONE_MAPPING_DOMAIN
        var inverseToneMapping = ToneCurve.none
        var gamutMapping = GST_HDR_CONVERT_DEFAULT_GAMUT_MAPPING
        /// Luminances in cd/m²; the two peaks are 0 where they are not set.
        var referenceWhite = GST_HDR_CONVERT_DEFAULT_REFERENCE_WHITE
        var sourcePeak = GST_HDR_CONVERT_DEFAULT_SOURCE_PEAK
        var targetPeak = GST_HDR_CONVERT_DEFAULT_TARGET_PEAK
        var hlgPeak = GST_HDR_CONVERT_DEFAULT_HLG_PEAK
        var dither = GST_HDR_CONVERT_DEFAULT_DITHER
        var chromaMode = GST_HDR_CONVERT_DEFAULT_CHROMA_MODE
        var quality = GST_HDR_CONVERT_DEFAULT_QUALITY
        /// The number of threads; 0 for one per core.
        var threads = GST_HDR_CONVERT_DEFAULT_N_THREADS
        var peakDetection = GST_HDR_CONVERT_DEFAULT_PEAK_DETECTION
        /// Whether pictures' dynamic metadata are applied.
        var usesMetadata = GST_HDR_CONVERT_DEFAULT_DYNAMIC_METADATA == GST_HDR_METADATA_USE_AUTO
        /// The maximum number of pictures that wait for later ones.
        var lookAhead = GST_HDR_CONVERT_DEFAULT_LOOK_AHEAD
        /// The scenes of the property `scene-light`, and its text.
        var scenes = SceneList()
        var sceneText: String?
        /// The strength of contrast recovery, from 0 to 1; below 0 the element chooses one.
        var contrastRecovery = GST_HDR_CONVERT_DEFAULT_CONTRAST_RECOVERY
    }
}

extension HDRConvert.Settings {
    mutating func set(_ property: GstHdrConvertProp, _ value: UnsafePointer<GValue>) {
        func choice() -> UInt32 { UInt32(bitPattern: g_value_get_enum(value)) }
        switch property {
        case GST_HDR_CONVERT_PROP_TONE_MAPPING: toneMapping = ToneCurve.choice(choice())
        case GST_HDR_CONVERT_PROP_TONE_MAPPING_DOMAIN: toneMappingDomain = GstHdrToneMappingDomain(choice())
        case GST_HDR_CONVERT_PROP_INVERSE_TONE_MAPPING: inverseToneMapping = ToneCurve.inverse(choice())
        case GST_HDR_CONVERT_PROP_GAMUT_MAPPING: gamutMapping = GstHdrGamutMapping(choice())
        case GST_HDR_CONVERT_PROP_REFERENCE_WHITE: referenceWhite = g_value_get_double(value)
        case GST_HDR_CONVERT_PROP_SOURCE_PEAK: sourcePeak = g_value_get_double(value)
        case GST_HDR_CONVERT_PROP_TARGET_PEAK: targetPeak = g_value_get_double(value)
        case GST_HDR_CONVERT_PROP_HLG_PEAK: hlgPeak = g_value_get_double(value)
        case GST_HDR_CONVERT_PROP_DITHER: dither = GstHdrDither(choice())
        case GST_HDR_CONVERT_PROP_CHROMA_MODE: chromaMode = GstHdrChromaMode(choice())
        case GST_HDR_CONVERT_PROP_QUALITY: quality = GstHdrQuality(choice())
        case GST_HDR_CONVERT_PROP_N_THREADS: threads = g_value_get_uint(value)
        case GST_HDR_CONVERT_PROP_PEAK_DETECTION: peakDetection = GstHdrPeakDetection(choice())
        case GST_HDR_CONVERT_PROP_DYNAMIC_METADATA: usesMetadata = choice() == GST_HDR_METADATA_USE_AUTO.rawValue
        case GST_HDR_CONVERT_PROP_LOOK_AHEAD: lookAhead = g_value_get_uint(value)
        case GST_HDR_CONVERT_PROP_CONTRAST_RECOVERY: contrastRecovery = g_value_get_double(value)
        case GST_HDR_CONVERT_PROP_SCENE_LIGHT:
            sceneText = g_value_get_string(value).map { String(cString: $0) }
            scenes = SceneList(text: sceneText ?? "")
        default: break
        }
    }

    func get(_ property: GstHdrConvertProp, _ value: UnsafeMutablePointer<GValue>) {
        func set(_ choice: UInt32) { g_value_set_enum(value, Int32(bitPattern: choice)) }
        switch property {
        case GST_HDR_CONVERT_PROP_TONE_MAPPING: set(ToneCurve.value(of: toneMapping))
        case GST_HDR_CONVERT_PROP_TONE_MAPPING_DOMAIN: set(toneMappingDomain.rawValue)
        case GST_HDR_CONVERT_PROP_INVERSE_TONE_MAPPING: set(ToneCurve.inverseValue(of: inverseToneMapping))
        case GST_HDR_CONVERT_PROP_GAMUT_MAPPING: set(gamutMapping.rawValue)
        case GST_HDR_CONVERT_PROP_REFERENCE_WHITE: g_value_set_double(value, referenceWhite)
        case GST_HDR_CONVERT_PROP_SOURCE_PEAK: g_value_set_double(value, sourcePeak)
        case GST_HDR_CONVERT_PROP_TARGET_PEAK: g_value_set_double(value, targetPeak)
        case GST_HDR_CONVERT_PROP_HLG_PEAK: g_value_set_double(value, hlgPeak)
        case GST_HDR_CONVERT_PROP_DITHER: set(dither.rawValue)
        case GST_HDR_CONVERT_PROP_CHROMA_MODE: set(chromaMode.rawValue)
        case GST_HDR_CONVERT_PROP_QUALITY: set(quality.rawValue)
        case GST_HDR_CONVERT_PROP_N_THREADS: g_value_set_uint(value, threads)
        case GST_HDR_CONVERT_PROP_PEAK_DETECTION: set(peakDetection.rawValue)
        case GST_HDR_CONVERT_PROP_DYNAMIC_METADATA:
            set((usesMetadata ? GST_HDR_METADATA_USE_AUTO : GST_HDR_METADATA_USE_IGNORE).rawValue)
        case GST_HDR_CONVERT_PROP_LOOK_AHEAD: g_value_set_uint(value, lookAhead)
        case GST_HDR_CONVERT_PROP_CONTRAST_RECOVERY: g_value_set_double(value, contrastRecovery)
        case GST_HDR_CONVERT_PROP_SCENE_LIGHT: g_value_set_string(value, sceneText)
        default: break
        }
    }

    /// Whether the source's peak is measured in the pictures.
    var detectsPeaks: Bool {
        peakDetection == GST_HDR_PEAK_DETECTION_AUTO && sourcePeak < StaticMetadata.lowestPeak && scenes.isEmpty
    }

    /// Whether the source's peak comes from the scenes of the property `scene-light`.
    var hasScenes: Bool { sourcePeak < StaticMetadata.lowestPeak && !scenes.isEmpty }

    /// The conversion between two signals. The source's peak is the one that the user has set, or else that of the
    /// scene, from dynamic metadata or measured, or else that of the static metadata; without any of them the plan uses
    /// the nominal one.
    /// - Parameters:
    ///   - requestedPeak: the peak that downstream requests, in cd/m².
    ///   - scene: peak and average of the scene, in cd/m².
    ///   - curve: the tone curve of the scene's own metadata, which `tone-mapping=auto` uses.
    ///   - highlightShare: the share of highlights of an SDR scene, as in `ConversionSettings`.
    func plan(
        from source: VideoSignal, to target: VideoSignal, metadata: StaticMetadata, requestedPeak: Double?,
        scene: (peak: Double, average: Double)? = nil, curve: SceneToneCurve? = nil, highlightShare: Double? = nil
    ) -> ConversionPlan {
        // HLG is relative to its display; the plan derives the peak from that.
        let declared =
            source.color.transfer == .pq ? SceneDetection.declaredPeak(.pq, metadata.peak, hlgPeak: hlgPeak) : nil
        let sourcePeak = scene?.peak ?? declared
        var settings = conversion(sourcePeak: sourcePeak, targetPeak: requestedPeak)
        settings.sourceAverage = scene?.average
        settings.highlightShare = highlightShare
        if let curve, settings.toneCurve == nil {
            settings.takeCurve(curve)
            settings.contrastRecovery = max(contrastRecovery, 0)
        }
        return ConversionPlan(source: source.color, target: target.color, settings: settings)
    }

    /// Properties that name a curve, or leave the scene alone, give the standard's curve as it is.
    private var usualContrastRecovery: Double {
        toneMapping == nil && peakDetection == GST_HDR_PEAK_DETECTION_AUTO ? ContrastRecovery.usual : 0
    }

    private func conversion(sourcePeak metadataPeak: Double?, targetPeak requestedPeak: Double?) -> ConversionSettings {
        var result = ConversionSettings()
        result.toneCurve = toneMapping
        result.domain =
            switch toneMappingDomain {
            case GST_HDR_TONE_MAPPING_DOMAIN_LUMINANCE: .luminance
            case GST_HDR_TONE_MAPPING_DOMAIN_RGB: .rgb
            case GST_HDR_TONE_MAPPING_DOMAIN_ICTCP: .ictcp
            default: .maxRGB
            }
        result.inverseToneCurve = inverseToneMapping
        result.gamutMapping =
            switch gamutMapping {
            case GST_HDR_GAMUT_MAPPING_CLIP: .clip
            case GST_HDR_GAMUT_MAPPING_SOFTCLIP: .softclip
            case GST_HDR_GAMUT_MAPPING_DESATURATE: .desaturate
            case GST_HDR_GAMUT_MAPPING_PERCEPTUAL: .perceptual
            default: nil
            }
        result.contrastRecovery = contrastRecovery < 0 ? usualContrastRecovery : contrastRecovery
        result.referenceWhite = referenceWhite
        result.sourcePeak = sourcePeak >= StaticMetadata.lowestPeak ? sourcePeak : metadataPeak
        result.targetPeak = targetPeak >= StaticMetadata.lowestPeak ? targetPeak : requestedPeak
        result.hlgPeak = hlgPeak
        return result
    }

    var kernelQuality: Quality {
        switch quality {
        case GST_HDR_QUALITY_FAST: .fast
        case GST_HDR_QUALITY_REFERENCE: .reference
        default: .balanced
        }
    }

    /// Dither is used only if the target has fewer bits than the source.
    func format(from source: VideoSignal, to target: VideoSignal) -> FormatPlan {
        FormatPlan(
            source: source.layout, target: target.layout, sourceSiting: source.siting, targetSiting: target.siting,
            chromaMode: chromaMode == GST_HDR_CHROMA_MODE_NEAREST ? .nearest : .linear,
            dither: target.layout.bits < source.layout.bits ? pattern : .none)
    }

    private var pattern: Dither {
        switch dither {
        case GST_HDR_DITHER_ORDERED: .ordered
        case GST_HDR_DITHER_BLUE_NOISE: .blueNoise
        default: .none
        }
    }
}
