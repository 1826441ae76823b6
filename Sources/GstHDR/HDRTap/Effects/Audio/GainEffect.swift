import CGStreamer
import CGstHDR
import GstBridge
import Glibc
import HDRAudio
import HDRConcurrency

/// The effect `gain`, with the volume ramps of AVAudioMix.
final class GainEffect: AudioEffect, @unchecked Sendable {
    static let kind = EffectKind(
        name: "gain", typeName: "GstHdrGain",
        properties: [
            EffectProperty(
                "volume", "Volume", "Factor that samples are multiplied by; 1: unchanged",
                .double(volumes, default: 1, unit: "")),
            EffectProperty("gain", "Gain", "Gain in dB, in addition to volume", .double(gains, default: 0, unit: "dB")),
            EffectProperty(
                "volume-ramps", "Volume ramps",
                "Volumes over stream time, each <start, duration, from, to> with times in seconds, in addition to "
                    + "volume and gain. 1.0 before the first ramp; each ramp's last value is held until the next",
                .arrays(items: "<start, duration, from, to>, in seconds and factors")),
        ],
        actions: [
            EffectAction(
                name: "set-volume-ramp",
                arguments: [("from", .double), ("to", .double), ("start", .time), ("duration", .time)]
            ) { effect, values in
                (effect as? GainEffect)?.setVolumeRamp(
                    from: g_value_get_double(values), to: g_value_get_double(values + 1),
                    start: UInt64(g_value_get_uint64(values + 2)), duration: UInt64(g_value_get_uint64(values + 3)))
                return nil
            },
            EffectAction(name: "set-volume-at", arguments: [("volume", .double), ("time", .time)]) { effect, values in
                let volume = g_value_get_double(values)
                (effect as? GainEffect)?.setVolumeRamp(
                    from: volume, to: volume, start: UInt64(g_value_get_uint64(values + 1)), duration: 0)
                return nil
            },
            EffectAction(name: "clear-volume-ramps", arguments: []) { effect, _ in
                (effect as? GainEffect)?.clearVolumeRamps()
                return nil
            },
        ], make: { GainEffect($0) })

    static let volumes: ClosedRange<Double> = 0...10
    /// The range of gains in dB.
    static let gains: ClosedRange<Double> = -200...40

    struct Values {
        var volume = 1.0
        /// The gain in dB.
        var gain = 0.0
        var ramps = VolumeTimeline()
    }
    let values = Locked(Values())
    /// The queue to the streaming thread: parameter 0 is the volume, 1 the gain.
    let parameters = ParameterQueue(initial: [1, 0])

    func set(_ property: String, _ value: UnsafePointer<GValue>) {
        if property == "volume-ramps" { return setRamps(value) }
        let isVolume = property == "volume"
        guard let number = number(value, of: property, Self.kind.name, in: isVolume ? Self.volumes : Self.gains) else {
            return
        }
        values.withLock { values in
            if isVolume { values.volume = number } else { values.gain = number }
            parameters.set(isVolume ? 0 : 1, to: number)
        }
    }

    func get(_ property: String, _ value: UnsafeMutablePointer<GValue>) {
        let values = values.current
        switch property {
        case "volume": g_value_set_double(value, values.volume)
        case "gain": g_value_set_double(value, values.gain)
        default:
            for ramp in values.ramps.ramps {
                let seconds = (Double(ramp.start) / 1e9, Double(ramp.duration) / 1e9)
                var item = ValueArray.of([seconds.0, seconds.1, ramp.from, ramp.to])
                gst_value_array_append_and_take_value(value, &item)
            }
        }
    }

    private func setVolumeRamp(from: Double, to: Double, start: UInt64, duration: UInt64) {
        let problem = values.withLock { values -> String? in
            do {
                values.ramps = try values.ramps.setting(
                    VolumeTimeline.Ramp(start: start, duration: duration, from: from, to: to))
                return nil
            } catch {
                return "\(error)"
            }
        }
        if let problem { complain("A volume ramp of the effect gain cannot be used: \(problem)") }
    }

    private func clearVolumeRamps() { values.withLock { $0.ramps = VolumeTimeline() } }

