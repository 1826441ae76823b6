import CWayland
import Glibc
import HDRConcurrency

/// The connection to a compositor and all state behind it, which the presenter's callers and its event thread share.
///
/// It belongs to the presenter's monitor: every function is called under that lock, on whatever thread holds it.
final class WaylandSession {
    let source: Connection.Source
    /// The monitor that guards this state.
    weak var monitor: Monitor<WaylandSession>?

    var connection: Connection?
    var phase = Phase.new
    var failure: PresenterError?
    var events: (any PresenterEvents)?
    var outbox: [(any PresenterEvents) -> Void] = []
    var displayWrapper: OpaquePointer?

    var globals: Globals?
    var window: Window?
    var seat: Seat?
    var surfaces: [ViewSurface] = []

    var state = DisplayState()
    /// The reasons why pictures are not sent in a better way, since the last choice.
    var refusals: [String] = []
    var ladder = EncodingLadder(features: ColorFeatures())
    var colorFeedback: Proxy?
    var preferredReader: DescriptionReader?
    var preferred: DisplayDescription?
    var isReadingPreferred = false
    var reportedSize = (width: 0, height: 0)

    var configuration: PictureConfiguration?
    var memories: [PictureMemory] = []
    var nextToken = 1
    var isFlushing = false
    var waiting: WaitingPicture?
    var shown: (memory: PictureMemory, configuration: PictureConfiguration)?
    var views: [View] = []
    /// Whether `views` has changed since the last commit.
    var needsRedraw = false
    var frame: Proxy?
    var reports: [PresentationReport] = []
    /// The last picture's serial, if the compositor has no presentation-time and the picture is not reported yet.
    var unreported: UInt64?
    var refresh = RefreshClock()
    var wantsTicks = false
    var lastTick: UInt64 = 0
    /// Whether the last tick came from the clock, because the compositor was silent.
    var isTicking = false

    enum Phase { case new, open, closing, closed }

    /// A picture that the compositor does not want yet.
    struct WaitingPicture {
        let memory: PictureMemory
        let configuration: PictureConfiguration
        let serial: UInt64
    }

    /// The maximum numbers of pictures in memory, and of views of them.
    static let memoryLimit = 4
    static let viewLimit = 16

    init(_ source: Connection.Source) { self.source = source }

    // MARK: Opening

    /// Connects and makes a window. On failure the session is over.
    /// - Parameter library: the library, which has to be loaded before any function of Wayland is called.
    func open(
        _ library: LateLibrary, window: UInt, size: (width: Int, height: Int), title: String,
        events: any PresenterEvents
    ) throws(PresenterError) {
        guard phase == .new else { throw PresenterError("A presenter is opened once.") }
        phase = .closed
        let parent = OpaquePointer(bitPattern: window)
        if parent != nil, case .application = source {
        } else if parent != nil {
            throw PresenterError(
                "A wl_surface needs its application's wl_display too: share it as the GstContext "
                    + "GstWaylandDisplayHandleContextType.")
        }
        try library.load()
        let deadline = MonotonicClock.now() + 2 * MonotonicClock.second
        let connection = try Connection(source, deadline: deadline)
        self.connection = connection
        do throws(PresenterError) {
            try greet(connection, ownsWindow: parent == nil, deadline: deadline)
            try makeWindow(parent, size: size, title: title)
            try learnDisplay(connection, deadline: deadline)
            outbox = []
            self.events = events
            phase = .open
        } catch {
            tearDown()
            throw error
        }
    }

    /// Binds the compositor's globals and learns what each of them offers.
    private func greet(_ connection: Connection, ownsWindow: Bool, deadline: UInt64) throws(PresenterError) {
        displayWrapper = cwayland_wrap(UnsafeMutableRawPointer(connection.display), connection.queue).map(
            OpaquePointer.init)
        guard let displayWrapper else { throw PresenterError("Out of memory for the Wayland connection.") }
        let globals = Globals(display: displayWrapper, wantsSeat: ownsWindow) { [weak self] in self?.updateState() }
        self.globals = globals
        // One round trip for the globals, one for their first events.
        for _ in 0..<2 { try roundTrip(connection, deadline: deadline) }
        let needed: [(Proxy?, String)] = [
            (globals.compositor, "wl_compositor"), (globals.subcompositor, "wl_subcompositor"), (globals.shm, "wl_shm"),
            (ownsWindow ? globals.windowManager : globals.shm, "xdg_wm_base"),
        ]
        if let (_, name) = needed.first(where: { $0.0?.pointer == nil }) {
            throw PresenterError("The Wayland compositor has no \(name), without which there is no window.")
        }
        ladder.features = globals.features
        // A list of capabilities that is not complete cannot be relied on.
        if !globals.hasAllColorFeatures { ladder.features.version = 0 }
    }

    private func makeWindow(_ parent: OpaquePointer?, size: (width: Int, height: Int), title: String)
        throws(PresenterError)
    {
        guard let globals, let window = Window(globals, parent: parent, size: size, title: title) else {
            throw PresenterError("The Wayland compositor gave no surface.")
        }
        self.window = window
        window.onConfigure = { [weak self] in self?.windowConfigured() }
        window.onOutput = { [weak self] in self?.outputChanged() }
        window.onClose = { [weak self] in self?.post { $0.windowClosed() } }
        globals.outputRemoved = { [weak window] in window?.forget($0) }
        if let pointer = globals.seat?.pointer, let surface = window.surface?.pointer {
            let seat = Seat(
                version: globals.seatVersion, surface: surface, scale: { [weak window] in Double(window?.scale ?? 1) },
                report: { [weak self] input in self?.post { $0.input(input) } })
            self.seat = seat
            globals.seatChanged = { seat.setCapabilities($0, of: pointer) }
            // The seat may have reported them before there was a window.
            if let capabilities = globals.seatCapabilities { seat.setCapabilities(capabilities, of: pointer) }
        }
    }

    func roundTrip(_ connection: Connection, deadline: UInt64) throws(PresenterError) {
        guard let displayWrapper else { return }
        var isDone = false
        let callback = Proxy(wl_display_sync(displayWrapper), destroyedBy: wl_callback_destroy) { _, _ in isDone = true
        }
        defer { callback.destroy() }
        guard try connection.wait(on: connection.queue, deadline: deadline, until: { isDone }) else {
            throw PresenterError("The Wayland compositor did not answer within two seconds.")
        }
    }

    func checkOpen() throws(PresenterError) {
        if let failure { throw failure }
        guard phase == .open else { throw PresenterError("The presenter is not open.") }
    }

    // MARK: The end

    /// Starts closing: from here on no event reaches the sink, and the event thread ends.
    func beginClosing() {
        events = nil
        outbox = []
        if phase == .open { phase = .closing }
        connection?.wake()
    }

    /// Ends everything. It is called on the event thread, or on any thread where there is none.
    func tearDown() {
        phase = .closed
        events = nil
        outbox = []
        waiting = nil
        shown = nil
        configuration = nil
        preferredReader?.cancel()
        preferredReader = nil
        for report in reports { report.destroy() }
        reports = []
        frame?.destroy()
        colorFeedback?.destroy()
        seat?.destroy()
        for surface in surfaces { surface.destroy() }
        surfaces = []
        for memory in memories { memory.destroy() }
        memories = []
        window?.destroy()
        window = nil
        globals?.destroy()
        globals = nil
        if let displayWrapper { wl_proxy_wrapper_destroy(UnsafeMutableRawPointer(displayWrapper)) }
        displayWrapper = nil
        connection?.close()
        connection = nil
        monitor?.wakeAll()
    }
}
