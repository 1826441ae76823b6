import CGStreamer
import CGstHDR
import GstBridge
import HDRExport

/// Paints the borders that videoscale adds black: GStreamer 1.28 fills those of formats with more than 8 bits with the
/// highest code.
final class BorderFilter: BinFilter, @unchecked Sendable {
    /// Whether the installed videoscale needs this.
    static let isNeeded = GStreamerVersion.isAtLeast(1, 27)

    private let borders: FrameInsets
    private var info = GstVideoInfo()
    private var isKnown = false

    init(_ borders: FrameInsets) { self.borders = borders }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_CAPS {
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            isKnown = caps.map { gst_video_info_from_caps(&info, $0) != 0 } ?? false
        }
        return push(event)
    }

    override func chain(_ given: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard isKnown, let buffer = given.writable() else { return push(given) }
        var frame = GstVideoFrame()
        if gst_video_frame_map(&frame, &info, buffer, GST_MAP_WRITE) != 0 {
            paint(&frame)
            gst_video_frame_unmap(&frame)
        }
        return push(buffer)
    }

    private func paint(_ frame: inout GstVideoFrame) {
        guard let format = info.finfo else { return }
        var offsets: (gint, gint, gint, gint) = (0, 0, 0, 0)
        var scales = offsets
        withUnsafeMutablePointer(to: &offsets) { offsets in
            withUnsafeMutablePointer(to: &scales) { scales in
                gst_video_color_range_offsets(
                    info.colorimetry.range, format, UnsafeMutableRawPointer(offsets).assumingMemoryBound(to: gint.self),
                    UnsafeMutableRawPointer(scales).assumingMemoryBound(to: gint.self))
            }
        }
        let black = [offsets.0, offsets.1, offsets.2, offsets.3]
        for component in 0..<Int(format.pointee.n_components) {
            let samples = Samples(&frame, component)
            let isAlpha = component == 3
            let code = isAlpha ? (1 << samples.depth) - 1 : Int(black[component])
            paint(samples, UInt16(clamping: code << samples.shift))
        }
    }

    /// Paints all rows above and below the picture, and both ends of the others. Samples that two rows or columns share
    /// stay where one of them belongs to the picture.
    private func paint(_ samples: Samples, _ code: UInt16) {
        let (top, left) = (borders.top >> samples.rowShift, borders.left >> samples.columnShift)
        let bottom = samples.rows - borders.bottom >> samples.rowShift
        let right = samples.columns - borders.right >> samples.columnShift
        for row in 0..<samples.rows {
            if row < top || row >= bottom {
                samples.fill(row, 0..<samples.columns, code)
            } else {
                samples.fill(row, 0..<min(left, samples.columns), code)
                samples.fill(row, min(max(right, 0), samples.columns)..<samples.columns, code)
            }
        }
    }

    /// One component's samples in memory.
    private struct Samples {
        let start: UnsafeMutableRawPointer?
        let stride: Int
        let step: Int
        let depth: Int
        let shift: Int
        let rows: Int
        let columns: Int
        let rowShift: Int
        let columnShift: Int

        init(_ frame: inout GstVideoFrame, _ component: Int) {
            func value<T, S>(_ array: T, _ type: S.Type) -> S {
                withUnsafeBytes(of: array) { $0.bindMemory(to: type)[component] }
            }
            let format = frame.info.finfo.pointee
            depth = Int(value(format.depth, guint.self))
            shift = Int(value(format.shift, guint.self))
            rowShift = Int(value(format.h_sub, guint.self))
            columnShift = Int(value(format.w_sub, guint.self))
            step = Int(value(format.pixel_stride, gint.self))
            let plane = Int(value(format.plane, guint.self))
            let offset = Int(value(format.poffset, guint.self))
            stride = Int(withUnsafeBytes(of: frame.info.stride) { $0.bindMemory(to: gint.self)[plane] })
            let data = withUnsafeBytes(of: frame.data) { $0.bindMemory(to: gpointer?.self)[plane] }
            // Samples that do not occupy whole bytes or words, such as those of v210, are left unchanged.
            let isOwn = depth <= 16 && step >= (depth > 8 ? 2 : 1)
            start = isOwn ? data.map { $0 + offset } : nil
            rows = -(-Int(frame.info.height) >> rowShift)
            columns = -(-Int(frame.info.width) >> columnShift)
        }

        func fill(_ row: Int, _ columns: Range<Int>, _ code: UInt16) {
            guard let start else { return }
            for column in columns {
                let sample = start + row * stride + column * step
                if depth > 8 {
                    sample.storeBytes(of: code.littleEndian, as: UInt16.self)
                } else {
                    sample.storeBytes(of: UInt8(truncatingIfNeeded: code), as: UInt8.self)
                }
            }
        }
    }
}
