import Glibc

/// A band-pass of second order: a state-variable filter in topology-preserving form (Zavalishin; Simper), 0 dB at its
/// centre, with the frequency response of the Audio EQ Cookbook's BPF (W3C Note, 2021).
///
/// The parameters are those of Core Audio's band-pass unit. Where a parameter jumps, the filter glides to it within a
/// few milliseconds, starting at that sample; steady changes are followed exactly. The output does not depend on how
/// the input is divided into calls.
public struct BandPass: ~Copyable {
    private let channels: Int
    private let sampleRate: Double
    private let maxFrames: Int

    /// The two parameters of the filter's equations, g = tan(πf/fs) and k = 1/Q.
    private var target: Coefficients
    /// The previous sample's target.
    private var previous: Coefficients
    /// The distance between the filter and its target, which decays.
    private var offset = Coefficients(g: 0, k: 0)
    private var isFresh = true
    /// Whether a parameter was set: the next sample then begins a glide, however small the step.
    private var isSet = false
    /// The number of frames since `tidy`, which runs every `period` frames.
    private var phase = 0
    private static let period = 256
    /// The last automated value that was finite.
    private var lastAutomated: Coefficients?
    private let decayFactor: Double
    /// The relative change from one sample to the next above which it counts as a jump.
    private let jump: Double

    private let automation: UnsafeMutablePointer<Coefficients>
    private var isAutomated = false
    private var automated = (frequency: Double.nan, bandwidth: Double.nan)
    private var base: (frequency: Double, bandwidth: Double)
    private let steps: UnsafeMutablePointer<Step>
    /// The filter's two states, of two channels each.
    private let state: UnsafeMutablePointer<(SIMD2<Double>, SIMD2<Double>)>

    public struct Coefficients: Equatable, Sendable {
        public var g: Double
        public var k: Double
    }

    /// The coefficients of one sample. They give the changes of the states as sums of products, which is exact at low
    /// frequencies too and has a short chain of dependent operations.
    private struct Step {
        let m: Double
        let n: Double
        let q: Double
        let h: Double

        @inline(__always)
        init(_ g: Double, _ k: Double) {
            let s = g * (g + k)
            let a1 = 1 / (1 + s)
            m = -2 * s * a1
            n = 2 * g * a1
            q = g * n
            h = k / 2
        }
    }

    /// The time constant of a glide: the distance falls to 1/e, in seconds.
    private static let glide = 0.005

    /// Makes a filter at Core Audio's defaults, 5000 Hz and 600 cents.
    public init(channels: Int, sampleRate: Double, maxFrames: Int) {
        self.channels = channels
        self.sampleRate = sampleRate
        self.maxFrames = maxFrames
        base = (5000, 600)
        target = Self.coefficients(centerFrequency: 5000, bandwidth: 600, sampleRate: sampleRate)
        previous = target
        decayFactor = exp(-1 / (Self.glide * sampleRate))
        jump = 0.003 * 48_000 / sampleRate
        automation = .allocate(capacity: maxFrames)
        automation.initialize(repeating: Coefficients(g: 0, k: 0), count: maxFrames)
        steps = .allocate(capacity: maxFrames)
        steps.initialize(repeating: Step(target.g, target.k), count: maxFrames)
        state = .allocate(capacity: (channels + 1) / 2)
        state.initialize(repeating: (.zero, .zero), count: (channels + 1) / 2)
    }

    deinit {
        automation.deallocate()
        steps.deallocate()
        state.deallocate()
    }

    // MARK: Design

    /// - Parameters:
    ///   - centerFrequency: in Hz; acts from 0.001 to 0.49 times the sample rate.
    ///   - bandwidth: between the points 3 dB down, in cents.
    public static func coefficients(centerFrequency: Double, bandwidth: Double, sampleRate: Double) -> Coefficients {
        let w0 = angle(centerFrequency, sampleRate)
        return Coefficients(g: tan(w0 / 2), k: damping(w0, bandwidth))
    }

    private static func angle(_ frequency: Double, _ sampleRate: Double) -> Double {
        2 * Double.pi * min(max(frequency, 0.001), 0.49 * sampleRate) / sampleRate
    }

    /// The damping 1/Q. Near Nyquist the formula's sinh overflows; it is clamped where the band covers everything.
    private static func damping(_ w0: Double, _ bandwidth: Double) -> Double {
        let octaves = min(max(bandwidth, 1), 12_000) / 1200
        return 2 * sinh(min(M_LN2 / 2 * octaves * w0 / sin(w0), 20))
    }

    /// The number of frames after which the filter's impulse response has decayed by 120 dB.
    public static func decay(centerFrequency: Double, bandwidth: Double, sampleRate: Double) -> Int {
        guard sampleRate > 0 else { return 0 }
        let w0 = angle(centerFrequency, sampleRate)
        let alpha = sin(w0) * damping(w0, bandwidth) / 2
        let a1 = -2 * cos(w0) / (1 + alpha)
        let a2 = (1 - alpha) / (1 + alpha)
        let discriminant = a1 * a1 / 4 - a2
        let radius = discriminant < 0 ? a2.squareRoot() : abs(a1) / 2 + discriminant.squareRoot()
        guard radius > 0 else { return 0 }
        let frames = (log(1e-6) / log(min(radius, 1 - 1e-12))).rounded(.up)
        return frames < 1e15 ? Int(frames) : Int.max
    }

    // MARK: Parameters, outside of real time

    /// Sets the parameters from the next sample on. A value that is not finite is ignored.
    public mutating func setParameters(centerFrequency: Double, bandwidth: Double) {
        let old = base
        if centerFrequency.isFinite { base.frequency = centerFrequency }
        if bandwidth.isFinite { base.bandwidth = bandwidth }
        if base != old { isSet = true }
        target = Self.coefficients(
            centerFrequency: base.frequency, bandwidth: base.bandwidth, sampleRate: sampleRate)
    }

