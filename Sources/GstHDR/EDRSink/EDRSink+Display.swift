import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRPresenter

extension EDRSink {
    /// A display system.
    enum PresenterKind: String { case wayland, x11, offscreen }

    /// What is known of the display.
    struct Screen {
        var presenter: (any Presenter)?
        var kind = PresenterKind.offscreen
        var listener: Listener?
        /// Why no better presenter was taken.
        var refusals: [String] = []
        var display: DisplayState?
        /// What pictures are made as now.
        var picture: PictureDescription?
        /// The window in pixels; 0 before it is known.
        var window = (width: 0, height: 0)
        /// Width and height of the picture on the display, in square pixels.
        var shape = (width: 1280.0, height: 720.0)
        /// The size that an own window was asked to have.
        var asked = (width: 1280, height: 720)
        /// An application's window, 0 for one of the sink's own, and its part that is drawn into.
        var handle: UInt = 0
        var rectangle: View.Rectangle?
        var handlesEvents = true
        var isFlushing = false
        /// How often the picture began to move to another window, or had moved: odd on the way.
        var moves = 0
        var waylandDisplay: UInt = 0
        var reported: Reported?
    }

    /// What was last reported to the application.
    struct Reported: Equatable {
        var headroom: Double
        var potentialHeadroom: Double
        var referenceWhite: Double
        var isEligible: Bool
        var state: String
    }

    /// Receives the presenter's events for the sink. It lives no longer than the presenter is open.
    final class Listener: PresenterEvents, @unchecked Sendable {
        private unowned let sink: EDRSink
        init(_ sink: EDRSink) { self.sink = sink }

        func displayChanged(_ state: DisplayState) {
            sink.screen.withLock { $0.display = state }
            sink.displayHasChanged()
            sink.repaint()
        }
        func windowResized(width: Int, height: Int) {
            sink.screen.withLock { $0.window = (width, height) }
            sink.redraw()
        }
        func windowClosed() {
            sink.error("The window was closed.", .resource(GST_RESOURCE_ERROR_NOT_FOUND))
        }
        func presented(_ feedback: PresentationFeedback) { sink.record.note(feedback) }
        func refreshed(_ tick: RefreshTick) { sink.link.deliver(tick) }
        func input(_ input: PresenterInput) { sink.input(input) }
        func failed(_ error: PresenterError) { sink.error(error.description) }
    }

    // MARK: Opening

