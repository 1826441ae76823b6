/// Shows pictures in one window on a display.
///
/// All functions but `setFlushing`, `setRefreshEvents`, `display` and `redraw` are called by one thread at a time.
public protocol Presenter: AnyObject, Sendable {
    /// Connects, and makes a window or takes the application's. Waits at most two seconds.
    /// - Parameter window: the application's `wl_surface*` or X11 window; 0 for a window of the presenter's own, which
    ///   opens at the first `present`.
    /// - Parameter size: the requested size of the presenter's own window, in pixels.
    func open(window: UInt, size: (width: Int, height: Int), title: String, events: any PresenterEvents)
        throws(PresenterError)

    /// The display as it was last reported. Any thread may read it.
    var display: DisplayState { get }

    /// The best way to show pictures. `DisplayState.refusals` has the reasons why better ways were not taken. A
    /// `format` or an `encoding` restricts the choice; `nil` leaves it open.
    /// - Parameter wantsExtendedRange: `false` for SDR, as untagged sRGB.
    func choose(wantsExtendedRange: Bool, format: PictureFormat?, encoding: PictureEncoding.Transfer?)
        -> (format: PictureFormat, encoding: PictureEncoding)

    /// Sets the description of the pictures that follow. Throws if the display does not take such pictures.
    func configure(_ picture: PictureDescription) throws(PresenterError)

    /// Memory for one picture; waits until there is some. `nil` while flushing.
    func acquire() throws(PresenterError) -> PresenterBuffer?

    /// Gives a buffer back unused.
    func release(_ buffer: PresenterBuffer)

    /// Shows a picture at the next refresh, or at `target` (in ns of CLOCK_MONOTONIC) if the display can wait by
    /// itself.
    func present(_ buffer: PresenterBuffer, serial: UInt64, views: [View], target: UInt64?) throws(PresenterError)

    /// Shows the last picture again with other views. Any thread may call it.
    func redraw(views: [View])

    /// While flushing, `acquire` and `present` return at once. Any thread may call this.
    func setFlushing(_ isFlushing: Bool)

    /// Refresh ticks are reported while this is on. Any thread may call it.
    func setRefreshEvents(_ isOn: Bool)

    /// Closes the presenter for good; no callback is called afterwards.
    func close()
}
