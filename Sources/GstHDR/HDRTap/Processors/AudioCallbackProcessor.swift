import CGStreamer
import CGstHDR
import CHDRTap
import GstBridge
import HDRAudio
import Synchronization

/// The tap structure that an application's callbacks get, followed by the link from it to the state.
private struct TapHandle: ~Copyable {
    var tap: GstHdrAudioTap
    let state: UnsafeMutablePointer<CallbackState>
    /// The thread that is inside process, which is the only one that may use the state; 0 for none.
    let owner = Atomic<Int>(0)
}

/// All data that a process call uses. Stays at one address between `prepare` and `unprepare`.
private struct CallbackState: ~Copyable {
    let callbacks: GstHdrTapAudioCallbacks
    let format: StreamFormat
    var source: AudioSource
    /// The buffers of the list that the callback process gets, and the planes that `fetch` fills.
    let buffers: UnsafeMutablePointer<GstHdrTapAudioBuffer>
    let planes: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    /// The stream time of the run's first frame, counted in frames.
    var origin: Int64 = 0
    var appliedRate = 1.0

    init(_ callbacks: GstHdrTapAudioCallbacks, _ format: StreamFormat, maxFrames: Int) {
        self.callbacks = callbacks
        self.format = format
        source = AudioSource(planeCount: format.planeCount, frameBytes: format.frameBytes, maxFrames: maxFrames)
        buffers = .allocate(capacity: format.planeCount)
        buffers.initialize(repeating: GstHdrTapAudioBuffer(), count: format.planeCount)
        planes = .allocate(capacity: format.planeCount)
        planes.initialize(repeating: nil, count: format.planeCount)
    }

    deinit {
        buffers.deallocate()
        planes.deallocate()
    }
}

/// An application's callbacks for audio.
final class AudioCallbackProcessor: AudioProcessor, AttachedProcessor, @unchecked Sendable {
    private let callbacks: GstHdrTapAudioCallbacks
    private let userData: gpointer?
    private let notify: GDestroyNotify?
    private let state: UnsafeMutablePointer<CallbackState>
    private let handle: UnsafeMutablePointer<TapHandle>
    private var isPrepared = false
    /// Reports problems of a call to the element.
    private let report: (Report) -> Void
    private var hasComplained = false
    private var reportedDrops = 0

    enum Report {
        /// The number of frames that process did not output, which became silence.
        case silenced(Int)
        /// The number of frames that process did not fetch.
        case dropped(Int)
        /// A call did not fetch anything; reported once per format.
        case notFetched
    }

    /// Calls the callback init.
    init(
        _ callbacks: GstHdrTapAudioCallbacks, userData: gpointer?, notify: GDestroyNotify?,
        report: @escaping (Report) -> Void
    ) {
        self.callbacks = callbacks
        self.userData = userData
        self.notify = notify
        self.report = report
        state = .allocate(capacity: 1)
        handle = .allocate(capacity: 1)
        handle.initialize(
            to: TapHandle(
                tap: GstHdrAudioTap(
                    size: gsize(MemoryLayout<GstHdrAudioTap>.size), user_data: userData, storage: nil, latency: 0,
                    tail: 0, get_source_audio: hdr_tap_get_source_audio),
                state: state))
        super.init()
        callbacks.`init`?(tap, userData)
    }

    deinit {
        handle.deinitialize(count: 1)
        handle.deallocate()
        state.deallocate()
    }

    /// Whether these are the callbacks that were attached with this user data.
    func belongs(to userData: gpointer) -> Bool { self.userData == userData }

    private var tap: UnsafeMutablePointer<GstHdrAudioTap> {
        UnsafeMutableRawPointer(handle).assumingMemoryBound(to: GstHdrAudioTap.self)
    }

    override var latency: Int { Int(handle.pointee.tap.latency) }
    override var tail: UInt64 { UInt64(handle.pointee.tap.tail) }

