import CXCB
import Glibc
import HDRConcurrency

extension X11Session {
    func handle(_ event: UnsafeMutablePointer<xcb_generic_event_t>) {
        // The highest bit marks an event that another client sent.
        let type = event.pointee.response_type & 0x7f
        switch Int32(type) {
        case 0: event.as(xcb_generic_error_t.self) { handle(error: $0) }
        case XCB_CONFIGURE_NOTIFY: event.as(xcb_configure_notify_event_t.self) { handle($0) }
        case XCB_DESTROY_NOTIFY:
            event.as(xcb_destroy_notify_event_t.self) { if isOurs($0.window) { loseWindow() } }
        case XCB_EXPOSE:
            event.as(xcb_expose_event_t.self) { if $0.count == 0, $0.window == window.id { needsPaint = true } }
        case XCB_CLIENT_MESSAGE:
            event.as(xcb_client_message_event_t.self) { message in
                if message.format == 32, window.deleteMessage != 0, message.data.data32.0 == window.deleteMessage {
                    callSink { $0.windowClosed() }
                }
            }
        case XCB_MAPPING_NOTIFY: keyboard = X11Keyboard(connection)
        case XCB_NO_EXPOSURE, XCB_GRAPHICS_EXPOSURE: isCopied()
        case XCB_GE_GENERIC: handle(generic: event)
        default:
            if let shm = extensions.shm, type == shm.firstEvent {
                event.as(xcb_shm_completion_event_t.self) { isRead(segment: $0.shmseg) }
            } else if let randr = extensions.randr, type == randr.firstEvent || type == randr.firstEvent &+ 1 {
                isOutputStale = true
            } else {
                handleInput(event, type: Int32(type))
            }
        }
    }

    private func isOurs(_ id: xcb_window_t) -> Bool { id == window.id || (window.parent != 0 && id == window.parent) }

    private func handle(_ event: xcb_configure_notify_event_t) {
        let size = (width: max(1, Int(event.width)), height: max(1, Int(event.height)))
        if event.window == window.id {
            newSize = size
            isOutputStale = true
        } else if event.window == window.parent {
            let mask = XCB_CONFIG_WINDOW_WIDTH.rawValue | XCB_CONFIG_WINDOW_HEIGHT.rawValue
            let values = [UInt32(size.width), UInt32(size.height)]
            xcb_configure_window(connection, window.id, UInt16(mask), values)
            isOutputStale = true
        }
    }

    private func handle(generic event: UnsafeMutablePointer<xcb_generic_event_t>) {
        let kind = event.as(xcb_ge_generic_event_t.self) { ($0.extension, $0.event_type) }
        guard let present = extensions.present, kind.0 == present.majorOpcode else { return }
        switch Int32(kind.1) {
        case XCB_PRESENT_COMPLETE_NOTIFY:
            let complete = UnsafeRawPointer(event).assumingMemoryBound(to: xcb_present_complete_notify_event_t.self)
            let (ust, msc) = (cxcb_complete_ust(complete), cxcb_complete_msc(complete))
            if UInt32(complete.pointee.kind) == XCB_PRESENT_COMPLETE_KIND_NOTIFY_MSC.rawValue {
                isRefreshed(ust: ust, sequence: msc)
            } else {
                let mode = UInt32(complete.pointee.mode)
                isComplete(
                    serial: complete.pointee.serial, isSkipped: mode == XCB_PRESENT_COMPLETE_MODE_SKIP.rawValue,
                    time: X11Refresh.time(ust: ust, now: MonotonicClock.now()), sequence: msc)
            }
        case XCB_PRESENT_IDLE_NOTIFY:
            event.as(xcb_present_idle_notify_event_t.self) { isIdle(pixmap: $0.pixmap) }
        default: break
        }
    }

    /// All requests are valid, so an error ends the presenter, unless the window was destroyed in the meantime.
    private func handle(error: xcb_generic_error_t) {
        let isAboutWindow = [X11Error.badWindow, X11Error.badDrawable].contains(error.error_code)
        if isAboutWindow, isOurs(error.resource_id) { loseWindow() }
        guard !isWindowGone else { return }
        let request = X11Error.name(ofRequest: error.major_code, error.minor_code, extensions)
        let hint = error.error_code == 11 ? "; the server is out of memory for pictures of this size" : ""
        fail(
            PresenterError("the X server refused \(request): \(X11Error.name(ofCode: error.error_code))\(hint)"))
    }

    private func handleInput(_ event: UnsafeMutablePointer<xcb_generic_event_t>, type: Int32) {
        switch type {
        case XCB_MOTION_NOTIFY:
            event.as(xcb_motion_notify_event_t.self) { motion in
                callSink { $0.input(.pointerMoved(x: Double(motion.event_x), y: Double(motion.event_y))) }
            }
        case XCB_BUTTON_PRESS, XCB_BUTTON_RELEASE:
            event.as(xcb_button_press_event_t.self) { handle($0, isPress: type == XCB_BUTTON_PRESS) }
        case XCB_KEY_PRESS, XCB_KEY_RELEASE:
            event.as(xcb_key_press_event_t.self) { key in
                guard let name = keyboard.name(of: key.detail) else { return }
                callSink { $0.input(type == XCB_KEY_PRESS ? .keyPressed(name) : .keyReleased(name)) }
            }
        default: break
        }
    }

    /// The wheel's steps are buttons: 4 up, 5 down, 6 left, 7 right.
    private func handle(_ event: xcb_button_press_event_t, isPress: Bool) {
        let (x, y) = (Double(event.event_x), Double(event.event_y))
        let steps: [UInt8: (dx: Double, dy: Double)] = [4: (0, 1), 5: (0, -1), 6: (-1, 0), 7: (1, 0)]
        if let step = steps[event.detail] {
            if isPress { callSink { $0.input(.scrolled(dx: step.dx, dy: step.dy, x: x, y: y)) } }
            return
        }
        let button = Int(event.detail)
        callSink { $0.input(isPress ? .buttonPressed(button, x: x, y: y) : .buttonReleased(button, x: x, y: y)) }
    }
}

extension UnsafeMutablePointer<xcb_generic_event_t> {
    /// The event as its specific type: all of the library's events have room for the type that their number stands for.
    fileprivate func `as`<Event, R>(_ type: Event.Type, _ body: (Event) -> R) -> R {
        body(UnsafeRawPointer(self).assumingMemoryBound(to: type).pointee)
    }
}
