import CGStreamer
import CGstHDR
import GstBridge
import HDRComposition

/// Wipes: transitions that reveal a picture place by place.
extension HDRCompositor {
    /// The present state of a pad's wipe; `nil` where the whole picture is shown.
    func wipe(of layer: GstHdrCompositorLayer, _ place: PixelRect, _ canvas: Canvas) -> LayerWipe? {
        let settings = layer.settings
        guard settings.wipe != GST_HDR_COMPOSITOR_WIPE_NONE, settings.wipe_progress < 1, let pad = layer.pad else {
            return nil
        }
        let known = wipes[pad] ?? PadWipe()
        wipes[pad] = known
        do throws(WipeMapFile.Unreadable) {
            let map = try known.map(settings, place, canvas)
            return map.map {
                LayerWipe($0, progress: settings.wipe_progress, softness: settings.wipe_softness)
            }
        } catch {
            warning(error.description)
            return nil
        }
    }
}

/// The wipe data that a pad keeps from picture to picture.
final class PadWipe {
    /// The file that was read last, and the picture in it; `nil` where it could not be read.
    private var file: (path: UnsafeMutablePointer<CChar>, picture: WipePicture?)?
    private var map: (order: Order, map: LumaMap)?

    private struct Order: Equatable {
        let shape: WipeShape
        let isReversed: Bool
        let place: PixelRect
        let reach: PixelRect
    }

    deinit { g_free(file?.path) }

    /// The order in which the places of the picture appear; `nil` where there is no wipe, nothing of the picture is on
    /// the canvas, or memory runs out.
    /// - Throws: once for a file that cannot be read.
    func map(
        _ settings: GstHdrCompositorPadSettings, _ place: PixelRect, _ canvas: HDRCompositor.Canvas
    ) throws(WipeMapFile.Unreadable) -> LumaMap? {
        let reach = place.cut(toWidth: canvas.signal.width, height: canvas.signal.height)
        guard let shape = try shape(settings), !reach.isEmpty else { return nil }
        let order = Order(shape: shape, isReversed: settings.wipe_reverse != 0, place: place, reach: reach)
        if let map, map.order == order { return map.map }
        let made = LumaMap(
            shape, isReversed: order.isReversed, place: place, reach: reach, canvas.pool.forEachSlice(of:_:))
        map = made.map { (order, $0) }
        return made
    }

    private func shape(_ settings: GstHdrCompositorPadSettings) throws(WipeMapFile.Unreadable) -> WipeShape? {
        switch settings.wipe {
        case GST_HDR_COMPOSITOR_WIPE_BAR_LEFT: .barLeft
        case GST_HDR_COMPOSITOR_WIPE_BAR_RIGHT: .barRight
        case GST_HDR_COMPOSITOR_WIPE_BAR_UP: .barUp
        case GST_HDR_COMPOSITOR_WIPE_BAR_DOWN: .barDown
        case GST_HDR_COMPOSITOR_WIPE_DIAGONAL: .diagonal
        case GST_HDR_COMPOSITOR_WIPE_IRIS: .iris
        case GST_HDR_COMPOSITOR_WIPE_DIAMOND: .diamond
        case GST_HDR_COMPOSITOR_WIPE_CLOCK: .clock
        case GST_HDR_COMPOSITOR_WIPE_BARN_DOOR: .barnDoor
        case GST_HDR_COMPOSITOR_WIPE_MAP: try picture(settings.wipe_map).map { .map($0) }
        default: nil
        }
    }

    private func picture(_ path: UnsafePointer<CChar>?) throws(WipeMapFile.Unreadable) -> WipePicture? {
        let path = path ?? WipeMapFile.noPath
        if let file, strcmp(file.path, path) == 0 { return file.picture }
        g_free(file?.path)
        file = nil
        guard let copy = g_strdup(path) else { return nil }
        file = (copy, nil)
        file?.picture = try WipeMapFile.read(path)
        return file?.picture
    }
}
