import HDRMetadata

extension ExportPlanner {
    /// The default distance of key frames in seconds: players seek to them, and streaming segments begin at them.
    static let keyFrameDuration = 2.0
    /// The default number of consecutive B-frames.
    static let bFrames = 3

    /// The rate control, and the expected bit rate in bit/s.
    /// - Parameter frameRate: in frames per second.
    func rate(
        _ codec: VideoCodec, size: FrameSize, frameRate: Double, range: DynamicRange
    ) -> (RateControl, Int) {
        let usual = RatePolicy.bitRate(codec, size: size, frameRate: frameRate, range: range)
        if codec.isProRes { return (.codec, RatePolicy.whole(usual)) }
        if let bitRate = settings.compression.averageBitRate { return (.averageBitRate(bitRate), bitRate) }
        let policy = settings.compression.quality.map(RatePolicy.quality) ?? preset?.rate ?? .average(1)
        switch policy {
        case .quality(let quality):
            return (.quality(quality), RatePolicy.whole(usual * RatePolicy.expectedFactor(quality: quality)))
        case .average(let factor):
            let bitRate = RatePolicy.whole(usual * factor)
            return (.averageBitRate(bitRate), bitRate)
        }
    }

    /// The distance of key frames in frames, and the number of B-frames.
    func keyFrames(
        _ codec: VideoCodec, profile: VideoProfile, frameRate: Double
    ) -> (interval: Int, bFrames: Int) {
        guard !codec.isProRes else { return (0, 0) }
        let requested = settings.compression
        // 0 stands for unspecified.
        let frames = requested.maxKeyFrameInterval.flatMap { $0 > 0 ? $0 : nil }
        let requestedDuration = requested.maxKeyFrameIntervalDuration.flatMap { $0 > 0 ? $0 : nil }
        let duration = requestedDuration ?? (frames == nil ? Self.keyFrameDuration : nil)
        var interval = frames ?? Int.max
        if let duration {
            // Slow video has only key frames where that is requested, because players do not take every intra profile.
            let least = requestedDuration == nil ? 2.0 : 1
            interval = min(interval, Int(max(least, min(duration * frameRate, 100_000)).rounded(.up)))
        }
        let reorders = requested.allowFrameReordering ?? true
        let canReorder = reorders && interval > 1 && profile != .h264Baseline
        return (interval, canReorder ? min(requested.bFrames ?? Self.bFrames, max(0, interval - 1)) : 0)
    }
}