    override func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        handle.pointee.tap.latency = 0
        handle.pointee.tap.tail = 0
        state.initialize(to: CallbackState(callbacks, format, maxFrames: maxFrames))
        isPrepared = true
        hasComplained = false
        reportedDrops = 0
        var info = format.info
        guard let prepare = callbacks.prepare, prepare(tap, guint(maxFrames), &info) == 0 else { return nil }
        state.deinitialize(count: 1)
        isPrepared = false
        return "The callback prepare refused the format \(Caps.description(caps))"
    }

    override func unprepare() {
        guard isPrepared else { return }
        isPrepared = false
        callbacks.unprepare?(tap)
        state.deinitialize(count: 1)
    }

    override func begin(_ run: ContinuousRun) {
        guard isPrepared else { return }
        state.pointee.source.reset()
        state.pointee.origin = run.streamFrame(0)
        state.pointee.appliedRate = run.clock.appliedRate
    }

    override func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) {
        let mode = gst_hdr_realtime_enter()
        let result = Self.processInRealTime(handle, call)
        gst_hdr_realtime_exit(mode)

        if result.frames < call.frames && !call.isDraining { report(.silenced(call.frames - result.frames)) }
        let dropped = state.pointee.source.dropped
        if dropped > reportedDrops { report(.dropped(dropped - reportedDrops)) }
        reportedDrops = dropped
        if !result.wasFetched && !call.isDraining && !hasComplained {
            hasComplained = true
            report(.notFetched)
        }
        return (result.frames, result.hasEnded)
    }

    /// The real-time part: it must not allocate, lock or call the system.
    @inline(never) @_noLocks private static func processInRealTime(
        _ handle: UnsafeMutablePointer<TapHandle>, _ call: ProcessCall
    ) -> (frames: Int, hasEnded: Bool, wasFetched: Bool) {
        let state = handle.pointee.state
        let tap = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: GstHdrAudioTap.self)
        let planeCount = state.pointee.format.planeCount
        let frameBytes = state.pointee.format.frameBytes
        let buffers = state.pointee.buffers
        state.pointee.source.begin(call.planes, frames: call.isDraining ? 0 : call.frames, ended: call.isDraining)
        for plane in 0..<planeCount {
            buffers[plane] = GstHdrTapAudioBuffer(
                channels: guint(truncatingIfNeeded: state.pointee.format.isPlanar ? 1 : state.pointee.format.channels),
                size: guint(truncatingIfNeeded: call.frames &* frameBytes), data: nil)
        }
        var list = GstHdrTapAudioBufferList(n_buffers: guint(truncatingIfNeeded: planeCount), buffers: buffers)
        var flags: guint = 0
        if state.pointee.source.isStart { flags |= GST_HDR_TAP_START_OF_STREAM.rawValue }
        if call.isDraining { flags |= GST_HDR_TAP_END_OF_STREAM.rawValue }
        var framesOut = guint(truncatingIfNeeded: call.frames)
        var flagsOut: guint = 0
        handle.pointee.owner.store(Int(truncatingIfNeeded: gst_hdr_thread()), ordering: .relaxed)
        withUnsafePointer(to: state.pointee.callbacks) {
            gst_hdr_call_process($0, tap, guint(truncatingIfNeeded: call.frames), flags, &list, &framesOut, &flagsOut)
        }
        handle.pointee.owner.store(0, ordering: .relaxed)

        let wasFetched = state.pointee.source.wasFetched
        if !wasFetched && state.pointee.source.available() > 0 {
            let planes = state.pointee.planes
            for plane in 0..<planeCount { planes[plane] = nil }
            let fetched = state.pointee.source.fetch(call.frames, into: planes)
            framesOut = guint(truncatingIfNeeded: fetched.frames)
            for plane in 0..<planeCount { buffers[plane].data = planes[plane] }
        }
        // Frames that were not fetched are saved before the output overwrites them.
        state.pointee.source.finish()
        let frames = min(Int(framesOut), call.frames)
        for plane in 0..<planeCount {
            let target = call.planes[plane]
            if let made = buffers[plane].data {
                if made != target { target.copyMemory(from: made, byteCount: frames &* frameBytes) }
            } else {
                state.pointee.format.silence(target, frames: frames)
            }
        }
        state.pointee.format.silence(call.planes, from: frames, frames: call.frames &- frames)
        return (frames, flagsOut & GST_HDR_TAP_END_OF_STREAM.rawValue != 0, wasFetched)
    }

    override func finalize() {
        callbacks.finalize?(tap)
        notify?(userData)
    }

    /// The implementation of get_source_audio.
    @_noLocks fileprivate static func fetch(
        _ tap: UnsafeMutablePointer<GstHdrAudioTap>, _ wanted: guint,
        _ list: UnsafeMutablePointer<GstHdrTapAudioBufferList>,
        _ flags: UnsafeMutablePointer<guint>?, _ range: UnsafeMutablePointer<GstHdrTapTimeRange>?,
        _ framesOut: UnsafeMutablePointer<guint>?
    ) -> GstHdrTapStatus {
        let handle = UnsafeMutableRawPointer(tap).assumingMemoryBound(to: TapHandle.self)
        let state = handle.pointee.state
        guard handle.pointee.owner.load(ordering: .relaxed) == Int(truncatingIfNeeded: gst_hdr_thread()) else {
            return GST_HDR_TAP_NOT_IN_PROCESS
        }
        let planeCount = state.pointee.format.planeCount
        let frameBytes = state.pointee.format.frameBytes
        let planes = state.pointee.planes
        guard Int(list.pointee.n_buffers) == planeCount, let buffers = list.pointee.buffers else {
            return GST_HDR_TAP_INVALID_ARGUMENT
        }
        let frames = min(Int(wanted), state.pointee.source.available())
        for plane in 0..<planeCount {
            if buffers[plane].data != nil && Int(buffers[plane].size) < frames &* frameBytes {
                return GST_HDR_TAP_INVALID_ARGUMENT
            }
            planes[plane] = buffers[plane].data
        }
        let fetched = state.pointee.source.fetch(frames, into: planes)
        for plane in 0..<planeCount {
            buffers[plane].data = planes[plane]
            buffers[plane].size = guint(truncatingIfNeeded: fetched.frames &* frameBytes)
        }
        if let framesOut { framesOut.pointee = guint(truncatingIfNeeded: fetched.frames) }
        if let flags {
            flags.pointee =
                (fetched.isStart ? GST_HDR_TAP_START_OF_STREAM.rawValue : 0)
                | (fetched.isEnd ? GST_HDR_TAP_END_OF_STREAM.rawValue : 0)
        }
        if let range {
            let start = ContinuousRun.scaled(fetched.first, state.pointee.appliedRate)
            let end = ContinuousRun.scaled(fetched.first &+ fetched.frames, state.pointee.appliedRate)
            range.pointee = GstHdrTapTimeRange(
                start: Int(state.pointee.origin &+ start), duration: Int(end &- start),
                timescale: gint(truncatingIfNeeded: state.pointee.format.rate))
        }
        return GST_HDR_TAP_OK
    }
}

@c @implementation
func hdr_tap_get_source_audio(
    _ tap: UnsafeMutablePointer<GstHdrAudioTap>!, _ frames: guint,
    _ list: UnsafeMutablePointer<GstHdrTapAudioBufferList>!, _ flags: UnsafeMutablePointer<guint>!,
    _ range: UnsafeMutablePointer<GstHdrTapTimeRange>!, _ frames_out: UnsafeMutablePointer<guint>!
) -> GstHdrTapStatus {
    guard let tap, let list else { return GST_HDR_TAP_INVALID_ARGUMENT }
    return AudioCallbackProcessor.fetch(tap, frames, list, flags, range, frames_out)
}
