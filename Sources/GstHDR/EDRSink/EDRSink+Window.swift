import CGStreamer
import CGstHDR
import GstBridge
import HDRPresenter

/// Where pictures lie in the window, and how user input there becomes navigation events.
extension EDRSink {
    // MARK: Views

    /// The part of the window that is drawn into.
    private func area(_ screen: Screen) -> View.Rectangle {
        if let rectangle = screen.rectangle { return rectangle }
        if screen.window.width > 0, screen.window.height > 0 {
            return View.Rectangle(x: 0, y: 0, width: Double(screen.window.width), height: Double(screen.window.height))
        }
        return View.Rectangle(x: 0, y: 0, width: screen.shape.width, height: screen.shape.height)
    }

    /// The views of a picture, in the window's pixels.
    func views(_ picture: PictureDescription) -> [View] {
        let settings = settings.current
        let screen = screen.current
        let area = area(screen)
        let (width, height) = (Double(picture.width), Double(picture.height))
        if settings.views.isEmpty {
            let whole = View.Rectangle(x: 0, y: 0, width: width, height: height)
            let shape = settings.forcesAspectRatio ? screen.shape : (area.width, area.height)
            return [View(source: whole, destination: Self.fit(shape, in: area))]
        }
        return settings.views.map { view in
            let (s, d) = (view.source, view.destination)
            let place = View.Rectangle(
                x: area.x + d.x * area.width, y: area.y + d.y * area.height, width: d.width * area.width,
                height: d.height * area.height)
            let part = View.Rectangle(
                x: s.x * width, y: s.y * height, width: s.width * width, height: s.height * height)
            let shape = (s.width * screen.shape.width, s.height * screen.shape.height)
            var placed = view
            placed.source = part
            placed.destination = settings.forcesAspectRatio ? Self.fit(shape, in: place) : place
            return placed
        }
    }

    /// The largest rectangle of a shape in the middle of an area, on whole pixels.
    static func fit(_ shape: (width: Double, height: Double), in area: View.Rectangle) -> View.Rectangle {
        guard shape.width > 0, shape.height > 0 else { return area }
        let scale = min(area.width / shape.width, area.height / shape.height)
        let width = max(1, (shape.width * scale).rounded())
        let height = max(1, (shape.height * scale).rounded())
        return View.Rectangle(
            x: area.x + ((area.width - width) / 2).rounded(.down),
            y: area.y + ((area.height - height) / 2).rounded(.down), width: width, height: height)
    }

    // MARK: Navigation

    /// The picture's pixel at a point of the window, in the first view.
    private func point(_ x: Double, _ y: Double) -> (x: Double, y: Double)? {
        guard let picture = screen.current.picture, let view = views(picture).first else { return nil }
        let (s, d) = (view.source, view.destination)
        guard d.width > 0, d.height > 0 else { return nil }
        return (
            min(max(s.x + (x - d.x) / d.width * s.width, 0), Double(picture.width)),
            min(max(s.y + (y - d.y) / d.height * s.height, 0), Double(picture.height))
        )
    }

    /// Sends the user's input upstream as navigation events.
    func input(_ input: PresenterInput) {
        guard screen.current.handlesEvents else { return }
        let none = GST_NAVIGATION_MODIFIER_NONE
        var made: UnsafeMutablePointer<GstEvent>?
        switch input {
        case .pointerMoved(let x, let y):
            made = gst_navigation_event_new_mouse_move(x, y, none)
        case .buttonPressed(let button, let x, let y):
            made = gst_navigation_event_new_mouse_button_press(gint(clamping: button), x, y, none)
        case .buttonReleased(let button, let x, let y):
            made = gst_navigation_event_new_mouse_button_release(gint(clamping: button), x, y, none)
        case .scrolled(let dx, let dy, let x, let y):
            made = gst_navigation_event_new_mouse_scroll(x, y, dx, dy, none)
        case .keyPressed(let key): made = gst_navigation_event_new_key_press(key, none)
        case .keyReleased(let key): made = gst_navigation_event_new_key_release(key, none)
        }
        if let made { sendNavigation(made) }
    }

    /// Sends a navigation event, in the window's pixels, upstream. If no element handles it, the application gets a
    /// message.
    func sendNavigation(_ event: UnsafeMutablePointer<GstEvent>) {
        var sent = event
        var x: gdouble = 0
        var y: gdouble = 0
        if gst_navigation_event_get_coordinates(event, &x, &y) != 0, let place = point(x, y) {
            if let writable = event.writable() {
                sent = writable
                gst_navigation_event_set_coordinates(sent, place.x, place.y)
            }
        }
        guard let pad = baseSink.pointee.sinkpad else { return }
        gst_mini_object_ref(sent.asMiniObject)
        let isHandled = gst_pad_push_event(pad, sent) != 0
        if !isHandled, let message = gst_navigation_message_new_event(gstObject, sent) {
            gst_element_post_message(gstElement, message)
        }
        gst_mini_object_unref(sent.asMiniObject)
    }
}
