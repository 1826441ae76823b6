import Glibc

/// Shows pictures to nobody: memory that can be read back, and a refresh clock of its own.
///
/// The display it stands for has any headroom, so that what a display would get can be looked at without one.
public final class OffscreenPresenter: Presenter, @unchecked Sendable {
    /// Nanoseconds from one refresh to the next.
    public static let defaultInterval: UInt64 = 16_666_667
    private static let poolSize = 5
    private static let largePage = 1 << 21

    private struct Slot {
        /// Its description is that of the picture in it.
        var buffer: PresenterBuffer
        var isFree = true
    }

    private let mutex = Mutex()
    private let interval: UInt64
    private var state: DisplayState
    private var slots: [Slot] = []
    private var picture: PictureDescription?
    /// The slot that is shown, and those of the next refreshes.
    private var shown: Int?
    private var waiting: [(slot: Int, serial: UInt64)] = []
    /// What was seen before the pictures became others, until the next one is there; its memory is owned here.
    private var kept: PresenterBuffer?
    /// The serial of what was seen last.
    private var serial: UInt64 = 0
    private var views: [View] = []
    private var isFlushing = false
    private var tellsRefreshes = false
    private var isOpen = false
    private var sequence: UInt64 = 0
    private var thread: pthread_t?
    private weak var events: (any PresenterEvents)?

    /// - Parameters:
    ///   - headroom: of the display that it stands for, 1 or more.
    ///   - interval: nanoseconds from one refresh to the next, 100 µs or more.
    public init(headroom: Double = 1000.0 / 203, interval: UInt64 = defaultInterval) {
        self.interval = max(interval, 100_000)
        let headroom = headroom.isFinite ? max(headroom, 1) : 1
        state = DisplayState(
            peak: 203 * headroom, potentialHeadroom: max(10000.0 / 203, headroom), output: "offscreen",
            refreshInterval: max(interval, 100_000), features: ["rgba16f", "rgb10a2", "rgba8"])
    }

    deinit { close() }

