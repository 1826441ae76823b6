import CWayland
import HDRConcurrency

/// The times when pictures are seen, and when the compositor wants the next one.
extension WaylandSession {
    /// The maximum number of presentation reports that are outstanding.
    private static let reportLimit = 64

    /// Asks the compositor to report on the next commit of a surface.
    func follow(_ surface: OpaquePointer, serial: UInt64?) {
        frame?.destroy()
        frame = Proxy(wl_surface_frame(surface), destroyedBy: wl_callback_destroy) { [weak self] opcode, _ in
            if opcode == 0 { self?.frameDone() }
        }
        guard let globals, let presentation = globals.presentation?.pointer else {
            if let unreported { postLost(unreported) }
            unreported = serial
            return
        }
        // The oldest report is dropped.
        if reports.count >= Self.reportLimit { finish(reports[0], nil) }
        reports.append(
            PresentationReport(
                wp_presentation_feedback(presentation, surface), serial: serial, clock: globals.presentationClock
            ) { [weak self] report, result in self?.finish(report, result) })
    }

    private func finish(_ report: PresentationReport, _ result: (time: UInt64, sequence: UInt64, interval: UInt64)?) {
        report.destroy()
        reports.removeAll { $0 === report }
        if let result { refresh.saw(result.time, sequence: result.sequence, interval: result.interval) }
        guard let serial = report.serial else { return }
        let feedback = PresentationFeedback(serial: serial, time: result?.time, sequence: result?.sequence ?? 0)
        post { $0.presented(feedback) }
    }

    private func frameDone() {
        frame?.destroy()
        frame = nil
        let now = MonotonicClock.now()
        if let serial = unreported {
            // Without presentation-time this is the closest known time to the presentation.
            unreported = nil
            refresh.saw(now, sequence: refresh.sequence &+ 1, interval: 0)
            post { $0.presented(PresentationFeedback(serial: serial, time: now)) }
        }
        isTicking = false
        tick(at: now)
        showNext()
        followRefreshes()
    }

    func setRefreshEvents(_ isOn: Bool) {
        guard wantsTicks != isOn else { return }
        wantsTicks = isOn
        lastTick = MonotonicClock.now()
        isTicking = false
        followRefreshes()
        connection?.wake()
    }

    /// Commits only a request for a callback at the next refresh.
    private func followRefreshes() {
        guard wantsTicks, failure == nil, frame == nil, shown != nil, let window,
            let surface = surfaces.first(where: \.isVisible)?.surface.pointer ?? window.surface?.pointer
        else { return }
        follow(surface, serial: nil)
        if surface != window.surface?.pointer { wl_surface_commit(surface) }
        window.commit()
        connection?.flush()
    }
}
