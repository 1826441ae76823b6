/// Hardware encoders. Their elements exist only where the device and its driver do.
///
/// v4l2h265enc is not among them: its controls are set through a structure whose field names depend on the driver.
extension EncoderOptions {
    static func hardware(
        _ plan: VideoPlan, profile: VideoProfile, rawFormat: String, speed: EncoderSpeed
    ) -> [EncoderOptions] {
        let codec = plan.codec == .hevc ? "h265" : "h264"
        let formats = ["I420": "NV12", "I420_10LE": "P010_10LE"]
        var caps = "video/x-\(codec), profile=(string)\(profile.name), stream-format=(string)byte-stream"
        caps += ", alignment=(string)au"
        if let level = plan.level { caps += ", level=(string)\(level)" }
        func encoder(_ factory: String, _ properties: [EncoderProperty]) -> EncoderOptions {
            EncoderOptions(
                factory: factory, properties: properties, rawFormat: formats[rawFormat] ?? rawFormat, sourceCaps: caps,
                isHardware: true)
        }
        let nvenc = nvenc(plan, speed)
        let found = [encoder("nv\(codec)enc", nvenc), encoder("nvcuda\(codec)enc", nvenc)]
        // The other encoders have no property for the level.
        if plan.level != nil { return found }
        let va = va(plan, speed)
        return found + [
            encoder("va\(codec)enc", va), encoder("va\(codec)lpenc", va),
            encoder("qsv\(codec)enc", quickSync(plan, speed)),
        ]
    }

    /// The properties for NVENC. The elements that 1.22 calls nvh265enc and nvcudah265enc have different names for the
    /// same properties; later versions have the former's, and the presets p1 to p7.
    private static func nvenc(_ plan: VideoPlan, _ speed: EncoderSpeed) -> [EncoderProperty] {
        let isFast = speed.nvenc < 4
        var properties = [
            EncoderProperty(["preset"], [.string("p\(speed.nvenc)"), .string(isFast ? "hp" : "hq")]),
            EncoderProperty("gop-size", .int(plan.keyFrameInterval), .clamped),
            EncoderProperty(["bframes", "b-frames"], [.int(plan.bFrames)]),
        ]
        let mode = ["rc-mode", "rate-control"]
        switch plan.rate {
        case .averageBitRate(let bitRate):
            let rate = kilobits(bitRate)
            properties += [
                EncoderProperty(mode, [.string("vbr")], .exact), EncoderProperty("bitrate", .int(rate), .exact),
                EncoderProperty("max-bitrate", .int(peak(rate))),
            ]
        case .quality(let quality):
            properties.append(EncoderProperty(mode, [.string("constqp"), .string("cqp")], .exact))
            properties += quantizers(quality, plan).map { kind, value in
                EncoderProperty(["qp-const-\(kind)", "qp-\(kind)"], [.int(value)], .exact)
            }
        case .codec, .copied: break
        }
        return properties
    }

    private static func va(_ plan: VideoPlan, _ speed: EncoderSpeed) -> [EncoderProperty] {
        var properties = [
            EncoderProperty("target-usage", .int(speed.targetUsage)),
            EncoderProperty("key-int-max", .int(plan.keyFrameInterval), .clamped),
            EncoderProperty("b-frames", .int(plan.bFrames)),
        ]
        switch plan.rate {
        case .averageBitRate(let bitRate):
            properties += [
                EncoderProperty("rate-control", .string("vbr"), .exact),
                EncoderProperty("bitrate", .int(kilobits(bitRate)), .exact),
                // The average rate relative to the peak, in percent.
                EncoderProperty("target-percentage", .int(100 * 2 / 3)),
            ]
        case .quality(let quality):
            properties.append(EncoderProperty("rate-control", .string("cqp"), .exact))
            properties += quantizers(quality, plan).map { EncoderProperty("qp\($0)", .int($1), .exact) }
        case .codec, .copied: break
        }
        return properties
    }

    private static func quickSync(_ plan: VideoPlan, _ speed: EncoderSpeed) -> [EncoderProperty] {
        var properties = [
            EncoderProperty("target-usage", .int(speed.targetUsage)),
            EncoderProperty("gop-size", .int(plan.keyFrameInterval), .clamped),
            // Each group of pictures starts anew; H.264 counts the key frames in between, HEVC from one to the next.
            EncoderProperty("idr-interval", .int(plan.codec == .hevc ? 1 : 0)),
            EncoderProperty("b-frames", .int(plan.bFrames)),
        ]
        switch plan.rate {
        case .averageBitRate(let bitRate):
            let rate = kilobits(bitRate)
            properties += [
                EncoderProperty("rate-control", .string("vbr"), .exact), EncoderProperty("bitrate", .int(rate), .exact),
                EncoderProperty("max-bitrate", .int(peak(rate))),
            ]
        case .quality(let quality):
            properties.append(EncoderProperty("rate-control", .string("cqp"), .exact))
            properties += quantizers(quality, plan).map { EncoderProperty("qp-\($0)", .int($1), .exact) }
        case .codec, .copied: break
        }
        return properties
    }

    /// The peak bit rate in kbit/s: half more than the average.
    private static func peak(_ rate: Int) -> Int { rate + rate / 2 }

    /// Constant quantizers of intra, predicted and bidirectional pictures, 1...51, around the rate factor that the
    /// software encoder would be given. The steps are x265's and x264's: factors 1.4 and 1.3 between the quantizers'
    /// scales, six steps of which are a factor of 2.
    private static func quantizers(_ quality: Double, _ plan: VideoPlan) -> [(kind: String, value: Int)] {
        let factor =
            plan.codec == .hevc
            ? Int(x265RateFactor(quality: quality).rounded()) : x264RateFactor(quality: quality)
        return [("i", -3), ("p", 0), ("b", 2)].map { ($0, min(max(factor + $1, 1), 51)) }
    }
}

extension EncoderSpeed {
    /// The NVENC preset, from 1, the fastest, to 7, the best.
    var nvenc: Int {
        switch self {
        case .ultrafast, .superfast: 1
        case .veryfast: 2
        case .faster, .fast: 3
        case .medium: 4
        case .slow: 5
        case .slower: 6
        case .veryslow, .placebo: 7
        }
    }

    /// The target usage of VA-API and Quick Sync, from 1, the best, to 7, the fastest.
    var targetUsage: Int { 8 - nvenc }
}
