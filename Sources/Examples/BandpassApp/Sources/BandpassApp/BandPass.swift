import Foundation
import HDRTap

/// The coefficients of a second-order filter, in the form that is passed to the real-time thread; the coefficient of
/// the previous input sample is 0.
struct Coefficients: BitwiseCopyable, Sendable {
    var now: Float = 1
    var twoBefore: Float = 0
    var outputBefore: Float = 0
    var outputTwoBefore: Float = 0
}

extension Coefficients {
    /// The band-pass of the Audio EQ Cookbook with 0 dB at its center.
    /// - Parameters:
    ///   - center: the center frequency in Hz, below half the rate.
    ///   - cents: the bandwidth between the frequencies that are attenuated by 3 dB, in cents; 1200 are an octave.
    ///   - rate: the sample rate.
    init(center: Double, cents: Double, rate: Double) {
        let omega = 2 * Double.pi * min(max(center, 20), 0.49 * rate) / rate
        let alpha = sin(omega) * sinh(log(2) / 2 * (cents / 1200) * omega / sin(omega))
        now = Float(alpha / (1 + alpha))
        twoBefore = -now
        outputBefore = Float(-2 * cos(omega) / (1 + alpha))
        outputTwoBefore = Float((1 - alpha) / (1 + alpha))
    }
}

/// The filter in the stream. The compiler checks that `process` neither allocates nor locks.
struct BandPass: ~Copyable, AudioProcessor {
    private let settings: AudioQueue<Coefficients>
    private let peak: AudioParameter
    private var filter = Coefficients()
    /// The state of the filter for each channel.
    private var states: UnsafeMutablePointer<(Float, Float)>?

    /// - Parameters:
    ///   - settings: the queue from which coefficients come while the stream plays.
    ///   - peak: the largest sample of the output so far.
    init(settings: borrowing AudioQueue<Coefficients>, peak: borrowing AudioParameter) {
        self.settings = settings.share()
        self.peak = peak.share()
    }

    deinit { states?.deallocate() }

    mutating func prepare(_ format: AudioFormat, maxFrames: Int) throws -> AudioDelay {
        states?.deallocate()
        states = .allocate(capacity: format.channels)
        states?.initialize(repeating: (0, 0), count: format.channels)
        return .none
    }

    @_noLocks mutating func process(_ context: inout AudioContext) {
        context.pull()
        while let new = settings.dequeue() { filter = new }
        guard let states else { return }
        var loudest = peak.value
        for channel in 0..<context.format.channels {
            let samples = context.samples(channel)
            var (first, second) = states[channel]
            for frame in samples.indices {
                let input = samples[frame]
                let output = filter.now * input + first
                first = second - filter.outputBefore * output
                second = filter.twoBefore * input - filter.outputTwoBefore * output
                samples[frame] = output
                loudest = max(loudest, abs(output))
            }
            states[channel] = (first, second)
        }
        peak.value = loudest
    }
}
