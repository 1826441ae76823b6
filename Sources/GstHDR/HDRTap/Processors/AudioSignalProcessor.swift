import CGStreamer
import CGstHDR
import HDRAudio

/// The signals prepare, process and unprepare on audio. Each call copies the samples.
final class AudioSignalProcessor: AudioProcessor, @unchecked Sendable {
    private let element: UnsafeMutablePointer<GstHdrTap>
    private let warn: (String) -> Void
    private let silenced: (Int) -> Void
    private var format: StreamFormat?
    /// Whether the next call is the first of its run.
    private var startIsDue = false
    private var hasWarned = false

    /// - Parameters:
    ///   - element: outlives this object.
    ///   - silenced: called with the number of frames that a handler's answer lacked.
    init(
        _ element: UnsafeMutablePointer<GstHdrTap>, warn: @escaping (String) -> Void, silenced: @escaping (Int) -> Void
    ) {
        self.element = element
        self.warn = warn
        self.silenced = silenced
    }

    override func prepare(_ format: StreamFormat, caps: UnsafeMutablePointer<GstCaps>, maxFrames: Int) -> String? {
        self.format = format
        gst_hdr_tap_emit_prepare(element, guint(maxFrames), caps)
        return nil
    }

    override func unprepare() {
        guard format != nil else { return }
        format = nil
        gst_hdr_tap_emit_unprepare(element)
    }

    override func begin(_ run: ContinuousRun) { startIsDue = true }

    override func process(_ call: ProcessCall, in run: ContinuousRun) -> (frames: Int, hasEnded: Bool) {
        guard let format else { return (call.frames, false) }
        let planeBytes = call.frames * format.frameBytes
        let size = planeBytes * format.planeCount
        guard let memory = g_malloc(gsize(size)) else { return (call.frames, false) }
        for plane in 0..<format.planeCount {
            (memory + plane * planeBytes).copyMemory(from: call.planes[plane], byteCount: planeBytes)
        }
        var flags: guint = 0
        if startIsDue { flags |= GST_HDR_TAP_START_OF_STREAM.rawValue }
        if call.isDraining { flags |= GST_HDR_TAP_END_OF_STREAM.rawValue }
        startIsDue = false
        let data = g_bytes_new_take(memory, gsize(size))
        let time = run.isTimed ? run.clock.nanoseconds(call.first) : UInt64.max
        let answer = gst_hdr_tap_emit_process(element, data, guint(call.frames), flags, guint64(time))
        g_bytes_unref(data)
        guard let answer else { return (call.frames, false) }
        defer { g_bytes_unref(answer) }

        var answered: gsize = 0
        let bytes = g_bytes_get_data(answer, &answered)
        let step = format.frameBytes * format.planeCount
        if (Int(answered) > size || Int(answered) % step != 0) && !hasWarned {
            hasWarned = true
            warn(
                "A handler of the signal process returned \(answered) bytes, where it has to return \(size) or less, "
                    + "in steps of \(step)")
        }
        let frames = min(Int(answered) / step, call.frames)
        for plane in 0..<format.planeCount where frames > 0 {
            if let bytes {
                call.planes[plane].copyMemory(
                    from: bytes + plane * frames * format.frameBytes, byteCount: frames * format.frameBytes)
            }
        }
        format.silence(call.planes, from: frames, frames: call.frames - frames)
        if frames < call.frames && !call.isDraining { silenced(call.frames - frames) }
        return (frames, false)
    }
}