    private func setRamps(_ value: UnsafePointer<GValue>) {
        var timeline = VolumeTimeline()
        for index in 0..<gst_value_array_get_size(value) {
            let numbers = gst_value_array_get_value(value, index).map { ValueArray.doubles($0) } ?? []
            guard numbers.count == 4, numbers.allSatisfy({ $0.isFinite && $0 >= 0 }), numbers[0] < 1e9, numbers[1] < 1e9
            else {
                complain(
                    "Item \(index + 1) of the property volume-ramps of the effect gain is no ramp: a ramp has four "
                        + "numbers, start and duration in seconds, volumes from and to")
                return
            }
            let ramp = VolumeTimeline.Ramp(
                start: UInt64((numbers[0] * 1e9).rounded()), duration: UInt64((numbers[1] * 1e9).rounded()),
                from: numbers[2], to: numbers[3])
            timeline = (try? timeline.setting(ramp)) ?? timeline
        }
        values.withLock { $0.ramps = timeline }
    }

    func makeProcessor() -> EffectProcessor { GainProcessor(self) }
}

private final class GainProcessor: EffectProcessor, @unchecked Sendable {
    private let settings: GainEffect
    private var kernel: UnsafeMutablePointer<Gain>?
    private let volume = AutomatedProperty("volume", of: GainEffect.kind, GainEffect.volumes)
    private let gain = AutomatedProperty("gain", of: GainEffect.kind, GainEffect.gains)
    private var factors: UnsafeMutablePointer<Double>?
    private var base = (volume: 1.0, gain: 0.0)

    init(_ effect: GainEffect) {
        settings = effect
        super.init(effect)
    }

    override func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        volume.prepare(maxFrames: maxFrames)
        gain.prepare(maxFrames: maxFrames)
        factors = .allocate(capacity: maxFrames)
        let kernel = UnsafeMutablePointer<Gain>.allocate(capacity: 1)
        kernel.initialize(to: Gain(channels: format.channels, sampleRate: Double(format.rate), maxFrames: maxFrames))
        self.kernel = kernel
        base = (settings.parameters.value(0), settings.parameters.value(1))
        return super.prepare(format, caps: caps, maxFrames: maxFrames)
    }

    override func unprepare() {
        factors?.deallocate()
        factors = nil
        kernel?.deinitialize(count: 1)
        kernel?.deallocate()
        kernel = nil
        super.unprepare()
    }

    override func begin(_ run: ContinuousRun) { kernel?.pointee.reset() }

    override func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) {
        guard let kernel, let samples, let factors else { return (call.frames, false) }
        while let change = settings.parameters.next() {
            if change.id == 0 { base.volume = change.value } else { base.gain = change.value }
        }
        let volumes = volume.evaluate(settings, call, run, base: base.volume, isExact: true)
        let gains = gain.evaluate(settings, call, run, base: base.gain, isExact: true)
        let ramps = settings.values.withLock { $0.ramps }
        // Values of a controller or a ramp are applied exactly; changes by the application are smoothed.
        kernel.pointee.setVolume((volumes == nil ? base.volume : 1) * (gains == nil ? Self.factor(base.gain) : 1))
        let isAutomated = volumes != nil || gains != nil || !ramps.ramps.isEmpty
        if isAutomated {
            if run.isTimed && !ramps.ramps.isEmpty {
                ramps.fill(factors, frames: call.frames, times: run.clock, first: call.first)
            } else {
                factors.update(repeating: 1, count: call.frames)
            }
            if let volumes { for index in 0..<call.frames { factors[index] *= volumes[index] } }
            if let gains { for index in 0..<call.frames { factors[index] *= Self.factor(gains[index]) } }
        }
        kernel.pointee.setAutomation(isAutomated ? UnsafePointer(factors) : nil, frames: call.frames)
        let mode = gst_hdr_realtime_enter()
        Self.processInRealTime(kernel, samples, call)
        gst_hdr_realtime_exit(mode)
        return (call.frames, false)
    }

    private static func factor(_ decibels: Double) -> Double { decibels == 0 ? 1 : pow(10, decibels / 20) }

    /// The real-time part: it must not allocate, lock or call the system.
    @inline(never) @_noLocks private static func processInRealTime(
        _ kernel: UnsafeMutablePointer<Gain>, _ samples: UnsafeMutablePointer<EffectSamples>, _ call: ProcessCall
    ) {
        let block = samples.pointee.load(call)
        kernel.pointee.process(block)
        samples.pointee.store(call)
    }
}
