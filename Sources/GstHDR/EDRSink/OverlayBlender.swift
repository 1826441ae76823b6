import CGStreamer
import GstBridge
import HDRColor
import HDRPresenter

/// Blends subtitles and other overlays, which are sRGB, into the display's picture: at the level of SDR white and in
/// linear light.
final class OverlayBlender: @unchecked Sendable {
    /// Linear light of each code, relative to SDR white: of 10-bit PQ, and of sRGB with 8 and 10 bits.
    private let pq = (0..<1024).map { Float(PQ.eotf(Double($0) / 1023) / BT2408.referenceWhite) }
    private let sRGB8 = (0..<256).map { Float(SDR.sRGB(Double($0) / 255)) }
    private let sRGB10 = (0..<1024).map { Float(SDR.sRGB(Double($0) / 1023)) }

    /// - Parameter size: the picture's size in pixels before it was rotated.
    func blend(
        _ buffer: UnsafeMutablePointer<GstBuffer>, into target: PresenterBuffer, _ plan: ConversionPlan,
        _ orientation: Orientation, _ size: (width: Int, height: Int)
    ) {
        var state: gpointer?
        let api = gst_video_overlay_composition_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(buffer, &state, api) {
            let overlay = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoOverlayCompositionMeta.self)
            guard let composition = overlay.pointee.overlay else { continue }
            for index in 0..<gst_video_overlay_composition_n_rectangles(composition) {
                guard let rectangle = gst_video_overlay_composition_get_rectangle(composition, index) else { continue }
                blend(rectangle, target, plan, orientation, size)
            }
        }
    }

    private func blend(
        _ rectangle: OpaquePointer, _ target: PresenterBuffer, _ plan: ConversionPlan, _ orientation: Orientation,
        _ size: (width: Int, height: Int)
    ) {
        var left: gint = 0
        var top: gint = 0
        var width: guint = 0
        var height: guint = 0
        guard gst_video_overlay_rectangle_get_render_rectangle(rectangle, &left, &top, &width, &height) != 0,
            let pixels = gst_video_overlay_rectangle_get_pixels_argb(rectangle, GST_VIDEO_OVERLAY_FORMAT_FLAG_NONE),
            let meta = gst_buffer_get_video_meta(pixels)
        else { return }
        var map = GstMapInfo()
        guard gst_buffer_map(pixels, &map, GST_MAP_READ) != 0, let data = map.data else { return }
        defer { gst_buffer_unmap(pixels, &map) }
        let stride = Int(meta.pointee.stride.0)
        let offset = Int(meta.pointee.offset.0)
        let columns = Int(min(meta.pointee.width, width))
        let rows = Int(min(meta.pointee.height, height))
        guard stride >= 4 * columns, rows > 0, offset + stride * (rows - 1) + 4 * columns <= Int(map.size) else {
            return
        }
        let opacity = gst_video_overlay_rectangle_get_global_alpha(rectangle)
        let toTarget = Primaries.bt709.matrix(to: plan.target.primaries).converted(to: Float.self)
        let coder = PixelCoder(self, target, plan)
        for row in 0..<rows {
            let y = Int(top) + row
            guard y >= 0, y < size.height else { continue }
            let line = data + offset + row * stride
            for column in 0..<columns {
                let x = Int(left) + column
                // B, G, R, A in memory: ARGB of a little-endian machine.
                let at = 4 * column
                let a = Float(line[at + 3]) / 255 * opacity
                guard x >= 0, x < size.width, a > 0 else { continue }
                let color = SIMD3(
                    sRGB8[Int(line[at + 2])], sRGB8[Int(line[at + 1])], sRGB8[Int(line[at])])
                let place = orientation.place(x, y, size.width, size.height)
                coder.mix(place.x, place.y, toTarget * color, a)
            }
        }
    }

    /// Converts a picture's pixels to and from linear light relative to SDR white.
    private struct PixelCoder {
        let tables: OverlayBlender
        let target: PresenterBuffer
        let plan: ConversionPlan
        let white: Float

        init(_ tables: OverlayBlender, _ target: PresenterBuffer, _ plan: ConversionPlan) {
            self.tables = tables
            self.target = target
            self.plan = plan
            if case .extendedLinear(let one) = plan.target.transfer { white = Float(one) } else { white = 1 }
        }

        func mix(_ x: Int, _ y: Int, _ color: SIMD3<Float>, _ alpha: Float) {
            let format = target.description.format
            let pixel = target.memory + y * target.stride + x * format.bytesPerPixel
            if format == .rgba16f {
                let words = pixel.assumingMemoryBound(to: UInt16.self)
                for c in 0..<3 {
                    let below = Float(Float16(bitPattern: words[c]))
                    let light = isPQ ? Float(PQ.eotf(Double(below)) / BT2408.referenceWhite) : below / white
                    let mixed = light + (max(color[c], 0) - light) * alpha
                    words[c] = Float16(isPQ ? pqCode(mixed) : mixed * white).bitPattern
                }
                return
            }
            let word = pixel.assumingMemoryBound(to: UInt32.self)
            let old = UInt32(littleEndian: word.pointee)
            let isDeep = format == .rgb10a2 || format == .bgr10a2
            let bits: UInt32 = isDeep ? 10 : 8
            let top: UInt32 = isDeep ? 1023 : 255
            let isReversed = format == .bgr10a2 || format == .bgra8
            var new = old & ~(isDeep ? 0x3fff_ffff : 0x00ff_ffff)
            for c in 0..<3 {
                let shift = bits * UInt32(isReversed ? 2 - c : c)
                let code = Int(old >> shift & top)
                let light = isPQ ? tables.pq[code] : isDeep ? tables.sRGB10[code] : tables.sRGB8[code]
                let mixed = light + (max(color[c], 0) - light) * alpha
                let signal = isPQ ? pqCode(mixed) : SDR.inverseSRGB(min(mixed, 1))
                new |= UInt32(min(max(signal, 0), 1) * Float(top) + 0.5) << shift
            }
            word.pointee = new.littleEndian
        }

        private var isPQ: Bool { plan.target.transfer == .pq }
        private func pqCode(_ light: Float) -> Float { PQ.inverseEOTF(light * Float(BT2408.referenceWhite)) }
    }
}