    /// Sets the parameters of each sample of the next call; `nil` keeps the value that was set.
    public mutating func setAutomation(
        frequencies: UnsafePointer<Double>?, bandwidths: UnsafePointer<Double>?, frames: Int
    ) {
        isAutomated = frequencies != nil || bandwidths != nil
        guard isAutomated else {
            lastAutomated = nil
            return
        }
        var last = lastAutomated ?? target
        for index in 0..<min(frames, maxFrames) {
            let frequency = frequencies?[index] ?? base.frequency
            let bandwidth = bandwidths?[index] ?? base.bandwidth
            if frequency != automated.frequency || bandwidth != automated.bandwidth || index == 0 {
                automated = (frequency, bandwidth)
                if frequency.isFinite && bandwidth.isFinite {
                    last = Self.coefficients(centerFrequency: frequency, bandwidth: bandwidth, sampleRate: sampleRate)
                }
            }
            automation[index] = last
        }
        lastAutomated = last
    }

    // MARK: Real time

    /// Discards the state, so that the next sample is the first one.
    @_noLocks public mutating func reset() {
        for pair in 0..<((channels &+ 1) / 2) { state[pair] = (.zero, .zero) }
        offset = Coefficients(g: 0, k: 0)
        isFresh = true
        phase = 0
    }

    /// Filters at most `maxFrames` frames in place.
    @_noLocks public mutating func process(_ block: AudioBlock) {
        let frames = min(block.frames, maxFrames)
        if frames <= 0 { return }
        let isSettled = !isAutomated && !isFresh && target == previous && offset.g == 0 && offset.k == 0 && !isSet
        if !isSettled { plan(frames) }
        let constant = Step(target.g, target.k)
        var done = 0
        while done < frames {
            let count = min(frames &- done, Self.period &- phase)
            for pair in 0..<((channels &+ 1) / 2) {
                let left = block.planes[2 &* pair] + done
                let right = 2 &* pair &+ 1 < channels ? block.planes[2 &* pair &+ 1] + done : nil
                var (s1, s2) = state[pair]
                if isSettled {
                    Self.filter(left, right, count, &s1, &s2) { _ in constant }
                } else {
                    let steps = self.steps + done
                    Self.filter(left, right, count, &s1, &s2) { steps[$0] }
                }
                state[pair] = (s1, s2)
            }
            done &+= count
            phase &+= count
            if phase == Self.period {
                phase = 0
                tidy()
            }
        }
    }

    /// Ends a decay at -600 dB, long before the numbers become subnormal, and clears NaN and infinity. It runs at fixed
    /// frames, so that the output does not depend on the division into calls.
    @_noLocks private func tidy() {
        for pair in 0..<((channels &+ 1) / 2) {
            for lane in 0..<2 {
                let a = state[pair].0[lane].magnitude
                let b = state[pair].1[lane].magnitude
                if (a < 1e-30 && b < 1e-30) || !(a + b < Double.infinity) {
                    state[pair].0[lane] = 0
                    state[pair].1[lane] = 0
                }
            }
        }
    }

    @inline(__always)
    @_noLocks private static func filter(
        _ left: UnsafeMutablePointer<Double>, _ right: UnsafeMutablePointer<Double>?, _ frames: Int,
        _ s1: inout SIMD2<Double>, _ s2: inout SIMD2<Double>, _ step: (Int) -> Step
    ) {
        guard let right else {
            for index in 0..<frames { left[index] = next(SIMD2(left[index], 0), &s1, &s2, step(index)).x }
            return
        }
        for index in 0..<frames {
            let y = next(SIMD2(left[index], right[index]), &s1, &s2, step(index))
            left[index] = y.x
            right[index] = y.y
        }
    }

    @inline(__always)
    @_noLocks private static func next(
        _ x: SIMD2<Double>, _ s1: inout SIMD2<Double>, _ s2: inout SIMD2<Double>, _ c: Step
    ) -> SIMD2<Double> {
        let v = x - s2
        let before = s1
        s1 = before + (before * c.m + v * c.n)
        s2 = s2 + (before * c.n + v * c.q)
        return (before + s1) * c.h
    }

    /// Computes the coefficients of each sample.
    @_noLocks private mutating func plan(_ frames: Int) {
        var index = 0
        while index < frames {
            let now = isAutomated ? automation[index] : target
            follow(now)
            // Without automation the target can change only at the first sample.
            let end = isAutomated ? index &+ 1 : frames
            let goal = SIMD2(now.g, now.k)
            let negligible = goal * 1e-10
            var rest = SIMD2(offset.g, offset.k)
            while index < end {
                rest *= decayFactor
                // The remaining distance is far below what can be heard or measured.
                if rest.x.magnitude < negligible.x { rest.x = 0 }
                if rest.y.magnitude < negligible.y { rest.y = 0 }
                let sum = goal + rest
                steps[index] = Step(sum.x, sum.y)
                index &+= 1
            }
            offset = Coefficients(g: rest.x, k: rest.y)
        }
    }

    /// Adopts a new target: at once at the first sample and for steady changes, otherwise by a glide.
    @_noLocks private mutating func follow(_ now: Coefficients) {
        if isFresh {
            isFresh = false
            previous = now
        } else if now != previous {
            let dg = previous.g - now.g
            let dk = previous.k - now.k
            if isSet || dg.magnitude > jump * previous.g || dk.magnitude > jump * previous.k {
                offset.g += dg
                offset.k += dk
            }
            previous = now
        }
        isSet = false
    }
}
