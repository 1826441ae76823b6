import CXCB
import Glibc
import HDRConcurrency

/// Shows pictures in a window of an X11 display, in SDR: X11 has no HDR.
///
/// A thread of its own talks to the server. Callers pass it pictures and wait for the server only in `open` (two
/// seconds at most), `acquire` and `close` (one second at most). Pictures are sRGB, with 10 bits per channel on a
/// screen of depth 30 and 8 bits otherwise. `present` does not wait for `target`: the next refresh shows the picture,
/// or the last one of several.
public final class X11Presenter: Presenter {
    private let link = X11Link()
    private let thread = WorkerThread(name: "hdr-x11")
    private let name: String?
    private let unused: Set<String>
    private let libraries: [LateLibrary]

    /// The number of pictures in memory that the server shares.
    static let bufferCount = 3

    /// - Parameter display: a name such as `:0`; `nil` for the value of DISPLAY.
    public convenience init(display: String? = nil) { self.init(display: display, unused: []) }

    /// - Parameters:
    ///   - unused: extensions that are not used even if the server has them.
    ///   - libraries: the libraries that have to be loaded before any function of XCB is called.
    init(display: String?, unused: Set<String>, libraries: [LateLibrary] = LateLibrary.xcb) {
        name = display
        self.unused = unused
        self.libraries = libraries
    }

    deinit { close() }

    public func open(
        window: UInt, size: (width: Int, height: Int), title: String, events: any PresenterEvents
    ) throws(PresenterError) {
        guard let name = name ?? getenv("DISPLAY").map({ String(cString: $0) }), !name.isEmpty else {
            throw PresenterError("DISPLAY is not set: start this in an X session, or name an X display")
        }
        guard let parent = UInt32(exactly: window) else {
            throw PresenterError("0x\(String(window, radix: 16)) is no X11 window: those have 32 bits")
        }
        guard link.wakeUp.file >= 0 else {
            throw PresenterError("no event counter for the X11 presenter: too many files are open")
        }
        for library in libraries { try library.load() }
        try link.state.withLock { state throws(PresenterError) in
            guard state.phase == .new, !state.isClosing else {
                throw PresenterError("the X11 presenter was opened before; make a new one")
            }
            state.phase = .opening
        }
        let order = X11Session.Order(
            link: link, events: events, display: name, parent: parent, width: size.width, height: size.height,
            title: title, unused: unused)
        guard thread.start({ X11Session.run(order) }) else {
            link.state.change { $0.phase = .ended }
            throw PresenterError("no thread for the X11 presenter: the system has too many")
        }
        let isOpen: Bool? = try link.state.wait(until: MonotonicClock.now() + 2_000_000_000) {
            state throws(PresenterError) in
            if let failure = state.failure { throw failure }
            return state.phase == .opening ? nil : true
        }
        guard isOpen != nil else {
            link.state.change { $0.isClosing = true }
            throw PresenterError("the X display \(name) has not answered for two seconds; does the server hang?")
        }
    }

    public var display: DisplayState { link.state.withLock { $0.display } }

    public func choose(
        wantsExtendedRange: Bool, format: PictureFormat?, encoding: PictureEncoding.Transfer?
    ) -> (format: PictureFormat, encoding: PictureEncoding) {
        link.state.withLock { state in
            let chosen = state.format ?? .bgra8
            var refusals: [String] = []
            if wantsExtendedRange {
                refusals.append("X11 has no HDR: values above SDR white cannot be shown; use a Wayland session for it")
            }
            if let encoding, encoding != .sRGB {
                refusals.append("X11 shows sRGB alone, so pictures in \(encoding.name) are not taken")
            }
            if let format, format != chosen {
                let depth = chosen == .bgr10a2 ? 30 : 24
                refusals.append("the X11 window has depth \(depth), so its pixels are \(chosen) and not \(format)")
            }
            state.display.refusals = refusals
            return (chosen, PictureEncoding(.sRGB, .sRGB))
        }
    }

    public func configure(_ picture: PictureDescription) throws(PresenterError) {
        try link.state.change { state throws(PresenterError) in
            try Self.check(state)
            guard picture.format == state.format else {
                throw PresenterError(
                    "the X11 window takes \(state.format.map { "\($0)" } ?? "nothing") and not \(picture.format)")
            }
            guard picture.encoding.transfer == .sRGB else {
                throw PresenterError(
                    "X11 shows sRGB alone; pictures in \(picture.encoding.transfer.name) are not taken")
            }
            let sizes = 1...X11Placement.limit
            guard sizes.contains(picture.width), sizes.contains(picture.height) else {
                throw PresenterError(
                    """
                    a picture of \(picture.width)x\(picture.height) does not fit X11, which has 1 to 32767 pixels a side
                    """)
            }
            guard picture != state.description else { return }
            state.description = picture
            state.generation += 1
            for memory in state.memories.values where memory.owner == .pool { state.free(memory) }
        }
        link.wakeUp.signal()
    }

