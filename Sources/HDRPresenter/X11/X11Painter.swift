import CXCB

/// Uploads pictures to the server and paints views of the last one.
final class X11Painter {
    private let connection: OpaquePointer
    private let screen: X11Screen
    private let context: xcb_gcontext_t
    /// The last uploaded picture.
    private var source: X11Surface?
    /// The targets of halving steps, in the order of their use in one painting.
    private var steps: [X11Surface] = []
    /// The masks of the views that are not opaque, from the last painting.
    private var masks: [X11Mask] = []
    /// The maximum size of an upload request in bytes, without shared memory.
    private let strip: Int

    init(_ connection: OpaquePointer, _ screen: X11Screen) {
        self.connection = connection
        self.screen = screen
        context = xcb_generate_id(connection)
        // The foreground is black, and copies report no events.
        let values: [UInt32] = [0, 0]
        xcb_create_gc(
            connection, context, screen.root, XCB_GC_FOREGROUND.rawValue | XCB_GC_GRAPHICS_EXPOSURES.rawValue, values)
        // The strips are small enough that other requests do not wait long.
        strip = min(1 << 20, Int(clamping: xcb_get_maximum_request_length(connection)) * 4 - 64)
    }

    var hasPicture: Bool { source != nil }

    // MARK: Upload

    private func target(_ description: PictureDescription) -> X11Surface {
        if let source, source.hasSize(description.width, description.height) { return source }
        source?.free()
        let surface = X11Surface(connection, screen, width: description.width, height: description.height)
        source = surface
        return surface
    }

