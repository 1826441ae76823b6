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
        let known = padWipe(pad)
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

    /// Begins to read the file of a pad's wipe map, so that a wipe which begins later does not wait for it.
    func readMap(of layer: GstHdrCompositorLayer) {
        guard let path = layer.settings.wipe_map, let pad = layer.pad else { return }
        padWipe(pad).read(path)
    }

    private func padWipe(_ pad: UnsafeRawPointer) -> PadWipe {
        if let known = wipes[pad] { return known }
        let made = PadWipe()
        wipes[pad] = made
        return made
    }
}

/// The wipe data that a pad keeps from picture to picture.
final class PadWipe {
    /// The file that was read last; `nil` before the first one, and for no path.
    private var file: WipeMapReading?
    /// Whether it was told that this file cannot be read.
    private var isRefused = false
    private var map: (order: Order, map: LumaMap)?

    private struct Order: Equatable {
        let shape: WipeShape
        let isReversed: Bool
        let place: PixelRect
        let reach: PixelRect
    }

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

    /// Begins to read a file, unless it is the one that was read last.
    func read(_ path: UnsafePointer<CChar>) {
        if file?.isOf(path) == true { return }
        file = WipeMapReading(path)
        isRefused = false
    }

    private func picture(_ path: UnsafePointer<CChar>?) throws(WipeMapFile.Unreadable) -> WipePicture? {
        read(path ?? WipeMapFile.noPath)
        do throws(WipeMapFile.Unreadable) {
            return try file?.picture()
        } catch {
            if isRefused { return nil }
            isRefused = true
            throw error
        }
    }
}
