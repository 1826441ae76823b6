import CXCB

/// A pixmap of the server, with a RENDER picture of it.
final class X11Surface {
    let pixmap: xcb_pixmap_t
    let picture: xcb_render_picture_t
    let width: Int
    let height: Int
    /// Whether the server still shows it or is going to show it.
    var isBusy = false

    private let connection: OpaquePointer

    /// Makes the pixmap; width and height are 1 to ``X11Placement/limit``.
    init(_ connection: OpaquePointer, _ screen: X11Screen, width: Int, height: Int) {
        self.connection = connection
        self.width = width
        self.height = height
        pixmap = xcb_generate_id(connection)
        xcb_create_pixmap(
            connection, screen.depth, pixmap, screen.root, UInt16(clamping: width), UInt16(clamping: height))
        picture = xcb_generate_id(connection)
        // Beyond the edge filters repeat the edge's pixels instead of transparent black.
        let values = [XCB_RENDER_REPEAT_PAD.rawValue]
        xcb_render_create_picture(
            connection, picture, pixmap, screen.pictureFormat, XCB_RENDER_CP_REPEAT.rawValue, values)
        let filter = "bilinear"
        xcb_render_set_picture_filter(connection, picture, UInt16(filter.utf8.count), filter, 0, nil)
    }

    /// Frees the pixmap. The server keeps the memory as long as it uses it.
    func free() {
        xcb_render_free_picture(connection, picture)
        xcb_free_pixmap(connection, pixmap)
    }

    func hasSize(_ width: Int, _ height: Int) -> Bool { self.width == width && self.height == height }
}
