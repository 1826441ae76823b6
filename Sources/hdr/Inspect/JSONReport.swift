import HDRBitstream
import HDRInspection
import HDRMetadata

/// The files as JSON. The help of ``InspectCommand`` lists the names.
enum JSONReport {
    /// The object of one file, as a member of the array.
    static func text(_ outcome: FileOutcome) -> String {
        var output = ""
        let object: JSON =
            switch outcome.result {
            case .success(let report): file(report)
            case .failure(let error):
                .object([("file", .string(outcome.name)), ("error", .string(error.description))])
            }
        object.write(to: &output, indent: "  ")
        return output
    }

    private static func file(_ report: MediaReport) -> JSON {
        .object(
            [
                ("file", .string(report.name)), ("container", .string(report.container)),
                ("size-bytes", .integer(report.size)),
                ("duration-seconds", .optional(report.duration) { .number(DecimalText($0, decimals: 9).description) }),
                ("contains-hdr-video", .bool(report.containsHDRVideo)), ("video", .array(report.videos.map(video))),
                ("audio", .array(report.audios.map(audio))), ("findings", findings(report.findings)),
            ] + (report.dynamicMetadata.map { [("dynamic-metadata", $0.json)] } ?? []))
    }

    private static func video(_ video: VideoReport) -> JSON {
        let signal = video.signal
        let range = signal.dynamicRange
        let (container, bitstream) = (signal.container, signal.bitstream)
        return .object([
            ("index", .integer(video.index)), ("enabled", .optional(video.isEnabled, JSON.bool)),
            ("main", .bool(video.isMain)), ("enhancement-layer", .bool(video.isEnhancementLayer)),
            ("codec", .string(video.codec)), ("codec-tag", .text(video.tag)),
            ("profile", .text(video.profile)), ("level", .text(video.level)),
            ("width-pixels", .integer(video.width)), ("height-pixels", .integer(video.height)),
            ("display-width-pixels", .integer(video.displaySize?.width)),
            ("display-height-pixels", .integer(video.displaySize?.height)),
            ("rotation-degrees", .integer(video.orientation?.rotation)),
            ("mirrored", .optional(video.orientation?.isMirrored, JSON.bool)),
            ("pixel-aspect-ratio", .string("\(video.pixelAspect.horizontal):\(video.pixelAspect.vertical)")),
            (
                "frames-per-second",
                .optional(video.frameRate.flatMap { $0.numerator > 0 ? $0 : nil }) { .number($0.text) }
            ),
            ("frame-rate-constant", .optional(video.hasConstantRate, JSON.bool)),
            ("bit-depth-bits", .integer(video.bitDepth)), ("chroma-format", .text(video.chromaFormat)),
            ("contains-hdr-video", .bool(signal.containsHDRVideo)),
            ("dynamic-range", .string(range.base.rawValue)), ("hdr-formats", .array(range.formats.map(JSON.string))),
            ("color", both(container?.color, bitstream?.color, signal.color, color)),
            (
                "mastering-display",
                both(container?.masteringDisplay, bitstream?.masteringDisplay, signal.masteringDisplay, mastering)
            ),
            (
                "content-light-level",
                both(container?.contentLightLevel, bitstream?.contentLightLevel, signal.contentLightLevel, light)
            ),
            (
                "ambient-viewing",
                both(container?.ambientViewing, bitstream?.ambientViewing, signal.ambientViewing, ambient)
            ),
            (
                "dolby-vision",
                .optional(signal.dolbyVision) {
                    .object([
                        ("profile", .integer($0.profile)), ("compatibility", .integer($0.compatibility)),
                        ("level", .integer($0.level)), ("name", .string($0.name)),
                        ("base-layer", .string(range.base.rawValue)),
                        ("announced-by-container", .bool(container?.dolbyVision != nil)),
                    ])
                }
            ),
            ("st2094-50", .optional(bitstream?.st209450, toneMap)),
            ("frames-read", .integer(signal.frames.read)),
            ("frames-with-hdr10-plus", .integer(signal.frames.hdr10Plus)),
            ("frames-with-dolby-vision", .integer(signal.frames.dolbyVision)),
            ("frames-with-st2094-50", .integer(signal.frames.st209450)),
            ("findings", findings(video.findings)),
        ])
    }

    private static func audio(_ audio: AudioReport) -> JSON {
        .object([
            ("index", .integer(audio.index)), ("codec", .string(audio.codec)), ("channels", .integer(audio.channels)),
            ("sample-rate-hz", .integer(audio.sampleRate)), ("bit-rate-bits-per-second", .integer(audio.bitRate)),
            ("language", .text(audio.language)),
        ])
    }

    private static func findings(_ findings: [SignalFinding]) -> JSON {
        .array(
            findings.map {
                .object([
                    ("kind", .string($0.kind.rawValue)), ("code", .string($0.code)), ("text", .string($0.text)),
                ])
            })
    }

    private static func both<Value>(
        _ container: Value?, _ bitstream: Value?, _ effective: Value?, _ make: (Value) -> JSON
    ) -> JSON {
        .object([
            ("container", .optional(container, make)), ("bitstream", .optional(bitstream, make)),
            ("effective", .optional(effective, make)),
        ])
    }

    private static func color(_ color: ColorDescription) -> JSON {
        .object([
            ("primaries", .string(color.primariesName)), ("primaries-code", .integer(color.primaries)),
            ("transfer", .string(color.transferName)), ("transfer-code", .integer(color.transfer)),
            ("matrix", .string(color.matrixName)), ("matrix-code", .integer(color.matrix)),
            ("full-range", .optional(color.isFullRange, JSON.bool)),
            ("chroma-location", .text(color.chromaLocationName)),
        ])
    }

    private static func mastering(_ display: MasteringDisplay) -> JSON {
        .object([
            ("gamut", .text(display.gamutName)), ("red", point(display.red)), ("green", point(display.green)),
            ("blue", point(display.blue)), ("white", point(display.white)),
            ("peak-cd-m2", .number(DecimalText(display.maximum, decimals: 4).description)),
            ("black-cd-m2", .number(DecimalText(display.minimum, decimals: 4).description)),
        ])
    }

    private static func light(_ level: ContentLightLevel) -> JSON {
        .object([("max-cll-cd-m2", .integer(level.maximum)), ("max-fall-cd-m2", .integer(level.frameAverage))])
    }

    private static func ambient(_ viewing: AmbientViewing) -> JSON {
        .object([
            ("illuminance-lux", .number(DecimalText(viewing.illuminance, decimals: 4).description)),
            ("light", point(viewing.light)),
        ])
    }

    private static func toneMap(_ metadata: ST209450Metadata) -> JSON {
        func number(_ value: Double) -> JSON {
            .number(DecimalText(UInt32((value * 10000).rounded()), decimals: 4).description)
        }
        return .object([
            ("reference-white-cd-m2", number(metadata.referenceWhiteLuminance)),
            ("baseline-headroom-stops", .optional(metadata.adaptiveToneMap?.baselineHeadroom, number)),
            ("alternate-headrooms-stops", .optional(metadata.alternateHeadrooms) { .array($0.map(number)) }),
        ])
    }

    private static func point(_ point: SIMD2<UInt16>) -> JSON {
        .array([point.x, point.y].map { .number(DecimalText(UInt32($0) * 2, decimals: 5).description) })
    }
}
