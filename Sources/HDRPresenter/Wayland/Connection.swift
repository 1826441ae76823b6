import CWayland
import Glibc
import HDRConcurrency

/// A connection to a compositor, its own or an application's, and a queue of events that only the presenter dispatches.
///
/// `pump` moves bytes and dispatches nothing, so that it needs no lock of the presenter's: reading may wait for another
/// thread that reads too.
final class Connection: @unchecked Sendable {
    /// The display to which a connection is made.
    enum Source: Sendable {
        /// A socket of this name, or path; `nil` for `WAYLAND_DISPLAY`.
        case named(String?)
        /// A connected socket, which the connection closes.
        case socket(Int32)
        /// An application's `wl_display*`, which has to outlive the presenter.
        case application(UInt)
    }

    let display: OpaquePointer
    let queue: OpaquePointer
    private let isOwn: Bool
    /// Ends the event thread's wait in poll.
    private let wakeUp = WakeUp()

    init(_ source: Source, deadline: UInt64) throws(PresenterError) {
        switch source {
        case .application(let address):
            guard let pointer = OpaquePointer(bitPattern: address) else {
                throw PresenterError("The application gave no wl_display.")
            }
            display = pointer
            isOwn = false
        case .named(let name):
            display = try Self.connect(to: try WaylandSocket.open(name, deadline: deadline))
            isOwn = true
        case .socket(let file):
            display = try Self.connect(to: file)
            isOwn = true
        }
        let queue = wl_display_create_queue(display)
        guard let queue, wakeUp.file >= 0 else {
            let reason = systemError()
            queue.map(wl_event_queue_destroy)
            if isOwn { wl_display_disconnect(display) }
            throw PresenterError("The Wayland connection could not be set up: \(reason).")
        }
        self.queue = queue
    }

    private static func connect(to file: Int32) throws(PresenterError) -> OpaquePointer {
        guard let display = wl_display_connect_to_fd(file) else {
            throw PresenterError("The Wayland connection could not be set up: \(systemError()).")
        }
        return display
    }

    /// Ends the connection. All of its objects have to be destroyed before.
    func close() {
        wl_display_flush(display)
        wl_event_queue_destroy(queue)
        if isOwn { wl_display_disconnect(display) }
    }

    /// Ends a `pump` that waits on another thread.
    func wake() { wakeUp.signal() }

    func flush() { wl_display_flush(display) }

    enum Pumped { case events, nothing, broken }

    /// Sends requests and reads events until there are events on `queue`, or until `deadline`.
    /// - Parameter isWoken: whether `wake` ends it too; for one thread only.
    func pump(_ queue: OpaquePointer, deadline: UInt64, isWoken: Bool) -> Pumped {
        if wl_display_prepare_read_queue(display, queue) != 0 { return .events }
        var wants = Int16(POLLIN)
        if wl_display_flush(display) < 0 {
            guard errno == EAGAIN else {
                wl_display_cancel_read(display)
                // Events that came before the end may still give the reason: a protocol error.
                return wl_display_get_error(display) == 0 ? readRest(queue) : .broken
            }
            wants |= Int16(POLLOUT)
        }
        var files = [pollfd(fd: wl_display_get_fd(display), events: wants, revents: 0)]
        if isWoken { files.append(pollfd(fd: wakeUp.file, events: Int16(POLLIN), revents: 0)) }
        let now = MonotonicClock.now()
        // Rounded up, so that the thread does not spin before the deadline.
        let wait = deadline > now ? min((deadline - now) / 1_000_000 + 1, 60_000) : 0
        let count = poll(&files, nfds_t(files.count), Int32(wait))
        if isWoken, files[1].revents != 0 { wakeUp.clear() }
        guard count > 0, files[0].revents & ~Int16(POLLOUT) != 0 else {
            wl_display_cancel_read(display)
            return .nothing
        }
        return wl_display_read_events(display) < 0 ? .broken : .events
    }

    private func readRest(_ queue: OpaquePointer) -> Pumped {
        guard wl_display_prepare_read_queue(display, queue) == 0 else { return .events }
        return wl_display_read_events(display) < 0 ? .broken : .events
    }

    /// Runs the handlers of the events that have come. `false` if the connection is broken.
    func dispatch(_ queue: OpaquePointer) -> Bool { wl_display_dispatch_queue_pending(display, queue) >= 0 }

    /// Dispatches a queue that only this thread dispatches, until `isDone`. `false` if the deadline comes first.
    func wait(on queue: OpaquePointer, deadline: UInt64, until isDone: () -> Bool) throws(PresenterError) -> Bool {
        while true {
            guard dispatch(queue) else { throw PresenterError(errorSentence) }
            if isDone() { return true }
            if MonotonicClock.now() >= deadline { return false }
            if pump(queue, deadline: deadline, isWoken: false) == .broken { throw PresenterError(errorSentence) }
        }
    }

    /// The reason why the connection is broken, as a sentence.
    var errorSentence: String {
        let code = wl_display_get_error(display)
        guard code == EPROTO else {
            return code == EPIPE || code == ECONNRESET || code == 0
                ? "The Wayland compositor closed the connection."
                : "The Wayland connection broke: \(systemError(code))."
        }
        var interface: UnsafePointer<wl_interface>?
        var object: UInt32 = 0
        let error = wl_display_get_protocol_error(display, &interface, &object)
        let name = interface?.pointee.name.map { String(cString: $0) } ?? "an unknown object"
        return "The Wayland compositor ended the connection for an error of \(name): number \(error)."
    }
}
