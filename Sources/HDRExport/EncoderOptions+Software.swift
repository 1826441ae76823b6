import HDRMetadata

extension EncoderOptions {
    /// Maps Apple's scale of quality to HEVC: 0.25 is low, 0.5 normal, 0.75 high, 1 nearly lossless.
    /// - Returns: x265's rate factor (CRF), from 38 for a quality of 0 to 14 for 1, rounded to tenths.
    static func x265RateFactor(quality: Double) -> Double {
        ((38 - 24 * min(max(quality, 0), 1)) * 10).rounded() / 10
    }

    /// - Returns: x264's rate factor, 35 to 11. The element takes whole numbers.
    static func x264RateFactor(quality: Double) -> Int {
        Int((35 - 24 * min(max(quality, 0), 1)).rounded())
    }

    /// - Parameter factory: `hdrx265enc` or `x265enc`, which have the same properties.
    static func x265(
        _ factory: String, _ plan: VideoPlan, profile: VideoProfile, rawFormat: String, speed: EncoderSpeed
    ) -> EncoderOptions {
        var properties = [
            EncoderProperty("speed-preset", .string(speed.rawValue)),
            EncoderProperty("key-int-max", .int(plan.keyFrameInterval)),
        ]
        // The element tunes for a measurement, SSIM, which turns psychovisual optimization off; 2.0 is x265's own
        // default. Key frames can be cut at only where the group of pictures is closed.
        var options = ["repeat-headers=1", "info=0", "open-gop=0", "psy-rd=2.0", "bframes=\(plan.bFrames)"]
        switch plan.rate {
        case .averageBitRate(let bitRate):
            // The property ends at 102 400 kbit/s, and the option string comes after it.
            let rate = kilobits(bitRate)
            if rate <= 102_400 {
                properties.append(EncoderProperty("bitrate", .int(rate)))
            } else {
                options.append("bitrate=\(rate)")
            }
        case .quality(let quality): options.append("crf=\(x265RateFactor(quality: quality))")
        case .codec, .copied: break
        }
        if let level = plan.level { options.append("level-idc=\(level)") }
        // Levels of Dolby Vision limit the rate, in the main tier. hdrx265enc respects these limits by itself.
        if factory != "hdrx265enc", plan.metadata.dynamic.formats.contains(.dolbyVision) {
            let frame = plan.geometry.frame
            var rate = Int(
                DolbyVisionRate.highest(
                    width: frame.width, height: frame.height, framesPerSecond: plan.frameRate?.value ?? 30))
            if case .averageBitRate(let bitRate) = plan.rate { rate = max(rate, kilobits(bitRate)) }
            options += ["vbv-maxrate=\(rate)", "vbv-bufsize=\(rate)", "high-tier=0"]
        }
        // With cutree, x265 3.5 writes beyond its memory for small pictures.
        if min(plan.geometry.frame.width, plan.geometry.frame.height) < 64 { options.append("cutree=0") }
        // The element does not read the chroma siting from caps.
        if let location = plan.chromaLocation, location != 0 { options.append("chromaloc=\(location)") }
        if plan.color.dynamicRange == .pq { options.append("hdr10-opt=1") }
        // The element always writes a color description, from caps whose defaults are filled in.
        if plan.color.target == nil { options += ["colorprim=unknown", "transfer=unknown", "colormatrix=unknown"] }
        properties.append(EncoderProperty("option-string", .string(options.joined(separator: ":"))))
        // A stream of key frames only has an intra profile (H.265 annex A.3.5).
        let profiles = plan.keyFrameInterval == 1 ? "{ \(profile.name), \(profile.name)-intra }" : profile.name
        return EncoderOptions(
            factory: factory, properties: properties, rawFormat: rawFormat,
            sourceCaps: "video/x-h265, profile=(string)\(profiles)")
    }

    static func x264(
        _ plan: VideoPlan, profile: VideoProfile, rawFormat: String, speed: EncoderSpeed
    ) -> EncoderOptions {
        var properties = [
            EncoderProperty("speed-preset", .string(speed.rawValue)),
            EncoderProperty("key-int-max", .int(plan.keyFrameInterval)), EncoderProperty("bframes", .int(plan.bFrames)),
            EncoderProperty("dct8x8", .bool(profile == .h264High)),
            EncoderProperty("cabac", .bool(profile != .h264Baseline)),
            // With a buffer the element caps quality at its default bit rate of 2 Mbit/s, and an average becomes a
            // constant.
            EncoderProperty("vbv-buf-capacity", .int(0)),
        ]
        switch plan.rate {
        case .quality(let quality):
            properties.append(EncoderProperty("pass", .string("qual")))
            properties.append(EncoderProperty("quantizer", .int(x264RateFactor(quality: quality))))
        case .averageBitRate(let bitRate):
            properties.append(EncoderProperty("pass", .string("cbr")))
            properties.append(EncoderProperty("bitrate", .int(kilobits(bitRate))))
        case .codec, .copied: break
        }
        // This is the only way to leave the color unspecified.
        if plan.color.target == nil { properties.append(EncoderProperty("insert-vui", .bool(false))) }
        let level = plan.level.map { ", level=(string)\($0)" } ?? ""
        return EncoderOptions(
            factory: "x264enc", properties: properties, rawFormat: rawFormat,
            sourceCaps: "video/x-h264, profile=(string)\(profile.name)\(level)")
    }

    static func proRes(_ plan: VideoPlan, variant: String, rawFormat: String) -> EncoderOptions {
        var properties = [
            EncoderProperty("profile", .string(variant)),
            // Some of Apple's tools refuse files of vendors other than Apple.
            EncoderProperty("vendor", .string("apl0")),
        ]
        if rawFormat == "A444_10LE" { properties.append(EncoderProperty("alpha-bits", .int(16))) }
        // matroskamux reads the variant from a field of another name, and takes every ProRes for 422 without it.
        let muxerCaps = plan.fileType == .matroska ? "video/x-prores, format=(string)\(variant)" : ""
        return EncoderOptions(
            factory: "avenc_prores_ks", properties: properties, rawFormat: rawFormat, sourceCaps: "video/x-prores",
            muxerCaps: muxerCaps)
    }
}
