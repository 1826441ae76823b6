import CWayland
import Glibc
import HDRConcurrency

/// Shows pictures on a Wayland compositor, with their colors described by color-management-v1.
///
/// One thread dispatches all events of the presenter's own queue and calls the sink back. The state that it shares with
/// the callers is a ``WaylandSession`` behind a monitor: requests are made by the calling thread, under its lock.
/// Pictures pass through a mailbox: while the compositor does not want a new one (it asks with wl_surface.frame), a
/// newer picture replaces the one that waits, so that a hidden window does not block the sink.
///
/// The window's surface is only a background; each view is a synchronized sub-surface on it. In an application's
/// wl_surface the background is a transparent pixel, a sub-surface at its origin, and the application's units are the
/// window's pixels; the application has to commit its surface once after `open`, which makes the sub-surface part of
/// it.
///
/// `target` of `present` is not used: Wayland shows the newest picture at the next refresh.
public final class WaylandPresenter: Presenter, @unchecked Sendable {
    let monitor: Monitor<WaylandSession>
    private let thread = WorkerThread(name: "edrsink-wayland")

    // Tests set these before `open`.
    /// The library, which has to be loaded before any function of Wayland is called.
    var library = LateLibrary.wayland
    /// The time in ns for which `acquire` waits until the compositor releases a picture.
    var patience: UInt64 = 10 * MonotonicClock.second
    /// The time in ns within which the compositor must accept or refuse an image description.
    var descriptionPatience: UInt64 = 2 * MonotonicClock.second

    /// - Parameter displayName: The compositor's socket, as a name in `XDG_RUNTIME_DIR` or a path; `nil` for
    ///   `WAYLAND_DISPLAY`.
    public convenience init(displayName: String? = nil) { self.init(.named(displayName)) }

    /// Shares an application's connection, which its surface requires.
    /// - Parameter display: The application's `wl_display*`, which has to live until `close` has returned.
    public convenience init(display: UInt) { self.init(.application(display)) }

    /// - Parameter socket: A connected socket, whose ownership the presenter takes with `open`.
    convenience init(socket: Int32) { self.init(.socket(socket)) }

    private init(_ source: Connection.Source) {
        let session = WaylandSession(source)
        monitor = Monitor(session)
        session.monitor = monitor
    }

    public var display: DisplayState { monitor.withLock { $0.state } }

    public func open(
        window: UInt, size: (width: Int, height: Int), title: String, events: any PresenterEvents
    ) throws(PresenterError) {
        try monitor.withLock { session throws(PresenterError) in
            try session.open(library, window: window, size: size, title: title, events: events)
            // The thread keeps the presenter alive until it ends.
            guard thread.start({ self.run() }) else {
                session.tearDown()
                throw PresenterError("No thread for Wayland's events can be started: the system has too many.")
            }
        }
    }

    // MARK: The event thread

    private func run() {
        while let deadline = tellEvents() {
            let (connection, hasFailed) = monitor.withLock { ($0.connection, $0.failure != nil) }
            guard let connection else { break }
            if hasFailed {
                // A broken connection delivers no more events, so only `close` can follow.
                _ = monitor.wait(until: deadline) { $0.phase != .open || !$0.outbox.isEmpty ? true : nil }
                continue
            }
            if connection.pump(connection.queue, deadline: deadline, isWoken: true) == .broken {
                monitor.withLock { $0.fail(PresenterError(connection.errorSentence)) }
            }
        }
        monitor.withLock { $0.tearDown() }
    }

    /// Dispatches the events that have come, and calls the sink back without the lock.
    /// - Returns: the time of the next call, in nanoseconds of CLOCK_MONOTONIC; `nil` at the end.
    private func tellEvents() -> UInt64? {
        while true {
            switch monitor.withLock({ $0.nextTurn() }) {
            case .deliver(let event, let events): event(events)
            case .sleep(let deadline): return deadline
            case .end: return nil
            }
        }
    }

    // MARK: Pictures

    public func choose(wantsExtendedRange: Bool, format: PictureFormat?, encoding: PictureEncoding.Transfer?)
        -> (format: PictureFormat, encoding: PictureEncoding)
    {
        monitor.withLock {
            $0.choose(
                EncodingLadder.Request(wantsExtendedRange: wantsExtendedRange, format: format, transfer: encoding))
        }
    }

    public func configure(_ picture: PictureDescription) throws(PresenterError) {
        let order = try monitor.change { session throws(PresenterError) in
            try session.configure(picture, patience: descriptionPatience)
        }
        guard let order else { return }
        // The lock is not held during the request, which may take long.
        let answer: Result<OpaquePointer, DescriptionMaker.Failure>
        do throws(DescriptionMaker.Failure) {
            answer = .success(try order.maker.make(order.colors))
        } catch {
            answer = .failure(error)
        }
        try monitor.change { session throws(PresenterError) in try session.finish(order, answer) }
    }

    public func acquire() throws(PresenterError) -> PresenterBuffer? {
        let deadline = MonotonicClock.now() + patience
        var acquisition: WaylandSession.Acquisition?
        if thread.isCurrent {
            // This thread dispatches the events, so no other one would notice the release.
            while true {
                acquisition = try monitor.withLock { session throws(PresenterError) in try session.acquire() }
                guard acquisition == nil, MonotonicClock.now() < deadline else { break }
                guard let connection = monitor.withLock({ $0.connection }) else { break }
                let pumped = connection.pump(connection.queue, deadline: deadline, isWoken: true)
                monitor.withLock { $0.dispatch(after: pumped) }
            }
        } else {
            acquisition = try monitor.wait(until: deadline) { session throws(PresenterError) in try session.acquire() }
        }
        switch acquisition {
        case .buffer(let buffer): return buffer
        case .flushing: return nil
        case nil:
            throw PresenterError(
                "The Wayland compositor has released no picture for \(patience / MonotonicClock.second) seconds.")
        }
    }

    public func release(_ buffer: PresenterBuffer) { monitor.change { $0.release(buffer) } }

    public func present(_ buffer: PresenterBuffer, serial: UInt64, views: [View], target: UInt64?)
        throws(PresenterError)
    {
        try monitor.change { session throws(PresenterError) in
            try session.present(buffer, serial: serial, views: views)
        }
    }

    public func redraw(views: [View]) { monitor.withLock { $0.redraw(views: views) } }

    public func setFlushing(_ isFlushing: Bool) { monitor.change { $0.setFlushing(isFlushing) } }

    public func setRefreshEvents(_ isOn: Bool) { monitor.withLock { $0.setRefreshEvents(isOn) } }

    // MARK: The end

    public func close() {
        let isOpened = monitor.change { session in
            session.beginClosing()
            return session.phase != .new
        }
        guard isOpened else { return }
        // A callback must not close; if it does, the thread ends by itself when the callback has returned.
        if thread.isCurrent { return thread.detach() }
        // This is how long a callback that does not return is waited for; the thread then cleans up when it does.
        let deadline = MonotonicClock.now() + MonotonicClock.second
        let hasEnded = monitor.wait(until: deadline) { $0.phase == .closed ? true : nil } ?? false
        hasEnded ? thread.join() : thread.detach()
    }
}
