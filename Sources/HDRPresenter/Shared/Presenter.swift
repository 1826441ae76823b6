/// Puts pictures on a display: one window of it.
///
/// All calls but `setFlushing`, `display` and `redraw` come from one thread at a time.
public protocol Presenter: AnyObject, Sendable {
    /// Connects and makes a window, or takes the application's (`window`: a `wl_surface*` or an X11 window; 0 for one of its
    /// own, which opens at the first `present`). Waits two seconds at most.
    /// - Parameter size: The wanted size of an own window in pixels.
    func open(window: UInt, size: (width: Int, height: Int), title: String, events: any PresenterEvents)
        throws(PresenterError)

    /// The display as last heard of. Any thread.
    var display: DisplayState { get }

    /// The best way to show content of this kind, and what stood against better ways (`DisplayState.refusals` holds that
    /// too). `format` and `encoding` limit the choice where they are not `nil`.
    /// - Parameter wantsExtendedRange: `false` for SDR only: untagged sRGB.
    func choose(wantsExtendedRange: Bool, format: PictureFormat?, encoding: PictureEncoding.Transfer?)
        -> (format: PictureFormat, encoding: PictureEncoding)

    /// The pictures from now on. Throws where the display does not take them.
    func configure(_ picture: PictureDescription) throws(PresenterError)

    /// Free memory for one picture; waits for one to come free. `nil` while flushing.
    func acquire() throws(PresenterError) -> PresenterBuffer?

    /// Gives back a buffer unused.
    func release(_ buffer: PresenterBuffer)

    /// Shows a picture as soon as the display can, or at `target` (CLOCK_MONOTONIC, ns) where it can wait by itself.
    func present(_ buffer: PresenterBuffer, serial: UInt64, views: [View], target: UInt64?) throws(PresenterError)

    /// Shows the last picture again with other views. Any thread.
    func redraw(views: [View])

    /// While flushing, `acquire` and `present` return at once. Any thread.
    func setFlushing(_ isFlushing: Bool)

    /// Refresh ticks are told while this is on. Any thread.
    func setRefreshEvents(_ isOn: Bool)

    /// Ends; nothing is called back afterwards. A presenter is not opened again.
    func close()
}
