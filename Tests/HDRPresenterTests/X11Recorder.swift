import CXCB
import Foundation
import HDRConcurrency
import TestSupport

@testable import HDRPresenter

/// The events of a presenter, in order.
final class X11Recorder: PresenterEvents {
    enum Event: Equatable {
        case display(DisplayState)
        case resized(Int, Int)
        case closed
        case presented(PresentationFeedback)
        case refreshed(RefreshTick)
        case input(PresenterInput)
        case failed(PresenterError)
    }

    private let list = Monitor<[Event]>([])
    private let onEvent: (@Sendable (Event) -> Void)?

    init(_ onEvent: (@Sendable (Event) -> Void)? = nil) { self.onEvent = onEvent }

    var events: [Event] { list.withLock { $0 } }
    var feedback: [PresentationFeedback] { events.compactMap { if case .presented(let it) = $0 { it } else { nil } } }
    var ticks: [RefreshTick] { events.compactMap { if case .refreshed(let it) = $0 { it } else { nil } } }
    var inputs: [PresenterInput] { events.compactMap { if case .input(let it) = $0 { it } else { nil } } }
    var failures: [PresenterError] { events.compactMap { if case .failed(let it) = $0 { it } else { nil } } }

    /// Whether such an event came, or comes within some seconds.
    func waits(seconds: Double = 5, for isIt: ([Event]) -> Bool) -> Bool {
        list.wait(until: MonotonicClock.now() + UInt64(seconds * 1e9)) { isIt($0) ? true : nil } ?? false
    }

    func waits(for event: Event) -> Bool { waits { $0.contains(event) } }

    /// The picture was seen.
    func waitsUntilSeen(_ serial: UInt64) -> Bool {
        waits { events in
            events.contains {
                if case .presented(let feedback) = $0 {
                    feedback.serial == serial && feedback.time != nil
                } else {
                    false
                }
            }
        }
    }

    private func add(_ event: Event) {
        list.change { $0.append(event) }
        onEvent?(event)
    }

    func displayChanged(_ state: DisplayState) { add(.display(state)) }
    func windowResized(width: Int, height: Int) { add(.resized(width, height)) }
    func windowClosed() { add(.closed) }
    func presented(_ feedback: PresentationFeedback) { add(.presented(feedback)) }
    func refreshed(_ tick: RefreshTick) { add(.refreshed(tick)) }
    func input(_ input: PresenterInput) { add(.input(input)) }
    func failed(_ error: PresenterError) { add(.failed(error)) }
}

/// A presenter with a window, and pictures for it.
final class X11Stage {
    let presenter: X11Presenter
    let recorder: X11Recorder
    let format: PictureFormat
    let width: Int
    let height: Int
    private var serial: UInt64 = 0

    /// - Parameter width, height: The size of the pictures.
    init(
        _ server: XServer, display: String? = nil, unused: Set<String> = [], window: UInt = 0,
        size: (width: Int, height: Int), width: Int,
        height: Int, title: String = "stage", recorder: X11Recorder = X11Recorder()
    ) throws {
        presenter = X11Presenter(display: display ?? server.display, unused: unused)
        self.recorder = recorder
        (self.width, self.height) = (width, height)
        try presenter.open(window: window, size: size, title: title, events: recorder)
        let choice = presenter.choose(wantsExtendedRange: false, format: nil, encoding: nil)
        format = choice.format
        try presenter.configure(
            PictureDescription(
                width: width, height: height, format: choice.format, encoding: choice.encoding, contentPeak: 203))
    }

    /// A window of 64x64 whose first picture is on the screen, and another client that sees it.
    static func shown(on server: XServer) throws -> (X11Stage, X11Client, xcb_window_t) {
        let stage = try X11Stage(server, size: (64, 64), width: 64, height: 64)
        guard stage.recorder.waitsUntilSeen(try stage.present(stage.noise(), stage.filling(64, 64))) else {
            throw TestFailure("the window's first picture is not shown")
        }
        let client = try X11Client(server)
        return (stage, client, try client.window(titled: "stage"))
    }

    var whole: View.Rectangle { View.Rectangle(x: 0, y: 0, width: Double(width), height: Double(height)) }
    func filling(_ width: Int, _ height: Int) -> [View] {
        [View(source: whole, destination: View.Rectangle(x: 0, y: 0, width: Double(width), height: Double(height)))]
    }

    /// Noise that fills all bits that the window has.
    func noise(seed: UInt64 = 1) -> [UInt32] {
        var random = SeededGenerator(seed: seed)
        let mask: UInt32 = format == .bgr10a2 ? 0x3fff_ffff : 0xff_ffff
        return (0..<width * height).map { _ in UInt32(truncatingIfNeeded: random.next()) & mask }
    }

    func fill(_ buffer: PresenterBuffer, _ pixels: [UInt32]) {
        for row in 0..<height {
            let line = (buffer.memory + row * buffer.stride).assumingMemoryBound(to: UInt32.self)
            for column in 0..<width {
                line[column] = pixels[row * width + column] | (format == .bgr10a2 ? 0xc000_0000 : 0)
            }
        }
    }

    /// Presents a picture and returns its serial.
    @discardableResult func present(_ pixels: [UInt32], _ views: [View]) throws -> UInt64 {
        guard let buffer = try presenter.acquire() else { throw X11Client.Failed(what: "flushing") }
        fill(buffer, pixels)
        serial += 1
        try presenter.present(buffer, serial: serial, views: views, target: nil)
        return serial
    }

    /// The three channels of a pixel, red first.
    func channels(_ pixel: UInt32) -> [Double] {
        let bits: UInt32 = format == .bgr10a2 ? 10 : 8
        return [2, 1, 0].map { Double(pixel >> ($0 * bits) & ((1 << bits) - 1)) }
    }
}
