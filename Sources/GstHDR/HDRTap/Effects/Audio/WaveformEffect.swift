import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio
import HDRConcurrency

/// The effect `waveform`: writes samples into a ring, from which another thread reads them, for example to draw them.
final class WaveformEffect: AudioEffect, @unchecked Sendable {
    static let kind = EffectKind(
        name: "waveform", typeName: "GstHdrWaveform",
        properties: [
            EffectProperty(
                "buffer-time", "Buffer time",
                "Duration of the samples that are kept for pull-samples, in ns; when it is called too late, the "
                    + "newest samples are lost",
                .time(10_000_000...60_000_000_000, default: initialBufferTime))
        ],
        actions: [
            EffectAction(name: "pull-samples", arguments: [("max_frames", .uint)], givesSample: true) {
                effect, values in
                (effect as? WaveformEffect)?.pullSamples(maximum: Int(g_value_get_uint(values)))
            }
        ], make: { WaveformEffect($0) })

    /// The default length of the ring in ns.
    static let initialBufferTime: UInt64 = 1_000_000_000

    /// The data of a prepared stream that readers need.
    struct Stream {
        let ring: Ring
        let channels: Int
        let rate: Int
        /// The clocks of the most recent runs, by the runs' numbers.
        var clocks: [(run: Int, clock: SampleClock, isTimed: Bool)] = []
    }

    /// Keeps a ring at its address while a thread uses it.
    final class Ring {
        let pointer: UnsafeMutablePointer<SampleRing>

        init(channels: Int, frames: Int) {
            pointer = .allocate(capacity: 1)
            pointer.initialize(to: SampleRing(channels: channels, capacityFrames: frames))
        }

        deinit {
            pointer.deinitialize(count: 1)
            pointer.deallocate()
        }
    }

    private let bufferTime = Locked(initialBufferTime)
    private let stream = Locked<UncheckedSendable<Stream?>>(UncheckedSendable(nil))

    func set(_ property: String, _ value: UnsafePointer<GValue>) {
        bufferTime.withLock { $0 = UInt64(g_value_get_uint64(value)) }
    }

    func get(_ property: String, _ value: UnsafeMutablePointer<GValue>) {
        g_value_set_uint64(value, guint64(bufferTime.current))
    }

    func makeProcessor() -> EffectProcessor { WaveformProcessor(self) }

    // MARK: The streaming thread, outside of real time

    func open(_ format: StreamFormat, maxFrames: Int) -> Ring {
        // At most 256 MiB of floats, whatever the rate.
        let maximum = (1 << 26) / format.channels
        let frames = min(ClockTime.frames(nanoseconds: bufferTime.current, rate: format.rate), maximum)
        let ring = Ring(channels: format.channels, frames: max(frames, 2 * maxFrames))
        stream.withLock { $0.value = Stream(ring: ring, channels: format.channels, rate: format.rate) }
        return ring
    }

    /// Records the clock of a run that begins.
    func begin(run: Int, _ clock: SampleClock, isTimed: Bool) {
        stream.withLock { box in
            box.value?.clocks.append((run, clock, isTimed))
            if let count = box.value?.clocks.count, count > 256 { box.value?.clocks.removeFirst(count - 256) }
        }
    }

    // MARK: The reader

    private func pullSamples(maximum: Int) -> OpaquePointer? {
        stream.withLock { box -> OpaquePointer? in
            guard let stream = box.value, maximum > 0 else { return nil }
            let wanted = min(maximum, stream.ring.pointer.pointee.capacityFrames)
            let bytes = wanted * stream.channels * MemoryLayout<Float>.size
            guard let memory = g_malloc(gsize(bytes)) else { return nil }
            let read = stream.ring.pointer.pointee.read(
                maxFrames: wanted, into: memory.assumingMemoryBound(to: Float.self))
            guard read.frames > 0 else {
                g_free(memory)
                return nil
            }
            let size = gsize(read.frames * stream.channels * MemoryLayout<Float>.size)
            guard
                let buffer = gst_buffer_new_wrapped_full(
                    GstMemoryFlags(0), memory, gsize(bytes), 0, size, memory, { g_free($0) })
            else { return nil }
            defer { gst_buffer_unref(buffer) }
            if let entry = stream.clocks.last(where: { $0.run == read.run }), entry.isTimed {
                let start = entry.clock.nanoseconds(read.firstFrame)
                buffer.pointee.pts = GstClockTime(start)
                buffer.pointee.duration = GstClockTime(entry.clock.nanoseconds(read.firstFrame + read.frames) &- start)
            }
            if read.discontinuity { buffer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DISCONT.rawValue }
            var info = GstAudioInfo()
            gst_audio_info_set_format(&info, GST_AUDIO_FORMAT_F32LE, gint(stream.rate), gint(stream.channels), nil)
            let caps = gst_audio_info_to_caps(&info)
            defer { if let caps { gst_caps_unref(caps) } }
            return gst_sample_new(buffer, caps, nil, nil)
        }
    }
}

private final class WaveformProcessor: EffectProcessor, @unchecked Sendable {
    private let settings: WaveformEffect
    private var ring: WaveformEffect.Ring?
    /// The number of the present run.
    private var number = 0

    init(_ effect: WaveformEffect) {
        settings = effect
        super.init(effect)
    }

    override func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        ring = settings.open(format, maxFrames: maxFrames)
        number = 0
        return super.prepare(format, caps: caps, maxFrames: maxFrames)
    }

    override func unprepare() {
        ring = nil
        super.unprepare()
    }

    override func begin(_ run: ContinuousRun) {
        number += 1
        settings.begin(run: number, run.clock, isTimed: run.isTimed)
    }

    override func end(_ run: ContinuousRun) { ring?.pointer.pointee.flush() }

    override func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) {
        guard let ring, let samples else { return (call.frames, false) }
        let mode = gst_hdr_realtime_enter()
        Self.processInRealTime(ring.pointer, samples, call, number)
        gst_hdr_realtime_exit(mode)
        return (call.frames, false)
    }

    /// The real-time part: it must not allocate, lock or call the system. The samples are not changed.
    @inline(never) @_noLocks private static func processInRealTime(
        _ ring: UnsafeMutablePointer<SampleRing>, _ samples: UnsafeMutablePointer<EffectSamples>, _ call: ProcessCall,
        _ run: Int
    ) {
        let block = samples.pointee.load(call)
        ring.pointee.push(block, run: run, at: call.first)
    }
}
