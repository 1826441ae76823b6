import CXCB
import Glibc

/// The window that shows pictures: one of the presenter's own, or a child that fills the application's window.
struct X11Window {
    let id: xcb_window_t
    /// The application's window; 0 for a window of the presenter's own.
    let parent: xcb_window_t
    var width: Int
    var height: Int
    var isMapped = false
    let deleteMessage: xcb_atom_t

    /// The screen of the application's window, and its size.
    static func geometry(
        _ connection: OpaquePointer, of window: xcb_window_t
    ) throws(PresenterError) -> (root: xcb_window_t, width: Int, height: Int) {
        let reply = xcb_get_geometry_reply(connection, xcb_get_geometry(connection, window), nil)
        guard let reply else {
            throw PresenterError(
                "the application's window 0x\(String(window, radix: 16)) is not there on this X server")
        }
        defer { free(reply) }
        return (reply.pointee.root, Int(reply.pointee.width), Int(reply.pointee.height))
    }

    /// - Parameter parent: the application's window; 0 for one of the presenter's own.
    init(
        _ connection: OpaquePointer, _ screen: X11Screen, parent: xcb_window_t, width: Int, height: Int, title: String
    ) throws(PresenterError) {
        self.parent = parent
        self.width = min(max(1, width), X11Placement.limit)
        self.height = min(max(1, height), X11Placement.limit)
        let colors = xcb_generate_id(connection)
        xcb_create_colormap(connection, UInt8(XCB_COLORMAP_ALLOC_NONE.rawValue), colors, screen.root, screen.visual)
        let events =
            XCB_EVENT_MASK_KEY_PRESS.rawValue | XCB_EVENT_MASK_KEY_RELEASE.rawValue
            | XCB_EVENT_MASK_BUTTON_PRESS.rawValue | XCB_EVENT_MASK_BUTTON_RELEASE.rawValue
            | XCB_EVENT_MASK_POINTER_MOTION.rawValue | XCB_EVENT_MASK_EXPOSURE.rawValue
            | XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue
        let mask =
            XCB_CW_BACK_PIXEL.rawValue | XCB_CW_BORDER_PIXEL.rawValue | XCB_CW_BIT_GRAVITY.rawValue
            | XCB_CW_EVENT_MASK.rawValue | XCB_CW_COLORMAP.rawValue
        // The background is black; at a change of size the contents stay until the next picture.
        let values = [0, 0, XCB_GRAVITY_NORTH_WEST.rawValue, events, colors]
        id = xcb_generate_id(connection)
        let created = xcb_create_window_checked(
            connection, screen.depth, id, parent == 0 ? screen.root : parent, 0, 0, UInt16(clamping: self.width),
            UInt16(clamping: self.height), 0, UInt16(XCB_WINDOW_CLASS_INPUT_OUTPUT.rawValue), screen.visual, mask,
            values)
        if let error = xcb_request_check(connection, created) {
            let code = error.pointee.error_code
            free(error)
            throw PresenterError("the X server makes no window: \(X11Error.name(ofCode: code))")
        }
        guard parent == 0 else {
            deleteMessage = 0
            let values = [XCB_EVENT_MASK_STRUCTURE_NOTIFY.rawValue]
            let selected = xcb_change_window_attributes_checked(
                connection, parent, XCB_CW_EVENT_MASK.rawValue, values)
            if let error = xcb_request_check(connection, selected) {
                free(error)
                throw PresenterError("the application's window 0x\(String(parent, radix: 16)) has just gone")
            }
            return
        }

        let names = ["WM_PROTOCOLS", "WM_DELETE_WINDOW", "_NET_WM_NAME", "UTF8_STRING"]
        let atoms = Self.atoms(connection, names)
        deleteMessage = atoms["WM_DELETE_WINDOW"] ?? 0
        let replace = UInt8(XCB_PROP_MODE_REPLACE.rawValue)
        if let protocols = atoms["WM_PROTOCOLS"], deleteMessage != 0 {
            let list = [deleteMessage]
            xcb_change_property(connection, replace, id, protocols, XCB_ATOM_ATOM.rawValue, 32, 1, list)
        }
        let name = Array(title.utf8.prefix(1024))
        if let property = atoms["_NET_WM_NAME"], let type = atoms["UTF8_STRING"] {
            xcb_change_property(connection, replace, id, property, type, 8, UInt32(name.count), name)
        }
        xcb_change_property(
            connection, replace, id, XCB_ATOM_WM_NAME.rawValue, XCB_ATOM_STRING.rawValue, 8, UInt32(name.count), name)
        let classes = Array("edrsink\0edrsink\0".utf8)
        xcb_change_property(
            connection, replace, id, XCB_ATOM_WM_CLASS.rawValue, XCB_ATOM_STRING.rawValue, 8, UInt32(classes.count),
            classes)
    }

    private static func atoms(_ connection: OpaquePointer, _ names: [String]) -> [String: xcb_atom_t] {
        let cookies = names.map { xcb_intern_atom(connection, 0, UInt16($0.utf8.count), $0) }
        var atoms: [String: xcb_atom_t] = [:]
        for (name, cookie) in zip(names, cookies) {
            guard let reply = xcb_intern_atom_reply(connection, cookie, nil) else { continue }
            atoms[name] = reply.pointee.atom
            free(reply)
        }
        return atoms
    }
}
