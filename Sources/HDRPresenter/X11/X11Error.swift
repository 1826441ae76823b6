import CXCB

/// Texts for the server's and the library's errors.
enum X11Error {
    static func name(ofCode code: UInt8) -> String {
        let names = [
            "BadRequest", "BadValue", "BadWindow", "BadPixmap", "BadAtom", "BadCursor", "BadFont", "BadMatch",
            "BadDrawable", "BadAccess", "BadAlloc", "BadColormap", "BadGContext", "BadIDChoice", "BadName", "BadLength",
            "BadImplementation",
        ]
        let index = Int(code) - 1
        return names.indices.contains(index) ? names[index] : "error \(code)"
    }

    static let badWindow: UInt8 = 3
    static let badDrawable: UInt8 = 9

    /// The name of a request, which is either an extension's or a core request that this presenter uses.
    static func name(ofRequest major: UInt8, _ minor: UInt16, _ extensions: X11Extensions) -> String {
        if let name = extensions.name(ofRequest: major) { return "\(name) request \(minor)" }
        let core: [Int32: String] = [
            XCB_CREATE_WINDOW: "CreateWindow", XCB_CHANGE_WINDOW_ATTRIBUTES: "ChangeWindowAttributes",
            XCB_MAP_WINDOW: "MapWindow", XCB_CONFIGURE_WINDOW: "ConfigureWindow", XCB_CREATE_PIXMAP: "CreatePixmap",
            XCB_CREATE_GC: "CreateGC", XCB_COPY_AREA: "CopyArea", XCB_PUT_IMAGE: "PutImage",
            XCB_POLY_FILL_RECTANGLE: "PolyFillRectangle", XCB_CREATE_COLORMAP: "CreateColormap",
        ]
        return core[Int32(major)] ?? "request \(major)"
    }

    /// - Parameter code: the result of `xcb_connection_has_error`.
    static func connection(_ code: Int32, display: String) -> String {
        switch code {
        case XCB_CONN_CLOSED_MEM_INSUFFICIENT: "out of memory for the connection to the X display \(display)"
        case XCB_CONN_CLOSED_PARSE_ERR: "\(display) is not the name of an X display; one is as :0 or host:0"
        case XCB_CONN_CLOSED_INVALID_SCREEN: "the X display \(display) has no such screen"
        case XCB_CONN_CLOSED_REQ_LEN_EXCEED: "a request was longer than the X display \(display) takes"
        case XCB_CONN_CLOSED_FDPASSING_FAILED: "the X display \(display) took no file descriptor"
        default:
            """
            the X display \(display) cannot be reached or has ended the connection; is the server running, and may \
            this user use it (xauth)?
            """
        }
    }
}
