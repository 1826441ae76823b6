import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRPresenter

extension EDRSink {
    /// A display system.
    enum PresenterKind: String { case wayland, x11, offscreen }

    /// The state of the sink's display and window.
    struct Screen {
        var presenter: (any Presenter)?
        var kind = PresenterKind.offscreen
        var listener: Listener?
        /// The reasons why presenters that are preferred to the present one could not be used.
        var refusals: [String] = []
        var display: DisplayState?
        /// The size, format and encoding in which pictures are made at present; `nil` before the first plan.
        var picture: PictureDescription?
        /// The window in pixels; 0 before it is known.
        var window = (width: 0, height: 0)
        /// Width and height of the picture on the display, in square pixels.
        var shape = (width: 1280.0, height: 720.0)
        /// The size that an own window was asked to have.
        var asked = (width: 1280, height: 720)
        /// An application's window, 0 for one of the sink's own, and its part that is drawn into.
        var handle: UInt = 0
        var rectangle: View.Rectangle?
        var handlesEvents = true
        var isFlushing = false
        /// The window that was opened, as `handle`.
        var opened: UInt = 0
        var waylandDisplay: UInt = 0
        var reported: Reported?
    }

    /// The state that was last reported to the application.
    struct Reported: Equatable {
        var headroom: Double
        var potentialHeadroom: Double
        var referenceWhite: Double
        var isEligible: Bool
        var state: String
    }

    /// Receives the presenter's events for the sink. It lives no longer than the presenter is open.
    final class Listener: PresenterEvents, @unchecked Sendable {
        private unowned let sink: EDRSink
        init(_ sink: EDRSink) { self.sink = sink }

        func displayChanged(_ state: DisplayState) {
            sink.screen.withLock { $0.display = state }
            sink.displayHasChanged()
            sink.repaint()
        }
        func windowResized(width: Int, height: Int) {
            sink.screen.withLock { $0.window = (width, height) }
            sink.redraw()
        }
        func windowClosed() {
            sink.error("The window was closed.", .resource(GST_RESOURCE_ERROR_NOT_FOUND))
        }
        func presented(_ feedback: PresentationFeedback) { sink.record.note(feedback) }
        func refreshed(_ tick: RefreshTick) { sink.link.deliver(tick) }
        func input(_ input: PresenterInput) { sink.input(input) }
        func failed(_ error: PresenterError) { sink.error(error.description) }
    }

    func setRenderRectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
        screen.withLock {
            $0.rectangle =
                width > 0 && height > 0
                ? View.Rectangle(x: Double(x), y: Double(y), width: Double(width), height: Double(height)) : nil
        }
        redraw()
    }

    // MARK: State

    var headroom: Double {
        // Without extended range the peak is SDR white, whatever is forced.
        guard !isSDR else { return 1 }
        let forced = settings.current.forcedHeadroom
        if forced > 0 { return max(forced, 1) }
        guard let display = screen.current.display else { return 1 }
        return display.headroom.isFinite ? display.headroom : 1
    }

    /// Whether the display gets pictures without extended range.
    private var isSDR: Bool { screen.current.picture?.encoding.transfer == .sRGB }

    var isEligible: Bool { (screen.current.display?.potentialHeadroom ?? 1) > 1 }

    /// Reports to the application what has changed since the last report.
    func displayHasChanged() {
        guard let state = displayState() else { return }
        let display = screen.current.display
        let reported = Reported(
            headroom: headroom, potentialHeadroom: display?.potentialHeadroom ?? 1,
            referenceWhite: display?.referenceWhite ?? BT2408.referenceWhite, isEligible: isEligible,
            state: Structure.text(state))
        let before = screen.withLock { screen in
            defer { screen.reported = reported }
            return screen.reported
        }
        if reported.headroom != before?.headroom { notify("headroom") }
        if reported.potentialHeadroom != before?.potentialHeadroom { notify("potential-headroom") }
        if reported.referenceWhite != before?.referenceWhite { notify("reference-white") }
        if reported.isEligible != before?.isEligible { notify("eligible-for-hdr-playback") }
        guard reported.state != before?.state else {
            gst_structure_free(state)
            return
        }
        notify("display-state")
        post(state)
    }

    /// The value of the property `display-state`: what the display offers, what was chosen, and why nothing better. The
    /// caller owns it.
    func displayState() -> Structure.Pointer? {
        let screen = screen.current
        // The presenter knows its refusals only after a choice.
        guard let display = screen.presenter?.display ?? screen.display else { return nil }
        var fields: [(String, Structure.Value)] = [
            ("presenter", .string(screen.kind.rawValue)), ("output", .string(display.output)),
            ("headroom", .double(headroom)), ("potential-headroom", .double(display.potentialHeadroom)),
            ("reference-white", .double(display.referenceWhite)), ("peak", .double(display.peak)),
            ("black", .double(display.black)),
            ("refresh-rate", .double(display.refreshInterval > 0 ? 1e9 / Double(display.refreshInterval) : 0)),
            ("features", .strings(display.features)),
            ("window-width", .int(screen.window.width)), ("window-height", .int(screen.window.height)),
        ]
        if let picture = screen.picture {
            fields += [
                ("pixel-format", .string("\(picture.format)")), ("color-space", .string(picture.encoding.name)),
                ("white-value", .double(picture.encoding.whiteValue)),
            ]
        }
        let refusals = screen.refusals + display.refusals + refusal(screen.picture)
        fields.append(("why-nothing-better", .strings(refusals)))
        return Structure.make("display-state", fields)
    }

    /// Why a requested colour space is not used; empty where it is used, or where none was requested.
    private func refusal(_ picture: PictureDescription?) -> [String] {
        let settings = settings.current
        guard let picture, let asked = settings.transfer, asked != picture.encoding.transfer else { return [] }
        let wanted = PictureEncoding(asked, asked == .sRGB ? .sRGB : asked == .pq ? .bt2020 : .displayP3).name
        let reason =
            if !settings.wantsExtendedRange {
                "wants-extended-dynamic-range is false"
            } else if asked == .extendedLinear, let format = settings.format, format != .rgba16f {
                "linear light needs pixel-format=rgba16f"
            } else {
                "the display takes no such pixels"
            }
        return ["color-space=\(wanted): \(reason)."]
    }

    func setFlushing(_ isFlushing: Bool) {
        let presenter = screen.withLock { screen in
            screen.isFlushing = isFlushing
            return screen.presenter
        }
        presenter?.setFlushing(isFlushing)
    }

    /// Starts or stops the display link to match the settings. Several threads may change these at once, so each checks
    /// afterwards whether the settings are still those that it acted on.
    func followDisplayLink() {
        var isOn: Bool
        repeat {
            isOn = displayLinkIsOn
            if isOn { link.start() } else { link.stop() }
            screen.current.presenter?.setRefreshEvents(isOn)
        } while isOn != displayLinkIsOn
    }

    private var displayLinkIsOn: Bool { !settings.current.displayLinkIsPaused && screen.current.presenter != nil }
}
