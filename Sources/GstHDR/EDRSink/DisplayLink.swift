import CGStreamer
import CGstHDR
import HDRPresenter

/// Emits the signal `display-link` for each refresh, on a thread of its own: a handler that takes long misses refreshes
/// and holds up nobody.
final class DisplayLink: @unchecked Sendable {
    private let element: UnsafeMutablePointer<GstEdrSink>
    private let worker = SinkWorker()

    init(element: UnsafeMutablePointer<GstEdrSink>) { self.element = element }

    func start() { worker.start() }
    func stop() { worker.stop() }

    func deliver(_ tick: RefreshTick) {
        guard gst_edr_sink_has_display_link(element) != 0 else { return }
        worker.ask { [element] in
            gst_edr_sink_emit_display_link(
                element, guint64(tick.now), guint64(tick.target), guint64(tick.interval))
        }
    }
}
