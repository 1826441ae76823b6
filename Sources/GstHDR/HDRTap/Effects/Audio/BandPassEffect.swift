import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio
import HDRConcurrency

/// The effect `bandpass`, with the parameters of Core Audio's band-pass unit (AudioUnitParameters.h).
final class BandPassEffect: AudioEffect, @unchecked Sendable {
    static let kind = EffectKind(
        name: "bandpass", typeName: "GstHdrBandpass",
        properties: [
            EffectProperty(
                "center-frequency", "Center frequency",
                "Frequency that passes unchanged, in Hz; effective up to 0.49 times the sample rate",
                .double(frequencies, default: initial.frequency, unit: "Hz")),
            EffectProperty(
                "bandwidth", "Bandwidth",
                "Distance between the two frequencies that are attenuated by 3 dB, in cents (1200 cents are an octave)",
                .double(bandwidths, default: initial.bandwidth, unit: "cents")),
        ], make: { BandPassEffect($0) })

    /// Frequency in Hz and bandwidth in cents.
    typealias Values = (frequency: Double, bandwidth: Double)
    static let initial: Values = (5000, 600)
    static let frequencies: ClosedRange<Double> = 20...384_000
    static let bandwidths: ClosedRange<Double> = 100...12_000

    private let values = Locked(initial)
    /// The queue to the streaming thread: parameter 0 is the frequency, 1 the bandwidth.
    let parameters = ParameterQueue(initial: [initial.frequency, initial.bandwidth])

    func set(_ property: String, _ value: UnsafePointer<GValue>) {
        let isFrequency = property == "center-frequency"
        let range = isFrequency ? Self.frequencies : Self.bandwidths
        guard let number = number(value, of: property, Self.kind.name, in: range) else { return }
        values.withLock { values in
            if isFrequency { values.frequency = number } else { values.bandwidth = number }
            parameters.set(isFrequency ? 0 : 1, to: number)
        }
    }

    func get(_ property: String, _ value: UnsafeMutablePointer<GValue>) {
        let values = values.current
        g_value_set_double(value, property == "center-frequency" ? values.frequency : values.bandwidth)
    }

    func makeProcessor() -> EffectProcessor { BandPassProcessor(self) }
}

private final class BandPassProcessor: EffectProcessor, @unchecked Sendable {
    private let settings: BandPassEffect
    private var kernel: UnsafeMutablePointer<BandPass>?
    private let frequency: AutomatedProperty
    private let bandwidth: AutomatedProperty
    /// The values that the application has set, and those with which the last frame was filtered.
    private var base = BandPassEffect.initial
    private var last = BandPassEffect.initial
    private var rate = 0

    init(_ effect: BandPassEffect) {
        settings = effect
        frequency = AutomatedProperty("center-frequency", of: BandPassEffect.kind, BandPassEffect.frequencies)
        bandwidth = AutomatedProperty("bandwidth", of: BandPassEffect.kind, BandPassEffect.bandwidths)
        super.init(effect)
    }

    override var tail: UInt64 {
        if followSettings() { last = base }
        let frames = BandPass.decay(
            centerFrequency: last.frequency, bandwidth: last.bandwidth, sampleRate: Double(rate))
        // Near Nyquist the filter passes nearly everything; what rings for long there is attenuated by 80 dB.
        return UInt64(max(0, last.frequency > 0.44 * Double(rate) ? min(frames, rate / 4) : frames))
    }

    /// Adopts the values that the application has set.
    /// - Returns: whether there were any.
    private func followSettings() -> Bool {
        var hasChanged = false
        while let change = settings.parameters.next() {
            if change.id == 0 { base.frequency = change.value } else { base.bandwidth = change.value }
            hasChanged = true
        }
        if hasChanged { kernel?.pointee.setParameters(centerFrequency: base.frequency, bandwidth: base.bandwidth) }
        return hasChanged
    }

    override func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        rate = format.rate
        frequency.prepare(maxFrames: maxFrames)
        bandwidth.prepare(maxFrames: maxFrames)
        let kernel = UnsafeMutablePointer<BandPass>.allocate(capacity: 1)
        kernel.initialize(
            to: BandPass(channels: format.channels, sampleRate: Double(format.rate), maxFrames: maxFrames))
        self.kernel = kernel
        base = (settings.parameters.value(0), settings.parameters.value(1))
        last = base
        kernel.pointee.setParameters(centerFrequency: base.frequency, bandwidth: base.bandwidth)
        return super.prepare(format, caps: caps, maxFrames: maxFrames)
    }

    override func unprepare() {
        kernel?.deinitialize(count: 1)
        kernel?.deallocate()
        kernel = nil
        super.unprepare()
    }

    override func begin(_ run: ContinuousRun) { kernel?.pointee.reset() }

    override func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) {
        guard let kernel, let samples else { return (call.frames, false) }
        _ = followSettings()
        let frequencies = frequency.evaluate(settings, call, run, base: base.frequency, isExact: false)
        let bandwidths = bandwidth.evaluate(settings, call, run, base: base.bandwidth, isExact: false)
        kernel.pointee.setAutomation(frequencies: frequencies, bandwidths: bandwidths, frames: call.frames)
        if call.frames > 0 {
            last.frequency = frequencies?[call.frames - 1] ?? base.frequency
            last.bandwidth = bandwidths?[call.frames - 1] ?? base.bandwidth
        }
        let mode = gst_hdr_realtime_enter()
        Self.processInRealTime(kernel, samples, call)
        gst_hdr_realtime_exit(mode)
        return (call.frames, false)
    }

    /// The real-time part: it must not allocate, lock or call the system.
    @inline(never) @_noLocks private static func processInRealTime(
        _ kernel: UnsafeMutablePointer<BandPass>, _ samples: UnsafeMutablePointer<EffectSamples>, _ call: ProcessCall
    ) {
        let block = samples.pointee.load(call)
        kernel.pointee.process(block)
        samples.pointee.store(call)
    }
}
