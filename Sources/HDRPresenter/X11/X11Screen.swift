import CXCB
import Glibc

/// A screen, and its visual of depth 30 or 24 for windows.
struct X11Screen {
    let root: xcb_window_t
    let depth: UInt8
    let visual: xcb_visualid_t
    let pictureFormat: xcb_render_pictformat_t
    /// The format of pictures with eight bits of alpha, and the alignment of their rows in bytes.
    let alphaFormat: xcb_render_pictformat_t
    let alphaPadding: Int

    var format: PictureFormat { depth == 30 ? .bgr10a2 : .bgra8 }

    /// - Parameter root: the screen's root window.
    init(_ connection: OpaquePointer, root: xcb_window_t) throws(PresenterError) {
        guard let setup = xcb_get_setup(connection) else {
            throw PresenterError("the X server reports nothing of itself")
        }
        #if _endian(little)
            let isOurOrder = UInt32(setup.pointee.image_byte_order) == XCB_IMAGE_ORDER_LSB_FIRST.rawValue
        #else
            let isOurOrder = UInt32(setup.pointee.image_byte_order) == XCB_IMAGE_ORDER_MSB_FIRST.rawValue
        #endif
        guard isOurOrder else {
            throw PresenterError("the X server has another byte order than this machine; use a local server")
        }
        var screens = xcb_setup_roots_iterator(setup)
        while screens.rem > 0, let screen = screens.data, screen.pointee.root != root { xcb_screen_next(&screens) }
        guard screens.rem > 0, let screen = screens.data else {
            throw PresenterError("the window is on no screen of this X server; is DISPLAY the application's?")
        }

        let (formats, alphaFormat) = Self.pictureFormats(connection)
        let all = Self.visuals(of: screen)
        let wholeWords = Self.depthsOfWholeWords(setup)
        let candidates = all.filter { visual in
            wholeWords.contains(visual.depth) && visual.hasMasks && formats[visual.id] != nil
        }
        // Among the visuals of a depth, that of the root window is the cheapest for the server.
        let choice = candidates.max { first, second in
            (first.depth, first.id == screen.pointee.root_visual ? 1 : 0)
                < (second.depth, second.id == screen.pointee.root_visual ? 1 : 0)
        }
        guard let choice, let pictureFormat = formats[choice.id] else {
            let seen = all.filter { $0.id == screen.pointee.root_visual }.map(\.description).joined()
            throw PresenterError(
                """
                the X screen has no visual of depth 30 or 24 with red in the highest bits, blue in the lowest and 32 \
                bits a pixel; it has \(seen.isEmpty ? "none that is known" : seen)
                """)
        }
        guard let alphaFormat else {
            throw PresenterError("the X server's RENDER has no pictures of 8 bits of alpha, which its standard demands")
        }
        self.root = root
        self.alphaFormat = alphaFormat
        alphaPadding = Self.alphaPadding(setup)
        depth = choice.depth
        visual = choice.id
        self.pictureFormat = pictureFormat
    }

    private struct Visual {
        var id: xcb_visualid_t
        var depth: UInt8
        var isTrueColor: Bool
        var red, green, blue: UInt32

        var hasMasks: Bool {
            switch depth {
            case 30: isTrueColor && (red, green, blue) == (0x3ff0_0000, 0xffc00, 0x3ff)
            case 24: isTrueColor && (red, green, blue) == (0xff0000, 0xff00, 0xff)
            default: false
            }
        }

        var description: String {
            let masks = [red, green, blue].map { "0x" + String($0, radix: 16) }.joined(separator: "/")
            return "depth \(depth) with masks \(masks)"
        }
    }

    private static func visuals(of screen: UnsafeMutablePointer<xcb_screen_t>) -> [Visual] {
        var visuals: [Visual] = []
        var depths = xcb_screen_allowed_depths_iterator(screen)
        while depths.rem > 0, let depth = depths.data {
            var types = xcb_depth_visuals_iterator(depth)
            while types.rem > 0, let type = types.data?.pointee {
                visuals.append(
                    Visual(
                        id: type.visual_id, depth: depth.pointee.depth,
                        isTrueColor: UInt32(type._class) == XCB_VISUAL_CLASS_TRUE_COLOR.rawValue,
                        red: type.red_mask, green: type.green_mask, blue: type.blue_mask))
                xcb_visualtype_next(&types)
            }
            xcb_depth_next(&depths)
        }
        return visuals
    }

    /// The depths whose pixels take 32 bits.
    private static func depthsOfWholeWords(_ setup: UnsafePointer<xcb_setup_t>) -> Set<UInt8> {
        var depths: Set<UInt8> = []
        var formats = xcb_setup_pixmap_formats_iterator(setup)
        while formats.rem > 0, let format = formats.data?.pointee {
            if format.bits_per_pixel == 32, format.scanline_pad == 32 { depths.insert(format.depth) }
            xcb_format_next(&formats)
        }
        return depths
    }

    /// The alignment of rows in images of depth 8, in bytes.
    private static func alphaPadding(_ setup: UnsafePointer<xcb_setup_t>) -> Int {
        var formats = xcb_setup_pixmap_formats_iterator(setup)
        while formats.rem > 0, let format = formats.data?.pointee {
            if format.depth == 8 { return max(1, Int(format.scanline_pad) / 8) }
            xcb_format_next(&formats)
        }
        return 4
    }

    /// The formats of pictures of each visual, and that of eight bits of alpha alone.
    private static func pictureFormats(
        _ connection: OpaquePointer
    ) -> ([xcb_visualid_t: xcb_render_pictformat_t], alpha: xcb_render_pictformat_t?) {
        let reply = xcb_render_query_pict_formats_reply(connection, xcb_render_query_pict_formats(connection), nil)
        guard let reply else { return ([:], nil) }
        defer { free(reply) }
        var alpha: xcb_render_pictformat_t?
        var infos = xcb_render_query_pict_formats_formats_iterator(reply)
        while infos.rem > 0, let info = infos.data?.pointee {
            let (bits, colors) = (info.direct.alpha_mask, info.direct.red_mask | info.direct.green_mask)
            if info.depth == 8, bits == 0xff, colors | info.direct.blue_mask == 0 { alpha = info.id }
            xcb_render_pictforminfo_next(&infos)
        }
        var formats: [xcb_visualid_t: xcb_render_pictformat_t] = [:]
        var screens = xcb_render_query_pict_formats_screens_iterator(reply)
        while screens.rem > 0, let screen = screens.data {
            var depths = xcb_render_pictscreen_depths_iterator(screen)
            while depths.rem > 0, let depth = depths.data {
                var visuals = xcb_render_pictdepth_visuals_iterator(depth)
                while visuals.rem > 0, let visual = visuals.data?.pointee {
                    formats[visual.visual] = visual.format
                    xcb_render_pictvisual_next(&visuals)
                }
                xcb_render_pictdepth_next(&depths)
            }
            xcb_render_pictscreen_next(&screens)
        }
        return (formats, alpha)
    }
}