    /// NULL to READY.
    func open() -> Bool {
        for text in notes.withLock({ $0.take() }) { warning(text) }
        askForDisplay()
        // Applications answer this message with their window.
        gst_video_overlay_prepare_window_handle(OpaquePointer(element))
        return connect()
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

    private func connect() -> Bool {
        let choice = settings.current.presenter
        var refusals: [String] = []
        for kind in candidates(choice) {
            let presenter = makePresenter(kind)
            let listener = Listener(self)
            screen.withLock {
                ($0.presenter, $0.listener, $0.kind) = (presenter, listener, kind)
                $0.window = (0, 0)
                $0.picture = nil
            }
            do {
                try presenter.open(
                    window: screen.current.handle, size: screen.current.asked, title: Self.title, events: listener)
                if screen.current.isFlushing { presenter.setFlushing(true) }
                screen.withLock {
                    $0.display = presenter.display
                    $0.refusals = refusals
                }
                worker.start()
                followDisplayLink()
                displayHasChanged()
                log.info("shows on \(kind.rawValue)\(refusals.isEmpty ? "" : ": " + refusals.joined(separator: " "))")
                return true
            } catch {
                presenter.close()
                screen.withLock { ($0.presenter, $0.listener) = (nil, nil) }
                let text = error.description
                refusals.append("\(kind.rawValue): \(text)\(text.hasSuffix(".") ? "" : ".")")
            }
        }
        error(
            "No picture can be shown. " + refusals.joined(separator: " ")
                + " With presenter=offscreen no display is needed.")
        return false
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

    /// READY to NULL, and before the element goes.
    func close() {
        link.stop()
        // Ends a wait for the presenter's memory.
        screen.current.presenter?.setFlushing(true)
        worker.stop()
        let presenter = screen.withLock { screen in
            let presenter = screen.presenter
            screen.presenter = nil
            return presenter
        }
        // The setting may have changed since then.
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
        let isLate = screen.withLock { screen in
            guard screen.handle == 0, screen.picture == nil, screen.kind != .offscreen else { return false }
            // Not larger than a small screen.
            let scale = min(1, 1280 / screen.shape.width, 720 / screen.shape.height)
            let size = (
                width: max(1, Int((screen.shape.width * scale).rounded())),
                height: max(1, Int((screen.shape.height * scale).rounded()))
            )
            defer { screen.asked = size }
            return size != screen.asked
        }
        guard isLate else { return true }
        close()
        return connect()
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

    func setWindowHandle(_ handle: UInt) {
        let isOpen = screen.withLock { screen in
            defer { screen.handle = handle }
            guard screen.presenter != nil, screen.handle != handle else { return false }
            screen.moves += 1
            return true
        }
        guard isOpen else { return }
        // The picture moves to the other window.
        close()
        let isShown = connect()
        screen.withLock { $0.moves += 1 }
        if isShown { repaint() }
    }

    /// Whether the picture has been on its way to another window since there were so many moves: what was tried with
    /// the one window or the other says nothing then.
    func hasMoved(since moves: Int) -> Bool { moves % 2 == 1 || screen.current.moves != moves }

    func setRenderRectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
        screen.withLock {
            $0.rectangle =
                width > 0 && height > 0
                ? View.Rectangle(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) : nil
        }
        redraw()
    }

    // MARK: State

    var headroom: Double {
        // Without extended range the peak is SDR white, whatever is forced.
        guard !isSDR else { return 1 }
        let forced = settings.current.forcedHeadroom
        if forced > 0 { return max(forced, 1) }
        guard let display = screen.current.display else { return 1 }
        return display.headroom.isFinite ? display.headroom : 1
    }

    /// Whether the display gets pictures without extended range.
    private var isSDR: Bool { screen.current.picture?.encoding.transfer == .sRGB }

    var isEligible: Bool { (screen.current.display?.potentialHeadroom ?? 1) > 1 }

    /// Reports to the application what has changed since the last report.
    func displayHasChanged() {
        guard let state = displayState() else { return }
        let display = screen.current.display
        let reported = Reported(
            headroom: headroom, potentialHeadroom: display?.potentialHeadroom ?? 1,
            referenceWhite: display?.referenceWhite ?? BT2408.referenceWhite, isEligible: isEligible,
            state: Structure.text(state))
        let before = screen.withLock { screen in
            defer { screen.reported = reported }
            return screen.reported
        }
        if reported.headroom != before?.headroom { notify("headroom") }
        if reported.potentialHeadroom != before?.potentialHeadroom { notify("potential-headroom") }
        if reported.referenceWhite != before?.referenceWhite { notify("reference-white") }
        if reported.isEligible != before?.isEligible { notify("eligible-for-hdr-playback") }
        guard reported.state != before?.state else {
            gst_structure_free(state)
            return
        }
        notify("display-state")
        post(state)
    }

    /// The value of the property `display-state`: what the display offers, what was chosen, and why nothing better. The
    /// caller owns it.
    func displayState() -> Structure.Pointer? {
        let screen = screen.current
        // The presenter knows its refusals only after a choice.
        guard let display = screen.presenter?.display ?? screen.display else { return nil }
        var fields: [(String, Structure.Value)] = [
            ("presenter", .string(screen.kind.rawValue)), ("output", .string(display.output)),
            ("headroom", .double(headroom)), ("potential-headroom", .double(display.potentialHeadroom)),
            ("reference-white", .double(display.referenceWhite)), ("peak", .double(display.peak)),
            ("black", .double(display.black)),
            ("refresh-rate", .double(display.refreshInterval > 0 ? 1e9 / Double(display.refreshInterval) : 0)),
            ("features", .strings(display.features)),
            ("window-width", .int(screen.window.width)), ("window-height", .int(screen.window.height)),
        ]
        if let picture = screen.picture {
            fields += [
                ("pixel-format", .string("\(picture.format)")), ("color-space", .string(picture.encoding.name)),
                ("white-value", .double(picture.encoding.whiteValue)),
            ]
        }
        let refusals = screen.refusals + display.refusals + refusal(screen.picture)
        fields.append(("why-nothing-better", .strings(refusals)))
        return Structure.make("display-state", fields)
    }

    /// Why a requested colour space is not used.
    private func refusal(_ picture: PictureDescription?) -> [String] {
        let settings = settings.current
        guard let picture, let asked = settings.transfer, asked != picture.encoding.transfer else { return [] }
        let wanted = PictureEncoding(asked, asked == .sRGB ? .sRGB : asked == .pq ? .bt2020 : .displayP3).name
        let reason =
            if !settings.wantsExtendedRange {
                "wants-extended-dynamic-range is false"
            } else if asked == .extendedLinear, let format = settings.format, format != .rgba16f {
                "linear light needs pixel-format=rgba16f"
            } else {
                "the display takes no such pixels"
            }
        return ["color-space=\(wanted): \(reason)."]
    }

    func setFlushing(_ isFlushing: Bool) {
        let presenter = screen.withLock { screen in
            screen.isFlushing = isFlushing
            return screen.presenter
        }
        presenter?.setFlushing(isFlushing)
    }

    /// Starts or stops the display link as the settings are. Threads may change these at once: the last one to act
    /// looks whether they still are what it acted on.
    func followDisplayLink() {
        var isOn: Bool
        repeat {
            isOn = displayLinkIsOn
            if isOn { link.start() } else { link.stop() }
            screen.current.presenter?.setRefreshEvents(isOn)
        } while isOn != displayLinkIsOn
    }

    private var displayLinkIsOn: Bool { !settings.current.displayLinkIsPaused && screen.current.presenter != nil }
}
