import CWayland
import Glibc

/// Puts pictures on a Wayland compositor, with their colors told by color-management-v1.
///
/// One thread dispatches all events of the presenter's own queue and calls the sink back. Requests are made under `mutex`
/// by whoever calls. Pictures pass through a mailbox: while the compositor does not want a new one (it asks with
/// wl_surface.frame), a newer picture takes the place of the one that waits, so that a hidden window stops nobody.
///
/// The window's surface is only a ground; each view is a synchronized sub-surface on it. In an application's wl_surface the
/// ground is a transparent dot, a sub-surface at its origin, and the application's units are the window's pixels; the
/// application has to commit its surface once after `open`, which makes the sub-surface part of it.
///
/// `target` of `present` is not used: Wayland shows what comes at the next refresh.
public final class WaylandPresenter: Presenter, @unchecked Sendable {
    let source: Connection.Source
    let mutex = Mutex()
    /// What has to be there before anything of Wayland is called.
    var library = LateLibrary.wayland

    // All below is under `mutex`.
    var connection: Connection?
    var phase = Phase.new
    var failure: PresenterError?
    var events: (any PresenterEvents)?
    var outbox: [(any PresenterEvents) -> Void] = []
    var thread: pthread_t?
    var displayWrapper: OpaquePointer?

    var globals: Globals?
    var window: Window?
    var seat: Seat?
    var surfaces: [ViewSurface] = []

    var state = DisplayState()
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
    /// `views` changed since the last commit.
    var needsRedraw = false
    var frame: Proxy?
    var reports: [PresentationReport] = []
    /// Pictures whose fate no feedback tells, where the compositor has no presentation-time.
    var unreported: UInt64?
    var refresh = RefreshClock()
    var wantsTicks = false
    var lastTick: UInt64 = 0
    /// The last tick came from the clock, because the compositor was silent.
    var isTicking = false

    /// How long `acquire` waits for the compositor to release a picture, in nanoseconds.
    var patience: UInt64 = 10 * Clock.second
    /// How long the compositor may take to decide on an image description.
    var descriptionPatience: UInt64 = 2 * Clock.second

    enum Phase { case new, open, closing, closed }

    struct WaitingPicture {
        let memory: PictureMemory
        let configuration: PictureConfiguration
        let serial: UInt64
    }

    /// Pictures in memory, and views on them, at most.
    static let memoryLimit = 4
    static let viewLimit = 16

    /// - Parameter displayName: The compositor's socket, as a name in `XDG_RUNTIME_DIR` or a path; `nil` for
    ///   `WAYLAND_DISPLAY`.
    public init(displayName: String? = nil) { source = .named(displayName) }

    /// Shares an application's connection, as its surface asks for.
    /// - Parameter display: The application's `wl_display*`, which has to live until `close` has returned.
    public init(display: UInt) { source = .application(display) }

    /// - Parameter socket: A connected socket, which the presenter takes over with `open`.
    init(socket: Int32) { source = .socket(socket) }

    public var display: DisplayState { mutex.withLock { state } }

    public func open(
        window: UInt, size: (width: Int, height: Int), title: String, events: any PresenterEvents
    ) throws(PresenterError) {
        mutex.lock()
        defer { mutex.unlock() }
        guard phase == .new else { throw PresenterError("A presenter is opened once.") }
        phase = .closed
        let parent = OpaquePointer(bitPattern: window)
        if parent != nil, case .application = source {
        } else if parent != nil {
            throw PresenterError(
                "A wl_surface needs its application's wl_display too: share it as the GstContext GstWlDisplayHandleType."
            )
        }
        try library.load()
        let deadline = Clock.now() + 2 * Clock.second
        let connection = try Connection(source, deadline: deadline)
        self.connection = connection
        do throws(PresenterError) {
            try greet(connection, ownsWindow: parent == nil, deadline: deadline)
            try makeWindow(parent, size: size, title: title)
            try learnDisplay(connection, deadline: deadline)
            outbox = []
            self.events = events
            phase = .open
            try startThread()
        } catch {
            tearDown()
            throw error
        }
    }

