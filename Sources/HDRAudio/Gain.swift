import Glibc

/// Multiplies all channels by a factor. A factor that is set is reached by a glide; automated factors are exact.
public struct Gain: ~Copyable {
    private let channels: Int
    private let maxFrames: Int
    private var target = 1.0
    private var previous = 1.0
    private var offset = 0.0
    private var isFresh = true
    private let decayFactor: Double
    private var automation: UnsafePointer<Double>?
    private let factors: UnsafeMutablePointer<Double>

    /// The time constant of a glide: the distance falls to 1/e, in seconds.
    private static let glide = 0.005

    public init(channels: Int, sampleRate: Double, maxFrames: Int) {
        self.channels = channels
        self.maxFrames = maxFrames
        decayFactor = exp(-1 / (Self.glide * sampleRate))
        factors = .allocate(capacity: maxFrames)
        factors.initialize(repeating: 1, count: maxFrames)
    }

    deinit { factors.deallocate() }

    /// Sets the factor that the next samples glide to. A value that is not finite is ignored.
    public mutating func setVolume(_ volume: Double) {
        if volume.isFinite { target = volume }
    }

    /// Sets the factors of each sample of the next call, in addition to the volume. They must stay valid until then.
    public mutating func setAutomation(_ factors: UnsafePointer<Double>?, frames: Int) { automation = factors }

    /// Ends a glide: the next sample has its factor at once.
    @_noLocks public mutating func reset() {
        offset = 0
        isFresh = true
    }

    /// Multiplies at most `maxFrames` frames in place.
    @_noLocks public mutating func process(_ block: AudioBlock) {
        let frames = min(block.frames, maxFrames)
        if frames <= 0 { return }
        if isFresh {
            isFresh = false
            previous = target
        }
        if target != previous {
            offset += previous - target
            previous = target
        }
        if offset == 0 && automation == nil {
            if target == 1 { return }
            for channel in 0..<channels {
                let plane = block.planes[channel]
                for index in 0..<frames { plane[index] *= target }
            }
            return
        }
        for index in 0..<frames {
            offset *= decayFactor
            if offset.magnitude < 1e-10 { offset = 0 }
            let volume = target + offset
            factors[index] = automation.map { $0[index] * volume } ?? volume
        }
        for channel in 0..<channels {
            let plane = block.planes[channel]
            for index in 0..<frames { plane[index] *= factors[index] }
        }
    }
}
