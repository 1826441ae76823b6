import CXCB
import Foundation
import TestSupport

@testable import HDRPresenter

/// Another client of the same X server, which reads windows, resizes them and sends them events.
final class X11Client {
    let connection: OpaquePointer
    let root: xcb_window_t

    struct Failed: Error { var what: String }

    init(_ server: XServer) throws {
        for library in LateLibrary.xcb { try library.load() }
        guard let connection = xcb_connect(server.display, nil), xcb_connection_has_error(connection) == 0,
            let screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data
        else { throw Failed(what: "no connection") }
        self.connection = connection
        root = screen.pointee.root
    }

    deinit { xcb_disconnect(connection) }

    func sync() { free(xcb_get_input_focus_reply(connection, xcb_get_input_focus(connection), nil)) }

    /// The children from the lowest window to the highest.
    func children(of window: xcb_window_t) throws -> [xcb_window_t] {
        guard let reply = xcb_query_tree_reply(connection, xcb_query_tree(connection, window), nil) else {
            throw Failed(what: "no tree")
        }
        defer { free(reply) }
        return Array(
            UnsafeBufferPointer(
                start: xcb_query_tree_children(reply), count: Int(xcb_query_tree_children_length(reply))))
    }

    /// The window with this title.
    func window(titled title: String) throws -> xcb_window_t {
        for window in try children(of: root) {
            let cookie = xcb_get_property(
                connection, 0, window, XCB_ATOM_WM_NAME.rawValue, XCB_ATOM_STRING.rawValue, 0, 256)
            guard let reply = xcb_get_property_reply(connection, cookie, nil) else { continue }
            defer { free(reply) }
            let bytes = UnsafeRawBufferPointer(
                start: xcb_get_property_value(reply), count: Int(xcb_get_property_value_length(reply)))
            if String(decoding: bytes, as: UTF8.self) == title { return window }
        }
        throw Failed(what: "no window titled \(title)")
    }

    /// The pixels without the bits that mean nothing.
    func image(
        of window: xcb_window_t, x: Int = 0, y: Int = 0, width: Int, height: Int
    ) throws -> [UInt32] {
        let cookie = xcb_get_image(
            connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), window, Int16(x), Int16(y), UInt16(width),
            UInt16(height), ~0)
        guard let reply = xcb_get_image_reply(connection, cookie, nil) else { throw Failed(what: "no image") }
        defer { free(reply) }
        let mask: UInt32 = reply.pointee.depth == 30 ? 0x3fff_ffff : 0xff_ffff
        let bytes = UnsafeRawBufferPointer(
            start: xcb_get_image_data(reply), count: Int(xcb_get_image_data_length(reply)))
        return bytes.bindMemory(to: UInt32.self).map { $0 & mask }
    }

    /// Tries for two seconds.
    func image(of window: xcb_window_t, width: Int, height: Int, until isRight: ([UInt32]) -> Bool) throws -> Bool {
        try eventually(within: .seconds(2), every: .milliseconds(20)) {
            isRight(try image(of: window, width: width, height: height))
        }
    }

    func makeWindow(width: Int, height: Int) -> xcb_window_t {
        let window = xcb_generate_id(connection)
        xcb_create_window(
            connection, 0, window, root, 10, 10, UInt16(width), UInt16(height), 0,
            UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), 0, XCB_CW_BACK_PIXEL.rawValue, [UInt32(0x3f)])
        xcb_map_window(connection, window)
        sync()
        return window
    }

    func resize(_ window: xcb_window_t, width: Int, height: Int) {
        let mask = XCB_CONFIG_WINDOW_WIDTH.rawValue | XCB_CONFIG_WINDOW_HEIGHT.rawValue
        xcb_configure_window(connection, window, UInt16(mask), [UInt32(width), UInt32(height)])
        sync()
    }

    /// Sends an event as if it came from a device or a window manager.
    func send<Event>(_ event: Event, to window: xcb_window_t) {
        var bytes = [CChar](repeating: 0, count: 32)
        withUnsafeBytes(of: event) { source in
            for (index, byte) in source.prefix(32).enumerated() { bytes[index] = CChar(bitPattern: byte) }
        }
        xcb_send_event(connection, 0, window, 0, bytes)
        sync()
    }

    func atom(_ name: String) -> xcb_atom_t {
        let reply = xcb_intern_atom_reply(
            connection, xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name), nil)
        defer { free(reply) }
        return reply?.pointee.atom ?? 0
    }
}
