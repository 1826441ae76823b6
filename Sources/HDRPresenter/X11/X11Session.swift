import CXCB
import Glibc

/// The connection and all state behind it. Only the presenter's thread uses it.
final class X11Session {
    struct Order: Sendable {
        var link: X11Link
        var events: any PresenterEvents
        var display: String
        var parent: xcb_window_t
        var width, height: Int
        var title: String
        var unused: Set<String>
    }

    let link: X11Link
    let connection: OpaquePointer
    let screen: X11Screen
    let extensions: X11Extensions
    let painter: X11Painter
    private let events: any PresenterEvents
    private let displayName: String

    var window: X11Window
    /// Whether the window, or the application's window around it, was destroyed.
    var isWindowGone = false
    var keyboard: X11Keyboard
    /// The last reported size of the window.
    var newSize: (width: Int, height: Int)?
    var isOutputStale = true
    /// Whether nothing works any more.
    var hasFailed = false

    // State of the shown picture, used by X11Session+Show.
    var backs: [X11Surface] = []
    var views: [View] = []
    var needsPaint = false
    /// The number of the last picture.
    var picture: UInt64 = 0
    /// The serials of pictures that were not reported yet, by the pictures' numbers.
    var unreported: [UInt64: UInt64] = [:]
    /// The pictures of presentations that are under way, by the presentations' serials.
    var underWay: [UInt32: UInt64] = [:]
    /// Presentations that are mere copies, in order.
    var copies: [(serial: UInt32, back: X11Surface)] = []
    var lastSerial: UInt32 = 0
    let presentContext: xcb_gcontext_t

    // The state of the refresh, used by X11Session+Refresh.
    var refresh = X11Refresh()

    /// The body of the presenter's thread.
    static func run(_ order: Order) {
        let link = order.link
        do throws(PresenterError) {
            try runConnected(order)
        } catch {
            link.state.change { $0.failure = error }
        }
        link.state.change { state in
            state.phase = .ended
            state.jobs = []
        }
    }

    private static func runConnected(_ order: Order) throws(PresenterError) {
        let link = order.link
        var screenNumber: Int32 = 0
        guard let connection = xcb_connect(order.display, &screenNumber) else {
            throw PresenterError(X11Error.connection(XCB_CONN_ERROR, display: order.display))
        }
        let error = xcb_connection_has_error(connection)
        if error == 0 { link.state.withLock { $0.socket = xcb_get_file_descriptor(connection) } }
        defer {
            link.state.withLock { $0.socket = -1 }
            xcb_disconnect(connection)
        }
        guard error == 0 else { throw PresenterError(X11Error.connection(error, display: order.display)) }
        let session: X11Session
        do throws(PresenterError) {
            session = try X11Session(connection, screenNumber, order)
        } catch {
            // If the connection has ended, that explains the error.
            let code = xcb_connection_has_error(connection)
            throw code == 0 ? error : PresenterError(X11Error.connection(code, display: order.display))
        }
        session.loop()
    }

    private init(_ connection: OpaquePointer, _ screenNumber: Int32, _ order: Order) throws(PresenterError) {
        self.connection = connection
        link = order.link
        events = order.events
        displayName = order.display
        extensions = try X11Extensions(connection, unused: order.unused)
        var (root, width, height) = (xcb_window_t(0), order.width, order.height)
        if order.parent != 0 {
            (root, width, height) = try X11Window.geometry(connection, of: order.parent)
        } else {
            var screens = xcb_setup_roots_iterator(xcb_get_setup(connection))
            for _ in 0..<max(0, screenNumber) where screens.rem > 1 { xcb_screen_next(&screens) }
            root = screens.data?.pointee.root ?? 0
        }
        screen = try X11Screen(connection, root: root)
        window = try X11Window(
            connection, screen, parent: order.parent, width: width, height: height, title: order.title)
        painter = X11Painter(connection, screen)
        keyboard = X11Keyboard(connection)
        presentContext = xcb_generate_id(connection)
        // This context requests an event for each finished copy.
        xcb_create_gc(connection, presentContext, window.id, XCB_GC_GRAPHICS_EXPOSURES.rawValue, [UInt32(1)])
        if extensions.present != nil {
            let mask =
                XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY.rawValue | XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY.rawValue
            xcb_present_select_input(connection, xcb_generate_id(connection), window.id, mask)
        }
        if extensions.randr != nil {
            let mask =
                XCB_RANDR_NOTIFY_MASK_SCREEN_CHANGE.rawValue | XCB_RANDR_NOTIFY_MASK_CRTC_CHANGE.rawValue
                | XCB_RANDR_NOTIFY_MASK_OUTPUT_CHANGE.rawValue
            xcb_randr_select_input(connection, root, UInt16(mask))
        }
        updateOutput()
        let code = xcb_connection_has_error(connection)
        if code != 0 { throw PresenterError(X11Error.connection(code, display: displayName)) }
        let display = displayState()
        link.state.change { state in
            state.format = screen.format
            state.display = display
            state.phase = .open
        }
    }

