/// The levels of an interval: one number for each channel, linear, where 1.0 is full scale.
public struct LevelReport: Sendable {
    /// The index of the first frame since `reset`, and the number of frames.
    public let first: Int
    public let frames: Int
    public let peak: [Double]
    public let rms: [Double]
    /// The maximum of the interpolated signal and of the samples.
    public let truePeak: [Double]
}

/// Measures peak, root mean square and true peak over intervals that are counted from `reset`, independently of how the
/// input is divided into calls.
public struct LevelMeter: ~Copyable {
    private let channels: Int
    private let intervalFrames: Int
    private let hasTruePeak: Bool
    private var frame = 0
    private var intervalStart = 0
    /// The peak, the sum of squares and the true peak of each channel.
    private let running: UnsafeMutablePointer<SIMD3<Double>>
    /// The last samples of each channel in chronological order.
    private let history: UnsafeMutablePointer<Double>
    /// The intervals that have ended and were not taken yet.
    private let ended: UnsafeMutablePointer<SIMD3<Double>>
    private let endedFrames: UnsafeMutablePointer<(first: Int, frames: Int)>
    private let maximumEnded: Int
    private var endedCount = 0
    private let taps: UnsafeMutablePointer<SIMD4<Double>>

    private static let tapCount = 12

    /// The four phases of the interpolating filter in Rec. ITU-R BS.1770-4, annex 2, table 1.
    private static let phases: [SIMD4<Double>] = {
        let first = [
            0.0017089843750, 0.0109863281250, -0.0196533203125, 0.0332031250000, -0.0594482421875, 0.1373291015625,
            0.9721679687500, -0.1022949218750, 0.0476074218750, -0.0266113281250, 0.0148925781250, -0.0083007812500,
        ]
        let second = [
            -0.0291748046875, 0.0292968750000, -0.0517578125000, 0.0891113281250, -0.1665039062500, 0.4650878906250,
            0.7797851562500, -0.2003173828125, 0.1015625000000, -0.0582275390625, 0.0330810546875, -0.0189208984375,
        ]
        return (0..<tapCount).map { SIMD4(first[$0], second[$0], second[tapCount - 1 - $0], first[tapCount - 1 - $0]) }
    }()

    /// - Parameters:
    ///   - maxFrames: the maximum number of frames of a call.
    ///   - truePeak: whether to interpolate. From 192 kHz on the samples are close enough to each other.
    public init(channels: Int, sampleRate: Double, maxFrames: Int, intervalFrames: Int, truePeak: Bool = true) {
        self.channels = channels
        self.intervalFrames = max(intervalFrames, 1)
        hasTruePeak = truePeak && sampleRate < 192_000
        running = .allocate(capacity: channels)
        running.initialize(repeating: .zero, count: channels)
        history = .allocate(capacity: channels * Self.tapCount)
        history.initialize(repeating: 0, count: channels * Self.tapCount)
        maximumEnded = maxFrames / self.intervalFrames + 2
        ended = .allocate(capacity: maximumEnded * channels)
        ended.initialize(repeating: .zero, count: maximumEnded * channels)
        endedFrames = .allocate(capacity: maximumEnded)
        endedFrames.initialize(repeating: (0, 0), count: maximumEnded)
        taps = .allocate(capacity: Self.tapCount)
        for (index, phase) in Self.phases.enumerated() { taps.advanced(by: index).initialize(to: phase) }
    }

    deinit {
        running.deallocate()
        history.deallocate()
        ended.deallocate()
        endedFrames.deallocate()
        taps.deallocate()
    }

    /// Restarts the measurement: the next frame is frame 0.
    @_noLocks public mutating func reset() {
        frame = 0
        intervalStart = 0
        endedCount = 0
        for channel in 0..<channels { running[channel] = .zero }
        for index in 0..<(channels &* Self.tapCount) { history[index] = 0 }
    }

    @_noLocks public mutating func process(_ block: AudioBlock) {
        var done = 0
        while done < block.frames {
            let count = min(block.frames &- done, intervalStart &+ intervalFrames &- frame)
            for channel in 0..<channels {
                measure(block.planes[channel] + done, count, running + channel, history + channel &* Self.tapCount)
            }
            done &+= count
            frame &+= count
            if frame &- intervalStart == intervalFrames { close() }
        }
    }

    @_noLocks private func measure(
        _ samples: UnsafePointer<Double>, _ count: Int, _ levels: UnsafeMutablePointer<SIMD3<Double>>,
        _ history: UnsafeMutablePointer<Double>
    ) {
        var peak = levels.pointee.x
        var square = levels.pointee.y
        for index in 0..<count {
            let value = samples[index]
            let size = value.magnitude
            if size > peak { peak = size }
            // NaN counts as silence.
            square += value == value ? value * value : 0
        }
        levels.pointee.x = peak
        levels.pointee.y = square
        guard hasTruePeak else { return }
        var maximum = SIMD4<Double>.zero
        for index in 0..<count {
            for tap in 1..<Self.tapCount { history[tap &- 1] = history[tap] }
            history[Self.tapCount &- 1] = samples[index]
            var sum = SIMD4<Double>.zero
            for tap in 0..<Self.tapCount { sum += taps[tap] * history[Self.tapCount &- 1 &- tap] }
            maximum.replace(with: sum, where: sum .> maximum)
            maximum.replace(with: -sum, where: -sum .> maximum)
        }
        let left = maximum.x > maximum.y ? maximum.x : maximum.y
        let right = maximum.z > maximum.w ? maximum.z : maximum.w
        let highest = left > right ? left : right
        if highest > levels.pointee.z { levels.pointee.z = highest }
    }

    @_noLocks private mutating func close() {
        if endedCount < maximumEnded {
            for channel in 0..<channels { ended[endedCount &* channels &+ channel] = running[channel] }
            endedFrames[endedCount] = (intervalStart, frame &- intervalStart)
            endedCount &+= 1
        }
        for channel in 0..<channels { running[channel] = .zero }
        intervalStart = frame
    }

    /// Ends the interval early. It must not be called in real time.
    public mutating func flush() {
        if frame == intervalStart { return }
        // The interpolation filter still holds the last samples; silence follows them.
        let silence = UnsafeMutablePointer<Double>.allocate(capacity: Self.tapCount)
        silence.initialize(repeating: 0, count: Self.tapCount)
        for channel in 0..<channels {
            measure(silence, Self.tapCount, running + channel, history + channel * Self.tapCount)
        }
        silence.deallocate()
        close()
    }

    /// Passes on the intervals that have ended since the last call. It must not be called in real time.
    public mutating func takeReports(_ body: (LevelReport) -> Void) {
        for index in 0..<endedCount {
            let levels = (0..<channels).map { ended[index * channels + $0] }
            let (first, frames) = endedFrames[index]
            body(
                LevelReport(
                    first: first, frames: frames, peak: levels.map(\.x),
                    rms: levels.map { ($0.y / Double(frames)).squareRoot() }, truePeak: levels.map { max($0.x, $0.z) }))
        }
        endedCount = 0
    }
}
