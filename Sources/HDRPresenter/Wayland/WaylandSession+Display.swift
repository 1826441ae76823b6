import CWayland
import HDRColor

/// Tracks what the display can show, according to the compositor's reports.
extension WaylandSession {
    private enum FeedbackEvent { static let preferredChanged: UInt32 = 0, preferredChanged2: UInt32 = 1 }

    /// Starts to follow the compositor's reports, and waits for the first one until the deadline.
    func learnDisplay(_ connection: Connection, deadline: UInt64) throws(PresenterError) {
        if let manager = globals?.colorManager?.pointer, let surface = window?.surface?.pointer,
            ladder.features.version > 0
        {
            colorFeedback = Proxy(
                wp_color_manager_v1_get_surface_feedback(manager, surface),
                destroyedBy: wp_color_management_surface_feedback_v1_destroy
            ) { [weak self] opcode, _ in
                if opcode == FeedbackEvent.preferredChanged || opcode == FeedbackEvent.preferredChanged2 {
                    self?.readPreferred()
                }
            }
            readPreferred()
        }
        updateState()
        // A compositor that does not answer can still show pictures.
        _ = try connection.wait(on: connection.queue, deadline: deadline) { !isReadingPreferred }
    }

    private func readPreferred() {
        guard let feedback = colorFeedback?.pointer else { return }
        preferredReader?.cancel()
        isReadingPreferred = true
        let description =
            ladder.features.has(.parametric)
            ? wp_color_management_surface_feedback_v1_get_preferred_parametric(feedback)
            : wp_color_management_surface_feedback_v1_get_preferred(feedback)
        preferredReader = DescriptionReader(description) { [weak self] description in
            guard let self else { return }
            isReadingPreferred = false
            if let description { preferred = description }
            updateState()
        }
    }

    func outputChanged() {
        // The window's pixels change with the display's scale.
        tellSize()
        updateState()
    }

    private func tellSize() {
        guard let window, window.isOwn, window.isReady else { return }
        let size = (width: window.width * window.scale, height: window.height * window.scale)
        guard size != reportedSize else { return }
        reportedSize = size
        post { $0.windowResized(width: size.width, height: size.height) }
    }

    func windowConfigured() {
        guard let window else { return }
        // The new size is answered at once; the views follow when the sink has placed them.
        if shown != nil {
            window.prepareGround()
            window.commit()
        }
        tellSize()
        showNext()
    }

    var allRefusals: [String] {
        guard let preferred, preferred.hidesPeak else { return refusals }
        return refusals + [
            "Nothing above SDR white is shown: the compositor does not tell the display's peak (target_luminance)."
        ]
    }

    /// Combines what the compositor has reported of the display, and notifies the sink where that has changed.
    func updateState() {
        var new = DisplayState()
        let features = ladder.features
        // Without set_luminances, white has the luminance of the transfer function: 203 cd/m² in PQ and Windows-scRGB.
        preferred?.apply(to: &new, fixedWhite: features.has(.setLuminances) ? nil : BT2408.referenceWhite)
        let output = window?.output
        new.output = output?.name ?? ""
        new.refreshInterval = output?.refreshInterval ?? 0
        if new.refreshInterval > 0 { refresh.setInterval(new.refreshInterval) }
        let heads = [state.potentialHeadroom, new.headroom, output?.description?.headroom ?? 1]
        new.potentialHeadroom = heads.max() ?? 1
        new.features = features.names
        if globals?.viewporter != nil { new.features.append("viewporter") }
        if globals?.presentation != nil { new.features.append("presentation-time") }
        new.refusals = allRefusals
        guard new != state else { return }
        state = new
        post { $0.displayChanged(new) }
    }
}
