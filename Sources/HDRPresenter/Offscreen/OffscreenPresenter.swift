import Glibc
import HDRColor
import HDRConcurrency

/// A display in memory, which can be read back, with a refresh clock of its own.
///
/// It can have any headroom, so that what a display would get can be examined without one.
public final class OffscreenPresenter: Presenter, @unchecked Sendable {
    /// The default refresh interval in nanoseconds.
    public static let defaultInterval: UInt64 = 16_666_667
    private static let poolSize = 5
    private static let largePage = 1 << 21

    private struct Slot {
        /// The buffer for a picture; its description is that of the picture in it.
        var buffer: PresenterBuffer
        var isFree = true
    }

    private struct State {
        var display: DisplayState
        var slots: [Slot] = []
        var picture: PictureDescription?
        /// The slot that is shown, and the slots for the next refreshes.
        var shown: Int?
        var waiting: [(slot: Int, serial: UInt64)] = []
        /// The picture that was visible before the pictures' size or format changed, until the next one is shown. Its
        /// memory is owned here.
        var kept: PresenterBuffer?
        /// The serial of the picture that was seen last.
        var serial: UInt64 = 0
        /// Serials of pictures that were dropped before they were shown; reported at the next refresh.
        var unpresented: [UInt64] = []
        var views: [View] = []
        var isFlushing = false
        var tellsRefreshes = false
        var isOpen = false
        var sequence: UInt64 = 0
        weak var events: (any PresenterEvents)?

        mutating func forgetSlots() {
            for slot in slots where slot.buffer !== kept { slot.buffer.memory.deallocate() }
            slots = []
            shown = nil
            unpresented += waiting.map(\.serial)
            serial = waiting.last?.serial ?? serial
            waiting = []
        }

        mutating func keep(_ buffer: PresenterBuffer?) {
            kept?.memory.deallocate()
            kept = buffer
        }

        func owns(_ buffer: PresenterBuffer) -> Bool {
            slots.indices.contains(buffer.token) && slots[buffer.token].buffer === buffer
        }
    }

    private let interval: UInt64
    private let state: Monitor<State>
    private let thread = WorkerThread(name: "edrsink-offscr")

    /// - Parameters:
    ///   - headroom: the headroom of the simulated display, 1 or more.
    ///   - interval: the refresh interval in ns, 100 µs or more.
    public init(headroom: Double = 1000 / BT2408.referenceWhite, interval: UInt64 = defaultInterval) {
        self.interval = max(interval, 100_000)
        let headroom = headroom.isFinite ? max(headroom, 1) : 1
        let white = BT2408.referenceWhite
        state = Monitor(
            State(
                display: DisplayState(
                    peak: white * headroom, potentialHeadroom: max(10_000 / white, headroom), output: "offscreen",
                    refreshInterval: max(interval, 100_000), features: ["rgba16f", "rgb10a2", "rgba8"])))
    }

    deinit { close() }

    public func open(
        window: UInt, size: (width: Int, height: Int), title: String, events: any PresenterEvents
    ) throws(PresenterError) {
        try state.withLock { state throws(PresenterError) in
            state.events = events
            state.isOpen = true
            // The thread keeps the presenter alive until `close`.
            guard thread.start({ self.refresh() }) else {
                state.isOpen = false
                throw PresenterError("A thread for the offscreen display's refreshes cannot be started.")
            }
        }
    }

    public var display: DisplayState { state.withLock { $0.display } }

    public func choose(
        wantsExtendedRange: Bool, format: PictureFormat?, encoding: PictureEncoding.Transfer?
    ) -> (format: PictureFormat, encoding: PictureEncoding) {
        guard wantsExtendedRange, encoding != .sRGB, format != .rgba8, format != .bgra8 else {
            return (format == .rgb10a2 || format == .bgr10a2 ? .rgb10a2 : .rgba8, PictureEncoding(.sRGB, .sRGB))
        }
        // Ten bits are too few for linear light.
        if encoding == .pq || format == .rgb10a2 || format == .bgr10a2 {
            return (format == .rgba16f ? .rgba16f : .rgb10a2, PictureEncoding(.pq, .bt2020))
        }
        return (.rgba16f, PictureEncoding(.extendedLinear, .displayP3))
    }

