import CXCB

/// A view's coverage as an alpha picture of the server's, in the visible part of its destination.
final class X11Mask {
    let view: View
    let placement: X11Placement
    let picture: xcb_render_picture_t
    private let pixmap: xcb_pixmap_t
    private let connection: OpaquePointer

    /// - Parameter strip: the maximum size of an upload request, in bytes.
    init(_ connection: OpaquePointer, _ screen: X11Screen, _ view: View, _ placement: X11Placement, strip: Int) {
        self.view = view
        self.placement = placement
        self.connection = connection
        let (width, height) = (placement.width, placement.height)
        pixmap = xcb_generate_id(connection)
        xcb_create_pixmap(connection, 8, pixmap, screen.root, UInt16(clamping: width), UInt16(clamping: height))
        picture = xcb_generate_id(connection)
        xcb_render_create_picture(connection, picture, pixmap, screen.alphaFormat, 0, nil)
        let context = xcb_generate_id(connection)
        let values: [UInt32] = [0]
        xcb_create_gc(connection, context, pixmap, XCB_GC_GRAPHICS_EXPOSURES.rawValue, values)
        defer { xcb_free_gc(connection, context) }

        let stride = (width + screen.alphaPadding - 1) / screen.alphaPadding * screen.alphaPadding
        let rowsAtOnce = max(1, strip / stride)
        for first in Swift.stride(from: 0, to: height, by: rowsAtOnce) {
            let rows = min(rowsAtOnce, height - first)
            var codes = [UInt8](repeating: 0, count: rows * stride)
            for row in 0..<rows {
                let y = Double(placement.y + first + row) + 0.5
                for column in 0..<width {
                    let coverage = view.coverage(x: Double(placement.x + column) + 0.5, y: y)
                    codes[row * stride + column] = UInt8((coverage * 255).rounded())
                }
            }
            xcb_put_image(
                connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), pixmap, context, UInt16(clamping: width),
                UInt16(clamping: rows), 0, Int16(clamping: first), 0, 8, UInt32(clamping: codes.count), codes)
        }
    }

    func free() {
        xcb_render_free_picture(connection, picture)
        xcb_free_pixmap(connection, pixmap)
    }
}