    public func acquire() throws(PresenterError) -> PresenterBuffer? {
        let isOwnThread = thread.isCurrent
        let outcome: Acquisition? = try link.state.wait { state throws(PresenterError) in
            if state.isFlushing { return .flushing }
            try Self.check(state)
            guard let description = state.description else {
                throw PresenterError("no picture was described: configure comes before acquire")
            }
            let current = state.memories.values.filter { $0.generation == state.generation }
            if let memory = current.first(where: { $0.owner == .pool }) {
                memory.owner = .sink
                return .memory(memory)
            }
            if current.count < Self.bufferCount {
                let memory = try X11Memory(description, token: state.nextToken, generation: state.generation)
                state.nextToken += 1
                state.memories[memory.buffer.token] = memory
                memory.owner = .sink
                return .memory(memory)
            }
            if isOwnThread {
                throw PresenterError("no picture is free, and the presenter's own thread cannot wait for itself")
            }
            return nil
        }
        if case .memory(let memory) = outcome { return memory.buffer }
        return nil
    }

    private enum Acquisition {
        case flushing
        case memory(X11Memory)
    }

    public func release(_ buffer: PresenterBuffer) {
        link.state.change { state in
            guard let memory = state.memories[buffer.token], memory.owner == .sink else { return }
            state.free(memory)
        }
        link.wakeUp.signal()
    }

    public func present(
        _ buffer: PresenterBuffer, serial: UInt64, views: [View], target: UInt64?
    ) throws(PresenterError) {
        try link.state.change { state throws(PresenterError) in
            guard let memory = state.memories[buffer.token], memory.owner == .sink else {
                throw PresenterError("the buffer was not acquired from this presenter, or was given back before")
            }
            if let error = Self.error(state) {
                state.free(memory)
                throw error
            }
            memory.owner = .presenter
            state.jobs.append(.present(memory, serial: serial, views: views))
        }
        link.wakeUp.signal()
    }

    public func redraw(views: [View]) {
        link.state.withLock { state in
            guard !state.isOver else { return }
            if case .redraw = state.jobs.last { state.jobs.removeLast() }
            state.jobs.append(.redraw(views: views))
        }
        link.wakeUp.signal()
    }

    public func setFlushing(_ isFlushing: Bool) {
        link.state.change { $0.isFlushing = isFlushing }
    }

    public func setRefreshEvents(_ isOn: Bool) {
        link.state.withLock { $0.wantsTicks = isOn }
        link.wakeUp.signal()
    }

    public func close() {
        let isRunning = link.state.change { state in
            state.isClosing = true
            return state.phase == .opening || state.phase == .open
        }
        link.wakeUp.signal()
        guard !thread.isCurrent else { return thread.detach() }
        if isRunning, !hasEnded(within: 500) {
            // The server neither reads nor answers, so that this has to end the thread's wait.
            link.state.withLock { state in
                if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
            }
            _ = hasEnded(within: 400)
        }
        let hasEnded = link.state.change { state in
            guard state.phase == .ended || state.phase == .new else { return false }
            state.jobs = []
            state.memories = [:]
            state.retired = []
            return true
        }
        hasEnded ? thread.join() : thread.detach()
    }

    private func hasEnded(within milliseconds: UInt64) -> Bool {
        link.state.wait(until: MonotonicClock.now() + milliseconds * 1_000_000) { $0.phase == .ended ? true : nil }
            ?? false
    }

    private static func error(_ state: X11State) -> PresenterError? {
        if let failure = state.failure { return failure }
        if state.isClosing || state.phase == .ended { return PresenterError("the X11 presenter is closed") }
        if state.phase != .open { return PresenterError("the X11 presenter is not open") }
        return nil
    }

    private static func check(_ state: X11State) throws(PresenterError) {
        if let error = error(state) { throw error }
    }
}

extension PictureEncoding.Transfer {
    fileprivate var name: String {
        switch self {
        case .extendedLinear: "extended linear light"
        case .pq: "PQ"
        case .sRGB: "sRGB"
        }
    }
}
