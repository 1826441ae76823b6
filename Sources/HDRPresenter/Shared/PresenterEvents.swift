/// What became of a picture on the display. Times in nanoseconds of CLOCK_MONOTONIC.
public struct PresentationFeedback: Equatable, Sendable {
    public var serial: UInt64
    /// `nil`: it was never shown.
    public var time: UInt64?
    /// The display's refresh counter, 0 where there is none.
    public var sequence: UInt64
    public init(serial: UInt64, time: UInt64?, sequence: UInt64 = 0) {
        self.serial = serial
        self.time = time
        self.sequence = sequence
    }
}

/// One refresh of the display. Nanoseconds of CLOCK_MONOTONIC.
public struct RefreshTick: Equatable, Sendable {
    public var now: UInt64
    /// When a picture presented now is expected to be seen.
    public var target: UInt64
    public var interval: UInt64
    public var sequence: UInt64
    public init(now: UInt64, target: UInt64, interval: UInt64, sequence: UInt64) {
        self.now = now
        self.target = target
        self.interval = interval
        self.sequence = sequence
    }
}

public enum PresenterInput: Equatable, Sendable {
    /// In the window's pixels; buttons are 1 left, 2 middle, 3 right, 4 to 7 wheel.
    case pointerMoved(x: Double, y: Double)
    case buttonPressed(Int, x: Double, y: Double)
    case buttonReleased(Int, x: Double, y: Double)
    /// In steps of a wheel: right and up are positive.
    case scrolled(dx: Double, dy: Double, x: Double, y: Double)
    /// X keysym names, as `space` or `Left`.
    case keyPressed(String)
    case keyReleased(String)
}

/// What a presenter tells. Called on the presenter's own thread, never while one of its locks is held; the callee may call
/// the presenter back, except `close`.
public protocol PresenterEvents: AnyObject, Sendable {
    /// Headroom, reference white, output or features changed.
    func displayChanged(_ state: DisplayState)
    /// The window has this size in pixels now.
    func windowResized(width: Int, height: Int)
    /// The user closed the window.
    func windowClosed()
    func presented(_ feedback: PresentationFeedback)
    func refreshed(_ tick: RefreshTick)
    func input(_ input: PresenterInput)
    /// The display is gone or talks nonsense; nothing works any more but `close`.
    func failed(_ error: PresenterError)
}
