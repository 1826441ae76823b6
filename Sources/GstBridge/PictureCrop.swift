import CGStreamer

extension GstVideoFrame {
    /// Moves the planes of a mapped frame to the part that a GstVideoCropMeta of its buffer shows, so that they begin
    /// with the picture of the caps. Decoders give such frames where downstream says that it accepts the meta.
    /// - Parameters:
    ///   - buffer: the buffer that is mapped.
    ///   - size: the size of the picture in the caps.
    /// - Returns: `false` where the part begins within a sample of chroma or a group of packed samples, with a line of
    ///   the other field, or lies outside of the frame. A part of another size than the caps' is left alone.
    package mutating func showCrop(of buffer: UnsafeMutablePointer<GstBuffer>, _ size: (width: Int32, height: Int32))
        -> Bool
    {
        guard let meta = gst_buffer_get_meta(buffer, gst_video_crop_meta_api_get_type()) else { return true }
        let crop = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCropMeta.self).pointee
        let (x, y) = (Int64(crop.x), Int64(crop.y))
        guard Int64(crop.width) == Int64(size.width), Int64(crop.height) == Int64(size.height), x > 0 || y > 0 else {
            return true
        }
        guard x + Int64(size.width) <= Int64(info.width), y + Int64(size.height) <= Int64(info.height) else {
            return false
        }
        guard let format = info.finfo?.pointee, format.flags.rawValue & GST_VIDEO_FORMAT_FLAG_TILED.rawValue == 0
        else { return false }
        let isGrouped = format.flags.rawValue & GST_VIDEO_FORMAT_FLAG_COMPLEX.rawValue != 0
        guard !isGrouped || x == 0 else { return false }
        let (planes, steps) = (Self.values(format.plane), Self.values(format.pixel_stride))
        let (columns, rows) = (Self.values(format.w_sub), Self.values(format.h_sub))
        // Lines of two fields alternate, and so do their lines of chroma.
        let fields: Int64 = flags.rawValue & GST_VIDEO_FRAME_FLAG_INTERLACED.rawValue != 0 ? 2 : 1
        for component in 0..<min(Int(format.n_components), 4) {
            guard x % (1 << Int64(columns[component])) == 0, y % (fields << Int64(rows[component])) == 0 else {
                return false
            }
        }
        let strides = Self.values(info.stride)
        withUnsafeMutablePointer(to: &data) {
            $0.withMemoryRebound(to: gpointer?.self, capacity: 4) { starts in
                for plane in 0..<min(Int(format.n_planes), 4) {
                    // Components that share a plane begin at the same place: the first one tells.
                    guard let component = (0..<4).first(where: { planes[$0] == plane }) else { continue }
                    let across = isGrouped ? 0 : Int(x >> Int64(columns[component])) * steps[component]
                    starts[plane]? += Int(y >> Int64(rows[component])) * strides[plane] + across
                }
            }
        }
        return true
    }

    private static func values<Value: BinaryInteger>(_ four: (Value, Value, Value, Value)) -> InlineArray<4, Int> {
        [Int(four.0), Int(four.1), Int(four.2), Int(four.3)]
    }
}
