import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio
import HDRConcurrency

/// The effect `waveform`: samples go to a ring, from which another thread takes them for drawing.
final class WaveformEffect: Effect, @unchecked Sendable {
    /// What a reader needs to know of a prepared stream.
    struct Stream {
        let ring: Ring
        let channels: Int
        let rate: Int
        /// The clocks of the newest sections, by their numbers.
        var clocks: [(section: Int, clock: SampleClock, isTimed: Bool)] = []
    }

    /// Keeps a ring at its address for as long as a thread uses it.
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

    private let bufferTime = Locked(UInt64(1_000_000_000))
    private let stream = Locked<UncheckedBox<Stream?>>(UncheckedBox(nil))

    /// Lets a value go through a lock that the compiler cannot see to be safe.
    struct UncheckedBox<Value>: @unchecked Sendable {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    override func set(_ property: GstHdrEffectProp, _ value: UnsafePointer<GValue>) {
        bufferTime.withLock { $0 = UInt64(g_value_get_uint64(value)) }
    }

    override func get(_ property: GstHdrEffectProp, _ value: UnsafeMutablePointer<GValue>) {
        g_value_set_uint64(value, guint64(bufferTime.current))
    }

    override func makeTap() -> EffectTap { WaveformTap(self) }

    // MARK: The streaming thread, outside of real time

    func open(_ format: TapFormat, maxFrames: Int) -> Ring {
        // However high the rate, no more than 256 MiB.
        let most = (1 << 26) / format.channels
        let frames = min(ClockTime.frames(nanoseconds: bufferTime.current, rate: format.rate), most)
        let ring = Ring(channels: format.channels, frames: max(frames, 2 * maxFrames))
        stream.withLock { $0.value = Stream(ring: ring, channels: format.channels, rate: format.rate) }
        return ring
    }

    /// Samples that wait can still be pulled; new ones do not come.
    func begin(section: Int, _ clock: SampleClock, isTimed: Bool) {
        stream.withLock { box in
            box.value?.clocks.append((section, clock, isTimed))
            if let count = box.value?.clocks.count, count > 256 { box.value?.clocks.removeFirst(count - 256) }
        }
    }

    // MARK: The reader

    override func pullSamples(most: Int) -> OpaquePointer? {
        stream.withLock { box in
            guard let stream = box.value, most > 0 else { return nil }
            let wanted = min(most, stream.ring.pointer.pointee.capacityFrames)
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
            if let entry = stream.clocks.last(where: { $0.section == read.section }), entry.isTimed {
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

private final class WaveformTap: EffectTap, @unchecked Sendable {
    private let settings: WaveformEffect
    private var ring: WaveformEffect.Ring?
    private var sections = 0

    init(_ effect: WaveformEffect) {
        settings = effect
        super.init(effect)
    }

    override func prepare(_ format: TapFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        ring = settings.open(format, maxFrames: maxFrames)
        sections = 0
        return super.prepare(format, caps: caps, maxFrames: maxFrames)
    }

    override func unprepare() {
        ring = nil
        super.unprepare()
    }

    override func begin(_ section: Section) {
        sections += 1
        settings.begin(section: sections, section.clock, isTimed: section.isTimed)
    }

    override func end(_ section: Section) { ring?.pointer.pointee.flush() }

    override func process(_ call: TapCall, in section: Section) -> (frames: Int, hasEnded: Bool) {
        guard let ring, let io else { return (call.frames, false) }
        let number = sections
        let mode = gst_hdr_realtime_enter()
        Self.run(ring.pointer, io, call, number)
        gst_hdr_realtime_exit(mode)
        return (call.frames, false)
    }

    /// The real-time section. The samples stay as they are.
    @inline(never) @_noLocks private static func run(
        _ ring: UnsafeMutablePointer<SampleRing>, _ io: UnsafeMutablePointer<EffectIO>, _ call: TapCall, _ section: Int
    ) {
        let block = io.pointee.load(call)
        ring.pointee.push(block, section: section, at: call.first)
    }
}
