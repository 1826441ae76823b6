import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency

/// Notices that a file's reader has stopped before it has shown a track.
///
/// parsebin drops the errors of a demuxer that it is about to start, and with them those of the demuxer's own thread
/// where that thread is fast. Without this watch, no error would be posted for a damaged file, and the pipeline would
/// wait for ever.
final class ReaderWatch: @unchecked Sendable {
    private struct State: @unchecked Sendable {
        /// The `hdrsrc`, a reference of which is owned while the watch runs.
        var element: UnsafeMutablePointer<GstElement>?
        var timer: GstClockID?
        /// The number of consecutive checks that have found no streaming thread running.
        var stops = 0
    }
    private let state = Locked(State())
    /// The time between two checks, in ns.
    private static let interval: GstClockTime = 100_000_000
    /// The number of consecutive checks without a running thread after which the reader counts as stopped: a thread
    /// that has just stopped may still post its error.
    private static let patience = 5

    /// - Parameter element: the `hdrsrc`.
    func start(_ element: UnsafeMutablePointer<GstElement>) {
        stop()
        guard let clock = gst_system_clock_obtain() else { return }
        defer { gst_object_unref(clock) }
        guard let timer = gst_clock_new_periodic_id(clock, gst_clock_get_time(clock) + Self.interval, Self.interval)
        else { return }
        state.withLock {
            $0 = State(element: gst_object_ref(element).assumingMemoryBound(to: GstElement.self), timer: timer)
        }
        gst_clock_id_wait_async(
            timer,
            { _, _, _, watch in
                if let watch { Unmanaged<ReaderWatch>.fromOpaque(watch).takeUnretainedValue().look() }
                return 1
            }, Unmanaged.passRetained(self).toOpaque(),
            { watch in if let watch { Unmanaged<ReaderWatch>.fromOpaque(watch).release() } })
    }

    /// Stops watching, because tracks have been found or reading has ended.
    func stop() {
        let (element, timer) = state.withLock { state in
            defer { state = State() }
            return (state.element, state.timer)
        }
        if let timer {
            gst_clock_id_unschedule(timer)
            gst_clock_id_unref(timer)
        }
        if let element { gst_object_unref(element) }
    }

    private func look() {
        let watched = state.withLock { state in
            state.element.map { gst_object_ref($0).assumingMemoryBound(to: GstElement.self) }
        }
        guard let watched else { return }
        defer { gst_object_unref(watched) }
        let hasStopped = watched.asGstBin.hasStoppedStreaming
        let isOver = state.withLock { state in
            state.stops = hasStopped ? state.stops + 1 : 0
            return state.stops >= Self.patience
        }
        guard isOver else { return }
        stop()
        // Handlers of the message may take long, and the clock's thread serves other timers.
        gst_element_call_async(
            watched,
            { element, _ in
                guard let element else { return }
                HDRSrc.with(element.cast(to: GstHdrSrc.self).pointee.impl) { $0.readerStopped() }
            }, nil, nil)
    }
}

extension HDRSrc {
    /// Posts an error when the reader has stopped without having posted one.
    fileprivate func readerStopped() {
        guard progress.current.phase == .reading, let file = file.current else { return }
        log.info("the reader has stopped without an error message")
        fail(.damaged(file.name))
    }
}