    private func displayState() -> DisplayState {
        let state = link.state.withLock { $0.display }
        return DisplayState(
            output: refresh.output.name, refreshInterval: refresh.interval,
            features: ["depth-\(screen.depth)"] + extensions.features, refusals: state.refusals)
    }

    /// Reports changes of the display.
    func updateDisplay() {
        let new = displayState()
        let isChange = link.state.withLock { state in
            defer { state.display = new }
            return state.display != new
        }
        if isChange { callSink { $0.displayChanged(new) } }
    }

    func updateOutput() {
        isOutputStale = false
        guard extensions.randr != nil, !isWindowGone else { return }
        refresh.output = X11Output.current(connection, root: screen.root, window: window)
    }

    /// Calls the sink back, unless `close` has begun.
    func callSink(_ call: (any PresenterEvents) -> Void) {
        if link.state.withLock({ !$0.isClosing }) { call(events) }
    }

    func fail(_ error: PresenterError) {
        guard !hasFailed else { return }
        hasFailed = true
        link.state.change { $0.failure = error }
        callSink { $0.failed(error) }
    }

    // MARK: Loop

    private func loop() {
        callSink { $0.windowResized(width: window.width, height: window.height) }
        while true {
            while let event = xcb_poll_for_event(connection) {
                handle(event)
                free(event)
            }
            let error = xcb_connection_has_error(connection)
            if error != 0 { fail(PresenterError(X11Error.connection(error, display: displayName))) }
            if hasFailed || link.state.withLock({ $0.isClosing }) { return }
            settle()
            work()
            tick()
            if hasFailed { return }
            xcb_flush(connection)
            // Requests may have read events, which poll would not report.
            if let event = xcb_poll_for_queued_event(connection) {
                handle(event)
                free(event)
                continue
            }
            wait()
        }
    }

    private func wait() {
        var descriptors = [
            pollfd(fd: xcb_get_file_descriptor(connection), events: Int16(POLLIN), revents: 0),
            pollfd(fd: link.wakeUp.file, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, 2, millisecondsToTick())
        if descriptors[1].revents != 0 { link.wakeUp.clear() }
    }

    /// Handles what the last events have changed in all.
    private func settle() {
        if let size = newSize {
            newSize = nil
            if size != (window.width, window.height) {
                (window.width, window.height) = size
                isOutputStale = true
                needsPaint = true
                callSink { $0.windowResized(width: size.width, height: size.height) }
            }
        }
        if isOutputStale {
            updateOutput()
            updateDisplay()
        }
    }

    /// Handles the callers' jobs.
    private func work() {
        let (jobs, retired) = link.state.withLock { state in
            defer { (state.jobs, state.retired) = ([], []) }
            return (state.jobs, state.retired)
        }
        for memory in retired where memory.segment != 0 {
            xcb_shm_detach(connection, memory.segment)
            memory.segment = 0
        }
        for job in jobs {
            switch job {
            case .present(let memory, let serial, let views): show(memory, serial: serial, views: views)
            case .redraw(let views):
                self.views = views
                needsPaint = true
            }
            paint()
        }
        paint()
    }
}
