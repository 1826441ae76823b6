import CGStreamer
import CGstHDR
import GstBridge
import Glibc
import HDRAudio
import HDRConcurrency

/// The effect `meter`: levels of the audio, in element messages.
final class MeterEffect: AudioEffect, @unchecked Sendable {
    static let kind = EffectKind(
        name: "meter", typeName: "GstHdrMeter",
        properties: [
            EffectProperty(
                "interval", "Interval", "Time that each message \"meter\" covers, in ns",
                .time(1_000_000...3_600_000_000_000, default: Values().interval)),
            EffectProperty(
                "true-peak", "True peak", "Measure the peak between the samples too (ITU-R BS.1770, annex 2)",
                .bool(default: Values().hasTruePeak)),
            EffectProperty(
                "loudness", "Loudness",
                "Measure loudness (EBU R 128) with the library libebur128, which must be installed",
                .bool(default: Values().hasLoudness)),
        ], message: "meter", make: { MeterEffect($0) })

    struct Values {
        /// The interval between messages in ns.
        var interval: UInt64 = 100_000_000
        var hasTruePeak = true
        var hasLoudness = false
    }
    let values = Locked(Values())

    func set(_ property: String, _ value: UnsafePointer<GValue>) {
        values.withLock { values in
            switch property {
            case "interval": values.interval = UInt64(g_value_get_uint64(value))
            case "true-peak": values.hasTruePeak = g_value_get_boolean(value) != 0
            default: values.hasLoudness = g_value_get_boolean(value) != 0
            }
        }
    }

    func get(_ property: String, _ value: UnsafeMutablePointer<GValue>) {
        let values = values.current
        switch property {
        case "interval": g_value_set_uint64(value, guint64(values.interval))
        case "true-peak": g_value_set_boolean(value, values.hasTruePeak ? 1 : 0)
        default: g_value_set_boolean(value, values.hasLoudness ? 1 : 0)
        }
    }

    func makeProcessor() -> EffectProcessor { MeterProcessor(self) }
}

private final class MeterProcessor: EffectProcessor, @unchecked Sendable {
    private let settings: MeterEffect
    private var kernel: UnsafeMutablePointer<LevelMeter>?
    private var loudness: Loudness?
    /// The number of frames of the run that were passed to the loudness meter.
    private var loudnessFed = 0
    private var planned = MeterEffect.Values()
    private var rate = 0

    init(_ effect: MeterEffect) {
        settings = effect
        super.init(effect)
    }

    override func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        planned = settings.values.current
        rate = format.rate
        if planned.hasLoudness {
            loudness = Loudness(channels: format.channels, rate: format.rate)
            if loudness == nil {
                return
                    "The effect meter cannot measure loudness, as libebur128.so.1 cannot be loaded (Debian: apt-get "
                    + "install libebur128-1) or does not know these channels"
            }
        }
        let kernel = UnsafeMutablePointer<LevelMeter>.allocate(capacity: 1)
        kernel.initialize(
            to: LevelMeter(
                channels: format.channels, sampleRate: Double(format.rate), maxFrames: maxFrames,
                intervalFrames: max(1, ClockTime.frames(nanoseconds: planned.interval, rate: rate)),
                truePeak: planned.hasTruePeak))
        self.kernel = kernel
        return super.prepare(format, caps: caps, maxFrames: maxFrames)
    }

    override func unprepare() {
        kernel?.deinitialize(count: 1)
        kernel?.deallocate()
        kernel = nil
        loudness = nil
        super.unprepare()
    }

    override func begin(_ run: ContinuousRun) {
        kernel?.pointee.reset()
        loudnessFed = 0
    }

    override func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) {
        guard let kernel, let samples else { return (call.frames, false) }
        let mode = gst_hdr_realtime_enter()
        Self.processInRealTime(kernel, samples, call)
        gst_hdr_realtime_exit(mode)
        kernel.pointee.takeReports { report in
            feedLoudness(samples, call, upTo: report.first + report.frames)
            post(report, run)
        }
        feedLoudness(samples, call, upTo: call.first + call.frames)
        return (call.frames, false)
    }

    /// Posts the levels of the last interval, which may be shorter.
    override func end(_ run: ContinuousRun) {
        guard let kernel else { return }
        kernel.pointee.flush()
        kernel.pointee.takeReports { post($0, run) }
    }

    /// The real-time part: it must not allocate, lock or call the system. The samples are not changed.
    @inline(never) @_noLocks private static func processInRealTime(
        _ kernel: UnsafeMutablePointer<LevelMeter>, _ samples: UnsafeMutablePointer<EffectSamples>, _ call: ProcessCall
    ) {
        let block = samples.pointee.load(call)
        kernel.pointee.process(block)
    }

    private func feedLoudness(_ samples: UnsafeMutablePointer<EffectSamples>, _ call: ProcessCall, upTo frame: Int) {
        guard let loudness, frame > loudnessFed else { return }
        let offset = max(loudnessFed - call.first, 0)
        loudness.add(samples.pointee.block, from: offset, frames: min(frame - call.first, call.frames) - offset)
        loudnessFed = frame
    }

    // MARK: The message

    private func post(_ report: LevelReport, _ run: ContinuousRun) {
        func after(_ frames: Int) -> UInt64 { ClockTime.nanoseconds(frames: frames, rate: run.clock.rate) }
        func decibels(_ values: [Double]) -> Structure.Value {
            .doubles(values.map { $0 > 0 ? 20 * log10($0) : -.infinity })
        }
        var fields: [(String, Structure.Value)] = [
            ("timestamp", .uint64(run.pts(report.first) ?? UInt64.max)),
            ("stream-time", .uint64(run.isTimed ? run.clock.nanoseconds(report.first) : UInt64.max)),
            ("running-time", .uint64(run.runningTime(report.first) ?? UInt64.max)),
            ("duration", .uint64(after(report.first + report.frames) &- after(report.first))),
            ("peak", decibels(report.peak)), ("rms", decibels(report.rms)),
        ]
        if planned.hasTruePeak { fields.append(("true-peak", decibels(report.truePeak))) }
        if let loudness {
            fields += [
                ("momentary", .double(loudness.momentary)), ("short-term", .double(loudness.shortTerm)),
                ("integrated", .double(loudness.integrated)), ("range", .double(loudness.range)),
            ]
        }
        settings.post(Structure.make("meter", fields))
    }
}
