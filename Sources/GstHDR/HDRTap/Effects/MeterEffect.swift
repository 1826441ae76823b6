import CGStreamer
import CGstHDR
import GstBridge
import Glibc
import HDRAudio
import HDRConcurrency

/// The effect `meter`.
final class MeterEffect: Effect, @unchecked Sendable {
    struct Values {
        /// In ns.
        var interval: UInt64 = 100_000_000
        var hasTruePeak = true
        var hasLoudness = false
    }
    let values = Locked(Values())

    override func set(_ property: GstHdrEffectProp, _ value: UnsafePointer<GValue>) {
        values.withLock { values in
            switch property {
            case GST_HDR_EFFECT_PROP_INTERVAL: values.interval = UInt64(g_value_get_uint64(value))
            case GST_HDR_EFFECT_PROP_TRUE_PEAK: values.hasTruePeak = g_value_get_boolean(value) != 0
            default: values.hasLoudness = g_value_get_boolean(value) != 0
            }
        }
    }

    override func get(_ property: GstHdrEffectProp, _ value: UnsafeMutablePointer<GValue>) {
        let values = values.current
        switch property {
        case GST_HDR_EFFECT_PROP_INTERVAL: g_value_set_uint64(value, guint64(values.interval))
        case GST_HDR_EFFECT_PROP_TRUE_PEAK: g_value_set_boolean(value, values.hasTruePeak ? 1 : 0)
        default: g_value_set_boolean(value, values.hasLoudness ? 1 : 0)
        }
    }

    override func makeTap() -> EffectTap { MeterTap(self) }
}

private final class MeterTap: EffectTap, @unchecked Sendable {
    private let settings: MeterEffect
    private var kernel: UnsafeMutablePointer<LevelMeter>?
    private var loudness: Loudness?
    /// Frames of the section that the loudness has been given.
    private var loudnessFed = 0
    private var planned = MeterEffect.Values()
    private var rate = 0

    init(_ effect: MeterEffect) {
        settings = effect
        super.init(effect)
    }

    override func prepare(_ format: TapFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        planned = settings.values.current
        rate = format.rate
        if planned.hasLoudness {
            loudness = Loudness(channels: format.channels, rate: format.rate)
            if loudness == nil {
                return
                    "The effect meter cannot measure loudness, as libebur128.so.1 cannot be loaded (Debian: apt-get install "
                    + "libebur128-1) or does not know these channels"
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

    override func begin(_ section: Section) {
        kernel?.pointee.reset()
        loudnessFed = 0
    }

    override func process(_ call: TapCall, in section: Section) -> (frames: Int, hasEnded: Bool) {
        guard let kernel, let io else { return (call.frames, false) }
        let mode = gst_hdr_realtime_enter()
        Self.run(kernel, io, call)
        gst_hdr_realtime_exit(mode)
        kernel.pointee.takeReports { report in
            feedLoudness(io, call, upTo: report.first + report.frames)
            post(report, section)
        }
        feedLoudness(io, call, upTo: call.first + call.frames)
        return (call.frames, false)
    }

    /// The last interval is shorter.
    override func end(_ section: Section) {
        guard let kernel else { return }
        kernel.pointee.flush()
        kernel.pointee.takeReports { post($0, section) }
    }

    /// The real-time section. The samples stay as they are.
    @inline(never) @_noLocks private static func run(
        _ kernel: UnsafeMutablePointer<LevelMeter>, _ io: UnsafeMutablePointer<EffectIO>, _ call: TapCall
    ) {
        let block = io.pointee.load(call)
        kernel.pointee.process(block)
    }

    private func feedLoudness(_ io: UnsafeMutablePointer<EffectIO>, _ call: TapCall, upTo frame: Int) {
        guard let loudness, frame > loudnessFed else { return }
        let offset = max(loudnessFed - call.first, 0)
        loudness.add(io.pointee.block, from: offset, frames: min(frame - call.first, call.frames) - offset)
        loudnessFed = frame
    }

    // MARK: The message

    private func post(_ report: LevelReport, _ section: Section) {
        func after(_ frames: Int) -> UInt64 { ClockTime.nanoseconds(frames: frames, rate: section.clock.rate) }
        func decibels(_ values: [Double]) -> Structure.Value {
            .doubles(values.map { $0 > 0 ? 20 * log10($0) : -.infinity })
        }
        var fields: [(String, Structure.Value)] = [
            ("timestamp", .uint64(section.pts(report.first) ?? UInt64.max)),
            ("stream-time", .uint64(section.isTimed ? section.clock.nanoseconds(report.first) : UInt64.max)),
            ("running-time", .uint64(section.runningTime(report.first) ?? UInt64.max)),
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
