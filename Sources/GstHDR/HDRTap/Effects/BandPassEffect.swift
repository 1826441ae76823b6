import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio
import HDRConcurrency

/// The effect `bandpass`.
final class BandPassEffect: Effect, @unchecked Sendable {
    let frequencies: ClosedRange<Double> = 20...384_000
    let bandwidths: ClosedRange<Double> = 100...12_000
    private let values = Locked((frequency: 5000.0, bandwidth: 600.0))
    /// The way to the streaming thread: 0 the frequency, 1 the bandwidth.
    let parameters = ParameterQueue(initial: [5000, 600])

    override func set(_ property: GstHdrEffectProp, _ value: UnsafePointer<GValue>) {
        let isFrequency = property == GST_HDR_EFFECT_PROP_CENTER_FREQUENCY
        let (name, range) = isFrequency ? ("center-frequency", frequencies) : ("bandwidth", bandwidths)
        guard let number = number(value, of: name, "bandpass", in: range) else { return }
        values.withLock { values in
            if isFrequency { values.frequency = number } else { values.bandwidth = number }
            parameters.set(isFrequency ? 0 : 1, to: number)
        }
    }

    override func get(_ property: GstHdrEffectProp, _ value: UnsafeMutablePointer<GValue>) {
        let values = values.current
        g_value_set_double(
            value, property == GST_HDR_EFFECT_PROP_CENTER_FREQUENCY ? values.frequency : values.bandwidth)
    }

    override func makeTap() -> EffectTap { BandPassTap(self) }
}

private final class BandPassTap: EffectTap, @unchecked Sendable {
    private let settings: BandPassEffect
    private var kernel: UnsafeMutablePointer<BandPass>?
    private let frequency: AutomatedProperty
    private let bandwidth: AutomatedProperty
    /// What the application has set, and what the last frame was filtered with.
    private var base = (frequency: 5000.0, bandwidth: 600.0)
    private var last = (frequency: 5000.0, bandwidth: 600.0)
    private var rate = 0

    init(_ effect: BandPassEffect) {
        settings = effect
        frequency = AutomatedProperty("center-frequency", effect.frequencies)
        bandwidth = AutomatedProperty("bandwidth", effect.bandwidths)
        super.init(effect)
    }

    override var tail: UInt64 {
        if followSettings() { last = base }
        let frames = BandPass.decay(
            centerFrequency: last.frequency, bandwidth: last.bandwidth, sampleRate: Double(rate))
        // Next to Nyquist the filter passes nearly everything, and what rings on for long is 80 dB down.
        return UInt64(max(0, last.frequency > 0.44 * Double(rate) ? min(frames, rate / 4) : frames))
    }

    /// - Returns: whether the application has set something.
    private func followSettings() -> Bool {
        var hasChanged = false
        while let change = settings.parameters.next() {
            if change.id == 0 { base.frequency = change.value } else { base.bandwidth = change.value }
            hasChanged = true
        }
        if hasChanged { kernel?.pointee.setParameters(centerFrequency: base.frequency, bandwidth: base.bandwidth) }
        return hasChanged
    }

    override func prepare(_ format: TapFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
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

    override func begin(_ section: Section) { kernel?.pointee.reset() }

    override func process(_ call: TapCall, in section: Section) -> (frames: Int, hasEnded: Bool) {
        guard let kernel, let io else { return (call.frames, false) }
        _ = followSettings()
        let frequencies = frequency.evaluate(settings.object, call, section, base: base.frequency, isExact: false)
        let bandwidths = bandwidth.evaluate(settings.object, call, section, base: base.bandwidth, isExact: false)
        kernel.pointee.setAutomation(frequencies: frequencies, bandwidths: bandwidths, frames: call.frames)
        if call.frames > 0 {
            last.frequency = frequencies?[call.frames - 1] ?? base.frequency
            last.bandwidth = bandwidths?[call.frames - 1] ?? base.bandwidth
        }
        let mode = gst_hdr_realtime_enter()
        Self.run(kernel, io, call)
        gst_hdr_realtime_exit(mode)
        return (call.frames, false)
    }

    /// The real-time section.
    @inline(never) @_noLocks private static func run(
        _ kernel: UnsafeMutablePointer<BandPass>, _ io: UnsafeMutablePointer<EffectIO>, _ call: TapCall
    ) {
        let block = io.pointee.load(call)
        kernel.pointee.process(block)
        io.pointee.store(call)
    }
}