    /// An event reports when the server has read the memory.
    func upload(shared memory: X11Memory) {
        let buffer = memory.buffer
        if memory.segment == 0 {
            memory.segment = xcb_generate_id(connection)
            xcb_shm_attach_fd(connection, memory.segment, memory.file, 1)
            memory.file = -1
        }
        let (width, height) = (buffer.description.width, buffer.description.height)
        xcb_shm_put_image(
            connection, target(buffer.description).pixmap, context, UInt16(clamping: buffer.stride / 4),
            UInt16(clamping: height), 0, 0, UInt16(clamping: width), UInt16(clamping: height), 0, 0, screen.depth,
            UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), 1, memory.segment, 0)
    }

    /// The memory has been read when this returns.
    func upload(copied memory: X11Memory) {
        let buffer = memory.buffer
        let surface = target(buffer.description)
        let bytes = buffer.memory.assumingMemoryBound(to: UInt8.self)
        let rowsAtOnce = max(1, strip / buffer.stride)
        var row = 0
        while row < buffer.description.height {
            let rows = min(rowsAtOnce, buffer.description.height - row)
            // The padding at the end of rows is clipped.
            xcb_put_image(
                connection, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), surface.pixmap, context,
                UInt16(clamping: buffer.stride / 4), UInt16(clamping: rows), 0, Int16(clamping: row), 0, screen.depth,
                UInt32(clamping: rows * buffer.stride), bytes + row * buffer.stride)
            row += rows
        }
    }

    // MARK: Painting

    /// Paints all of `target`: the views in order, black around them. The server blends codes, not light.
    func paint(_ views: [View], into target: X11Surface) {
        guard let source else { return }
        let (picture, window) = ((source.width, source.height), (target.width, target.height))
        let placed = views.compactMap { view in
            X11Placement(view, picture: picture, window: window).map { (view: view, placement: $0) }
        }
        // Below a view that is not opaque there has to be black.
        fillAround(placed.first.flatMap { $0.view.isOpaque ? $0.placement : nil }, in: target)
        renewMasks(placed)
        var used = 0
        for (view, placement) in placed {
            if let origin = placement.copyOrigin, view.isOpaque {
                xcb_copy_area(
                    connection, source.pixmap, target.pixmap, context, Int16(clamping: origin.x),
                    Int16(clamping: origin.y), Int16(clamping: placement.x), Int16(clamping: placement.y),
                    UInt16(clamping: placement.width), UInt16(clamping: placement.height))
            } else {
                let mask = masks.first { $0.view == view && $0.placement == placement }
                scale(source, placement, mask, into: target, used: &used)
            }
        }
        while steps.count > used { steps.removeLast().free() }
    }

    /// Frees masks of the past and makes those that are missing.
    private func renewMasks(_ placed: [(view: View, placement: X11Placement)]) {
        masks.removeAll { mask in
            guard !placed.contains(where: { $0 == mask.view && $1 == mask.placement }) else { return false }
            mask.free()
            return true
        }
        for (view, placement) in placed
        where !view.isOpaque && !masks.contains(where: { $0.view == view && $0.placement == placement }) {
            masks.append(X11Mask(connection, screen, view, placement, strip: strip))
        }
    }

    private func fillAround(_ placement: X11Placement?, in target: X11Surface) {
        let (left, top) = (placement?.x ?? 0, placement?.y ?? 0)
        let (right, bottom) = (left + (placement?.width ?? 0), top + (placement?.height ?? 0))
        let bands = [
            (0, 0, target.width, top), (0, top, left, bottom - top),
            (right, top, target.width - right, bottom - top), (0, bottom, target.width, target.height - bottom),
        ]
        let rectangles = bands.filter { $0.2 > 0 && $0.3 > 0 }.map { band in
            xcb_rectangle_t(
                x: Int16(clamping: band.0), y: Int16(clamping: band.1), width: UInt16(clamping: band.2),
                height: UInt16(clamping: band.3))
        }
        guard !rectangles.isEmpty else { return }
        xcb_poly_fill_rectangle(connection, target.pixmap, context, UInt32(rectangles.count), rectangles)
    }

    /// RENDER's bilinear filter reads four pixels, which is too few below half size. Halving steps come first there.
    private func scale(
        _ source: X11Surface, _ placement: X11Placement, _ mask: X11Mask?, into target: X11Surface, used: inout Int
    ) {
        let halving = X11Halving(placement, picture: (source.width, source.height))
        guard !halving.steps.isEmpty else {
            composite(
                source, into: target, origin: (placement.originX, placement.originY),
                scale: (placement.scaleX, placement.scaleY),
                at: (placement.x, placement.y, placement.width, placement.height), through: mask)
            return
        }
        var from = source
        var origin = (Double(halving.x), Double(halving.y))
        for step in halving.steps {
            let into = surface(at: used, width: step.width, height: step.height)
            used += 1
            composite(
                from, into: into, origin: origin, scale: (step.isAcross ? 2 : 1, step.isDown ? 2 : 1),
                at: (0, 0, step.width, step.height))
            (from, origin) = (into, (0, 0))
        }
        composite(
            from, into: target, origin: (halving.originX, halving.originY), scale: (halving.scaleX, halving.scaleY),
            at: (placement.x, placement.y, placement.width, placement.height), through: mask)
    }

    private func surface(at index: Int, width: Int, height: Int) -> X11Surface {
        if index < steps.count {
            if steps[index].hasSize(width, height) { return steps[index] }
            steps[index].free()
            steps[index] = X11Surface(connection, screen, width: width, height: height)
            return steps[index]
        }
        let surface = X11Surface(connection, screen, width: width, height: height)
        steps.append(surface)
        return surface
    }

    private func composite(
        _ source: X11Surface, into target: X11Surface, origin: (Double, Double), scale: (Double, Double),
        at place: (x: Int, y: Int, width: Int, height: Int), through mask: X11Mask? = nil
    ) {
        let transform = xcb_render_transform_t(
            matrix11: fixed(scale.0), matrix12: 0, matrix13: fixed(origin.0), matrix21: 0, matrix22: fixed(scale.1),
            matrix23: fixed(origin.1), matrix31: 0, matrix32: 0, matrix33: 1 << 16)
        xcb_render_set_picture_transform(connection, source.picture, transform)
        xcb_render_composite(
            connection, UInt8((mask == nil ? XCB_RENDER_PICT_OP_SRC : XCB_RENDER_PICT_OP_OVER).rawValue),
            source.picture, mask?.picture ?? 0, target.picture, 0, 0, 0, 0,
            Int16(clamping: place.x), Int16(clamping: place.y), UInt16(clamping: place.width),
            UInt16(clamping: place.height))
    }

    /// A number in 16.16 fixed point.
    private func fixed(_ number: Double) -> Int32 { Int32(max(-32768, min(32767.99, number)) * 65536) }
}
