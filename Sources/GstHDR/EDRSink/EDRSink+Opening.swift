import CGStreamer
import CGstHDR
import GstBridge
import HDRPresenter

/// Ensures that only one thread at a time opens or closes a window.
struct WindowTurn {
    var isTaken = false
    /// Whether the application has set a window since the turn was taken.
    var isOutdated = false
    /// How often the picture has moved to another window.
    var moves = 0
}

extension EDRSink {
    // MARK: Opening

    /// NULL to READY.
    func open() -> Bool {
        for text in notes.withLock({ $0.take() }) { warning(text) }
        warnOfCPU()
        askForDisplay()
        // Applications answer this message with their window.
        gst_video_overlay_prepare_window_handle(OpaquePointer(element))
        takeTurn()
        return endTurn(connect())
    }

    /// Asks the application for its wl_display, which a wl_surface of its own needs, by the message that waylandsink
    /// posts. Most have none, and do not answer.
    private func askForDisplay() {
        guard screen.current.waylandDisplay == 0, candidates(settings.current.presenter).contains(.wayland) else {
            return
        }
        let object = element.cast(to: GstObject.self)
        let message = gst_message_new_need_context(object, Self.displayContext)
        gst_element_post_message(element.cast(to: GstElement.self), message)
    }

    private static let displayContext = "GstWaylandDisplayHandleContextType"

    /// Opens the window that the application has set, or one of the sink's own; needs the turn.
    /// - Returns: why none can be.
    private func connect() -> String? {
        let choice = settings.current.presenter
        var refusals: [String] = []
        for kind in candidates(choice) {
            let presenter = makePresenter(kind)
            let listener = Listener(self)
            screen.withLock {
                ($0.presenter, $0.listener, $0.kind, $0.opened) = (presenter, listener, kind, $0.handle)
                $0.window = (0, 0)
                $0.picture = nil
            }
            do {
                try presenter.open(
                    window: screen.current.opened, size: screen.current.asked, title: Self.title, events: listener)
                if screen.current.isFlushing { presenter.setFlushing(true) }
                screen.withLock {
                    $0.display = presenter.display
                    $0.refusals = refusals
                }
                worker.start()
                followDisplayLink()
                log.info("shows on \(kind.rawValue)\(refusals.isEmpty ? "" : ": " + refusals.joined(separator: " "))")
                return nil
            } catch {
                presenter.close()
                screen.withLock { ($0.presenter, $0.listener) = (nil, nil) }
                refusals.append(OpeningFailure.refusal(kind.rawValue, error.description))
            }
        }
        return OpeningFailure.text(refusals)
    }

    private static var title: String {
        g_get_application_name().map { String(cString: $0) } ?? g_get_prgname().map { String(cString: $0) } ?? "edrsink"
    }

    private func candidates(_ choice: GstEdrPresenter) -> [PresenterKind] {
        switch choice {
        case GST_EDR_PRESENTER_WAYLAND: [.wayland]
        case GST_EDR_PRESENTER_X11: [.x11]
        case GST_EDR_PRESENTER_OFFSCREEN: [.offscreen]
        // Pictures are not shown offscreen unless that was requested: nobody would see them.
        default: [.wayland, .x11]
        }
    }

    private func makePresenter(_ kind: PresenterKind) -> any Presenter {
        switch kind {
        case .wayland:
            let application = screen.current.waylandDisplay
            return application == 0 ? WaylandPresenter() : WaylandPresenter(display: application)
        case .x11: return X11Presenter()
        case .offscreen: return OffscreenPresenter()
        }
    }

    /// READY to NULL; also called before the element is freed.
    func close() {
        takeTurn()
        disconnect()
        windowTurn.change { $0 = WindowTurn() }
    }

    /// Closes the window; needs the turn.
    private func disconnect() {
        link.stop()
        // Ends a wait for the presenter's memory.
        screen.current.presenter?.setFlushing(true)
        worker.stop()
        let presenter = screen.withLock { screen in
            let presenter = screen.presenter
            screen.presenter = nil
            return presenter
        }
        // The setting may have changed while the window was opened.
        followDisplayLink()
        painter.withLock { $0.forget(presenter) }
        presenter?.close()
        screen.withLock {
            $0.listener = nil
            $0.display = nil
            $0.picture = nil
            $0.window = (0, 0)
            $0.reported = nil
        }
    }

    /// Gives a window of the sink's own that has not shown a picture yet the picture's size.
    func openAtSize() -> Bool {
        takeTurn()
        let isLate = screen.withLock { screen in
            guard screen.handle == 0, screen.picture == nil, screen.kind != .offscreen else { return false }
            // The first window must fit on a small screen.
            let scale = min(1, 1280 / screen.shape.width, 720 / screen.shape.height)
            let size = (
                width: max(1, Int((screen.shape.width * scale).rounded())),
                height: max(1, Int((screen.shape.height * scale).rounded()))
            )
            defer { screen.asked = size }
            return size != screen.asked
        }
        guard isLate else { return endTurn(nil) }
        disconnect()
        return endTurn(connect())
    }

    func setContext(_ context: OpaquePointer) {
        guard let type = gst_context_get_context_type(context).map({ String(cString: $0) }),
            [Self.displayContext, "GstWlDisplayHandleContextType"].contains(type),
            let structure = gst_context_get_structure(context)
        else { return }
        for key in ["display", "handle"] {
            guard let value = gst_structure_get_value(structure, key),
                value.holds(GTypes.pointer), let pointer = g_value_get_pointer(value)
            else { continue }
            screen.withLock { $0.waylandDisplay = UInt(bitPattern: pointer) }
            return
        }
    }

    /// Moves the picture to another window. Where another thread holds the window's turn, that thread moves the
    /// picture, since it may be waiting for the caller.
    func setWindowHandle(_ handle: UInt) {
        screen.withLock { $0.handle = handle }
        let isMine = windowTurn.change { turn in
            turn.isOutdated = true
            defer { turn.isTaken = true }
            return !turn.isTaken
        }
        if isMine, endTurn(nil) { repaint() }
    }

    // MARK: The turn

    private func takeTurn() {
        windowTurn.wait { turn -> Void? in
            guard !turn.isTaken else { return nil }
            turn.isTaken = true
            return ()
        }
    }

    /// Gives the turn back once the picture is in the window that the application wants, and then notifies the
    /// application.
    /// - Parameter failure: why no window could be opened.
    /// - Returns: whether there is no window; the error has then been posted.
    private func endTurn(_ failure: String?) -> Bool {
        var failure = failure
        while windowTurn.change({ turn in
            defer { (turn.isOutdated, turn.isTaken) = (false, turn.isOutdated) }
            return turn.isOutdated
        }) {
            let isElsewhere = screen.withLock { $0.presenter != nil && $0.handle != $0.opened || failure != nil }
            guard isElsewhere else { continue }
            disconnect()
            failure = connect()
            windowTurn.change { $0.moves += 1 }
        }
        guard let failure else {
            displayHasChanged()
            return true
        }
        error(failure)
        return false
    }

    /// Whether the picture has been moved to another window since the turn was taken. A failure with either window then
    /// says nothing about the display.
    func hasMoved(since turn: WindowTurn) -> Bool {
        let now = windowTurn.withLock { $0 }
        return now.isTaken || now.moves != turn.moves
    }
}