    /// Learns what the compositor has.
    private func greet(_ connection: Connection, ownsWindow: Bool, deadline: UInt64) throws(PresenterError) {
        displayWrapper = cwayland_wrap(UnsafeMutableRawPointer(connection.display), connection.queue).map(
            OpaquePointer.init)
        guard let displayWrapper else { throw PresenterError("There is no memory for the Wayland connection.") }
        let globals = Globals(display: displayWrapper, wantsSeat: ownsWindow) { [weak self] in self?.updateState() }
        self.globals = globals
        // The globals, and then what each of them says first.
        for _ in 0..<2 { try roundTrip(connection, deadline: deadline) }
        let needed: [(Proxy?, String)] = [
            (globals.compositor, "wl_compositor"), (globals.subcompositor, "wl_subcompositor"), (globals.shm, "wl_shm"),
            (ownsWindow ? globals.windowManager : globals.shm, "xdg_wm_base"),
        ]
        if let (_, name) = needed.first(where: { $0.0?.pointer == nil }) {
            throw PresenterError("The Wayland compositor has no \(name), without which there is no window.")
        }
        ladder.features = globals.features
        // Half of a capability list is none.
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
                tell: { [weak self] input in self?.post { $0.input(input) } })
            self.seat = seat
            globals.seatChanged = { seat.setCapabilities($0, of: pointer) }
            // What it said before there was a window.
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

    public func choose(wantsExtendedRange: Bool, format: PictureFormat?, encoding: PictureEncoding.Transfer?)
        -> (format: PictureFormat, encoding: PictureEncoding)
    {
        mutex.withLock {
            let wish = EncodingLadder.Wish(wantsExtendedRange: wantsExtendedRange, format: format, transfer: encoding)
            let choice = ladder.choose(wish, referenceWhite: state.referenceWhite, peak: state.peak)
            state.refusals = choice.refusals
            if globals?.viewporter == nil {
                state.refusals.append("Pictures are not scaled and have one view: the compositor has no wp_viewporter.")
            }
            return (choice.format, choice.encoding)
        }
    }

    public func configure(_ picture: PictureDescription) throws(PresenterError) {
        mutex.lock()
        defer { mutex.unlock() }
        try checkOpen()
        guard globals?.formatCodes[picture.format] != nil else {
            throw PresenterError("The Wayland compositor takes no \(picture.format) buffers.")
        }
        guard PictureMemory.layout(picture) != nil else {
            throw PresenterError("Pictures of \(picture.width) by \(picture.height) do not fit into wl_shm.")
        }
        if let reason = ladder.objection(to: picture) {
            throw PresenterError("The picture cannot be shown: \(reason).")
        }
        let colors = ImageDescription(picture, ladder: ladder, referenceWhite: state.referenceWhite, black: state.black)
        if let configuration, configuration.colors == colors {
            self.configuration = PictureConfiguration(picture, like: configuration)
        } else if let colors {
            let description = try describe(colors, rung: ladder.rung(of: picture.encoding))
            // Others may have come in between.
            try checkOpen()
            configuration = PictureConfiguration(picture, colors: colors, description: description)
        } else {
            configuration = PictureConfiguration(picture, colors: nil, description: nil)
        }
        for memory in memories where !memory.fits(picture) { memory.isRetired = true }
        sweep()
        mutex.signal()
    }

    /// Asks the compositor for a description, without the lock.
    private func describe(_ colors: ImageDescription, rung: EncodingLadder.Rung) throws(PresenterError) -> Proxy {
        guard let connection, let manager = globals?.colorManager?.pointer else {
            throw PresenterError("The Wayland compositor has no color management.")
        }
        let maker = DescriptionMaker(
            connection: connection, manager: manager, features: ladder.features, patience: descriptionPatience)
        let result: Result<OpaquePointer, DescriptionMaker.Failure>
        mutex.unlock()
        do throws(DescriptionMaker.Failure) {
            result = .success(try maker.make(colors))
        } catch {
            result = .failure(error)
        }
        mutex.lock()
        switch result {
        case .success(let pointer): return Proxy(pointer, destroyedBy: wp_image_description_v1_destroy)
        case .failure(.refused(let reason)):
            ladder.failed[rung] = reason
            throw PresenterError(
                "The Wayland compositor refused the picture's colors (\(reason)); another encoding may do.")
        case .failure(.broken(let error)):
            fail(error)
            throw error
        }
    }

    func checkOpen() throws(PresenterError) {
        if let failure { throw failure }
        guard phase == .open else { throw PresenterError("The presenter is not open.") }
    }

    public func close() {
        mutex.lock()
        let thread = thread
        self.thread = nil
        events = nil
        outbox = []
        let isRunning = phase == .open
        if isRunning { phase = .closing }
        mutex.signal()
        connection?.wake()
        mutex.unlock()
        guard let thread else { return }
        // A callback must not close, but if it does, the thread ends by itself.
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
            return
        }
        // So long for a callback that does not return; the thread then cleans up when it does.
        let deadline = Clock.now() + Clock.second
        mutex.lock()
        while phase != .closed, Clock.now() < deadline { mutex.wait(until: deadline) }
        let isDone = phase == .closed
        mutex.unlock()
        if isDone {
            pthread_join(thread, nil)
        } else {
            pthread_detach(thread)
        }
    }

    /// Ends everything, on the event thread or where there is none.
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
        mutex.signal()
    }
}
