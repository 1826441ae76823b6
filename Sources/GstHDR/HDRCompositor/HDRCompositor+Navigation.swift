import CGStreamer
import CGstHDR
import HDRComposition

/// Mouse and touch events, which go to the pads whose pictures are under them.
extension HDRCompositor {
    /// The place in a pad's picture that is shown at a place on the canvas, both in pixels from the upper left corner;
    /// `nil` where the picture is not there. May be called on any thread.
    func place(
        x: Double, y: Double, in layer: GstHdrCompositorLayer, on canvas: GstVideoInfo
    ) -> (x: Double, y: Double)? {
        guard layer.info.finfo != nil, !Settings.isHidden(layer.settings) else { return nil }
        let (orientation, part, place) = geometry(of: layer, on: canvas, settings.current)
        let (right, down) = (x - Double(place.x), y - Double(place.y))
        guard !place.isEmpty, !part.isEmpty, right >= 0, down >= 0, right < Double(place.width),
            down < Double(place.height)
        else { return nil }
        return orientation.source(
            Double(part.x) + right * Double(part.width) / Double(place.width),
            Double(part.y) + down * Double(part.height) / Double(place.height), Int(layer.info.width),
            Int(layer.info.height))
    }
}

@c @implementation
func hdr_compositor_place_in_picture(
    _ impl: gpointer!, _ layer: UnsafePointer<GstHdrCompositorLayer>!, _ canvas: UnsafePointer<GstVideoInfo>!,
    _ x: UnsafeMutablePointer<gdouble>!, _ y: UnsafeMutablePointer<gdouble>!
) -> gboolean {
    let found = HDRCompositor.with(impl) {
        $0.place(x: x.pointee, y: y.pointee, in: layer.pointee, on: canvas.pointee)
    }
    guard let found else { return 0 }
    (x.pointee, y.pointee) = found
    return 1
}
