/// When and how a picture was shown on the display.
public struct PresentationFeedback: Equatable, Sendable {
    public var serial: UInt64
    /// The time when the picture was shown, in nanoseconds of CLOCK_MONOTONIC; `nil` if it never was.
    public var time: UInt64?
    /// The display's refresh counter; 0 for a display without one.
    public var sequence: UInt64
    public init(serial: UInt64, time: UInt64?, sequence: UInt64 = 0) {
        self.serial = serial
        self.time = time
        self.sequence = sequence
    }
}

/// One refresh of the display, in nanoseconds of CLOCK_MONOTONIC.
public struct RefreshTick: Equatable, Sendable {
    public var now: UInt64
    /// The time at which a picture presented now is expected to be seen.
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

/// User input in the window.
public enum PresenterInput: Equatable, Sendable {
    /// Positions are in the window's pixels. Buttons: 1 left, 2 middle, 3 right.
    case pointerMoved(x: Double, y: Double)
    case buttonPressed(Int, x: Double, y: Double)
    case buttonReleased(Int, x: Double, y: Double)
    /// The wheel was turned, in steps; right and up are positive.
    case scrolled(dx: Double, dy: Double, x: Double, y: Double)
    /// Names of X keysyms, such as `space` or `Left`.
    case keyPressed(String)
    case keyReleased(String)
}

/// Receives a presenter's events, on the presenter's own thread and never while one of its locks is held. It may call
/// the presenter, except `close`.
public protocol PresenterEvents: AnyObject, Sendable {
    /// Headroom, reference white, output or features have changed.
    func displayChanged(_ state: DisplayState)
    /// The window's size in pixels has changed.
    func windowResized(width: Int, height: Int)
    /// The user closed the window.
    func windowClosed()
    func presented(_ feedback: PresentationFeedback)
    func refreshed(_ tick: RefreshTick)
    func input(_ input: PresenterInput)
    /// The display is gone or sends invalid data. Nothing works from here on but `close`.
    func failed(_ error: PresenterError)
}