    public func configure(_ picture: PictureDescription) throws(PresenterError) {
        let (row, wide) = picture.width.multipliedReportingOverflow(by: picture.format.bytesPerPixel)
        let (size, tall) = row.multipliedReportingOverflow(by: picture.height)
        guard picture.width > 0, picture.height > 0, !wide, !tall, size <= 1 << 32 else {
            throw PresenterError("\(picture.width)x\(picture.height) is no size for a picture.")
        }
        state.withLock { state in
            let old = state.picture
            state.picture = picture
            if old?.width == picture.width, old?.height == picture.height, old?.format == picture.format { return }
            if let index = state.waiting.last?.slot ?? state.shown, state.slots.indices.contains(index) {
                state.keep(state.slots[index].buffer)
            }
            state.forgetSlots()
            // All memory is allocated at once and touched, so that no picture is late because of page faults.
            let stride = (picture.width * picture.format.bytesPerPixel + 63) & ~63
            state.slots = (0..<Self.poolSize).map { index in
                let memory = Self.memory(of: stride * picture.height)
                return Slot(
                    buffer: PresenterBuffer(description: picture, memory: memory, stride: stride, token: index))
            }
        }
    }

    private static func memory(of size: Int) -> UnsafeMutableRawPointer {
        let isLarge = size > largePage
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: isLarge ? largePage : 64)
        // Touching large pages, where the system has some, takes less time.
        if isLarge { madvise(memory, size, MADV_HUGEPAGE) }
        memset(memory, 0, size)
        return memory
    }

    public func acquire() throws(PresenterError) -> PresenterBuffer? {
        let acquired: PresenterBuffer?? = try state.wait { state throws(PresenterError) in
            guard state.isOpen else { throw PresenterError("The offscreen display is closed.") }
            guard let picture = state.picture else { throw PresenterError("No picture has been described.") }
            if state.isFlushing { return .some(nil) }
            guard let index = state.slots.firstIndex(where: { $0.isFree }) else { return nil }
            let old = state.slots[index].buffer
            if old.description != picture {
                state.slots[index].buffer = PresenterBuffer(
                    description: picture, memory: old.memory, stride: old.stride, token: index)
            }
            state.slots[index].isFree = false
            return .some(state.slots[index].buffer)
        }
        return acquired ?? nil
    }

    public func release(_ buffer: PresenterBuffer) {
        state.change { state in
            if state.owns(buffer) { state.slots[buffer.token].isFree = true }
        }
    }

    public func present(
        _ buffer: PresenterBuffer, serial: UInt64, views: [View], target: UInt64?
    ) throws(PresenterError) {
        state.change { state in
            guard state.owns(buffer) else {
                state.unpresented.append(serial)
                return
            }
            // Pictures that come at the display's rate may meet between two refreshes; more than two would only wait
            // longer.
            if state.waiting.count == 2 {
                let late = state.waiting.removeFirst()
                state.unpresented.append(late.serial)
                state.slots[late.slot].isFree = true
            }
            state.waiting.append((buffer.token, serial))
            state.keep(nil)
            state.views = views
        }
    }

    public func redraw(views: [View]) { state.withLock { $0.views = views } }

    public func setFlushing(_ isFlushing: Bool) { state.change { $0.isFlushing = isFlushing } }

    public func setRefreshEvents(_ isOn: Bool) { state.withLock { $0.tellsRefreshes = isOn } }

    /// Lends `body` the memory of the picture that is shown or about to be shown, its views and its serial.
    public func withPicture<Result>(_ body: (PresenterBuffer, [View], UInt64) -> Result) -> Result? {
        state.withLock { state in
            let serial = state.waiting.last?.serial ?? state.serial
            guard let index = state.waiting.last?.slot ?? state.shown, state.slots.indices.contains(index) else {
                return state.kept.map { body($0, state.views, serial) }
            }
            return body(state.slots[index].buffer, state.views, serial)
        }
    }

    public func close() {
        state.change { $0.isOpen = false }
        thread.joinOrDetach()
        state.withLock { state in
            state.forgetSlots()
            state.keep(nil)
            state.picture = nil
        }
    }

    // MARK: The thread of the refresh clock

    private func refresh() {
        var next = MonotonicClock.now() + interval
        while true {
            let isOver = state.wait(until: next) { $0.isOpen ? nil : true } ?? false
            if isOver { return }
            // A wait may end early by the clock's resolution.
            let now = max(MonotonicClock.now(), next)
            // Refreshes that were slept through are left out.
            let following = next + interval * ((now - next) / interval + 1)
            let (feedback, tick, events) = state.change { state in
                state.sequence += 1
                var feedback = state.unpresented.map { PresentationFeedback(serial: $0, time: nil) }
                state.unpresented = []
                if !state.waiting.isEmpty {
                    let new = state.waiting.removeFirst()
                    if let shown = state.shown, state.slots.indices.contains(shown) { state.slots[shown].isFree = true }
                    state.shown = new.slot
                    state.serial = new.serial
                    feedback.append(
                        PresentationFeedback(serial: new.serial, time: next, sequence: state.sequence))
                }
                let tick = RefreshTick(now: now, target: following, interval: interval, sequence: state.sequence)
                return (feedback, state.tellsRefreshes ? tick : nil, state.events)
            }
            for feedback in feedback { events?.presented(feedback) }
            if let tick { events?.refreshed(tick) }
            next = following
        }
    }
}