    public func open(
        window: UInt, size: (width: Int, height: Int), title: String, events: any PresenterEvents
    ) throws(PresenterError) {
        mutex.lock()
        self.events = events
        isOpen = true
        let started = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<OffscreenPresenter>.fromOpaque(argument).takeRetainedValue().tick()
                return nil
            }, started.toOpaque())
        if failure == 0 { self.thread = thread } else { isOpen = false }
        mutex.unlock()
        if failure != 0 {
            started.release()
            throw PresenterError("A thread for the offscreen display's refreshes cannot be started.")
        }
    }

    public var display: DisplayState { mutex.withLock { state } }

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
        mutex.lock()
        defer { mutex.unlock() }
        let old = self.picture
        self.picture = picture
        if old?.width == picture.width, old?.height == picture.height, old?.format == picture.format { return }
        if let index = waiting.last?.slot ?? shown, slots.indices.contains(index) { keep(slots[index].buffer) }
        forgetSlots()
        // All at once, and touched, so that no picture is late for it.
        let stride = (picture.width * picture.format.bytesPerPixel + 63) & ~63
        slots = (0..<Self.poolSize).map { index in
            let size = stride * picture.height
            let isLarge = size > Self.largePage
            let memory = UnsafeMutableRawPointer.allocate(
                byteCount: size, alignment: isLarge ? Self.largePage : 64)
            // Faster to touch in large pages, where there are some.
            if isLarge { madvise(memory, size, MADV_HUGEPAGE) }
            memset(memory, 0, size)
            return Slot(
                buffer: PresenterBuffer(description: picture, memory: memory, stride: stride, token: index))
        }
    }

    private func forgetSlots() {
        for slot in slots where slot.buffer !== kept { slot.buffer.memory.deallocate() }
        slots = []
        shown = nil
        unpresented += waiting.map(\.serial)
        serial = waiting.last?.serial ?? serial
        waiting = []
    }

    private func keep(_ buffer: PresenterBuffer?) {
        kept?.memory.deallocate()
        kept = buffer
    }

    /// Serials whose buffers went before they were shown; told at the next refresh.
    private var unpresented: [UInt64] = []

    public func acquire() throws(PresenterError) -> PresenterBuffer? {
        mutex.lock()
        defer { mutex.unlock() }
        while true {
            guard isOpen else { throw PresenterError("The offscreen display is closed.") }
            guard let picture else { throw PresenterError("No picture has been described.") }
            if isFlushing { return nil }
            if let index = slots.firstIndex(where: { $0.isFree }) {
                let old = slots[index].buffer
                if old.description != picture {
                    slots[index].buffer = PresenterBuffer(
                        description: picture, memory: old.memory, stride: old.stride, token: index)
                }
                slots[index].isFree = false
                return slots[index].buffer
            }
            mutex.wait(until: Clock.now() + interval)
        }
    }

    public func release(_ buffer: PresenterBuffer) {
        mutex.withLock {
            guard owns(buffer) else { return }
            slots[buffer.token].isFree = true
            mutex.signal()
        }
    }

    private func owns(_ buffer: PresenterBuffer) -> Bool {
        slots.indices.contains(buffer.token) && slots[buffer.token].buffer === buffer
    }

    public func present(
        _ buffer: PresenterBuffer, serial: UInt64, views: [View], target: UInt64?
    ) throws(PresenterError) {
        mutex.withLock {
            guard owns(buffer) else {
                unpresented.append(serial)
                return
            }
            // Pictures that come in the display's rhythm may meet between two refreshes; more than that are too many.
            if waiting.count == 2 {
                let late = waiting.removeFirst()
                unpresented.append(late.serial)
                slots[late.slot].isFree = true
            }
            waiting.append((buffer.token, serial))
            keep(nil)
            self.views = views
            mutex.signal()
        }
    }

    public func redraw(views: [View]) { mutex.withLock { self.views = views } }

    public func setFlushing(_ isFlushing: Bool) {
        mutex.withLock {
            self.isFlushing = isFlushing
            mutex.signal()
        }
    }

    public func setRefreshEvents(_ isOn: Bool) { mutex.withLock { tellsRefreshes = isOn } }

    /// The picture that is shown, or waits to be, its views and its serial: lends its memory to `body`.
    public func withPicture<Result>(_ body: (PresenterBuffer, [View], UInt64) -> Result) -> Result? {
        mutex.withLock {
            let serial = waiting.last?.serial ?? serial
            guard let index = waiting.last?.slot ?? shown, slots.indices.contains(index) else {
                return kept.map { body($0, views, serial) }
            }
            return body(slots[index].buffer, views, serial)
        }
    }

    public func close() {
        mutex.lock()
        isOpen = false
        let thread = self.thread
        self.thread = nil
        mutex.signal()
        mutex.unlock()
        if let thread {
            if pthread_equal(thread, pthread_self()) == 0 { pthread_join(thread, nil) } else { pthread_detach(thread) }
        }
        mutex.withLock {
            forgetSlots()
            keep(nil)
            picture = nil
        }
    }

    /// The thread of the refresh clock.
    private func tick() {
        var next = Clock.now() + interval
        while true {
            mutex.lock()
            while isOpen, Clock.now() < next { mutex.wait(until: next) }
            guard isOpen else {
                mutex.unlock()
                return
            }
            let now = Clock.now()
            sequence += 1
            var feedback = unpresented.map { PresentationFeedback(serial: $0, time: nil) }
            unpresented = []
            if !waiting.isEmpty {
                let new = waiting.removeFirst()
                if let shown, slots.indices.contains(shown) { slots[shown].isFree = true }
                shown = new.slot
                serial = new.serial
                feedback.append(PresentationFeedback(serial: new.serial, time: next, sequence: sequence))
                mutex.signal()
            }
            // What was slept through is left out.
            let following = next + interval * max(1, (max(now, next) - next) / interval + 1)
            let refresh = RefreshTick(now: now, target: following, interval: interval, sequence: sequence)
            let (events, tells) = (events, tellsRefreshes)
            mutex.unlock()
            for feedback in feedback { events?.presented(feedback) }
            if tells { events?.refreshed(refresh) }
            next = following
        }
    }
}
