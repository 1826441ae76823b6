import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRPresenter

/// Frames for applications: by time, as files, and as the display got them.
extension EDRSink {
    // MARK: By time

    /// The running time of the frame to be seen at a time of CLOCK_MONOTONIC; GST_CLOCK_TIME_NONE without a clock.
    func itemTime(_ hostTime: UInt64) -> UInt64 {
        guard let clock = gst_element_get_clock(gstElement) else { return UInt64(GstClockTime.max) }
        defer { gst_object_unref(clock) }
        let clockNow = Int64(bitPattern: UInt64(gst_clock_get_time(clock)))
        let base = Int64(bitPattern: UInt64(gst_element_get_base_time(gstElement)))
        // The pipeline's clock need not be the host's: what counts is the distance from now.
        let ahead = Int64(clamping: Int64(clamping: hostTime) &- Int64(clamping: MonotonicClock.now()))
        let running = clockNow &- base &+ ahead
        return running < 0 ? 0 : UInt64(running)
    }

    /// Makes a prepared frame available to applications.
    func offer(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let pad = baseSink.pointee.sinkpad, let caps = gst_pad_get_current_caps(pad) else { return }
        defer { gst_caps_unref(caps) }
        guard let sample = gst_sample_new(buffer, caps, &baseSink.pointee.segment, nil) else { return }
        frames.add(sample, running: runningTime(buffer))
    }

    /// The running time at which a buffer is to be seen; `nil` without a time stamp. A picture that begins before its
    /// segment is seen from the segment's start, and in reverse a picture is seen from its end.
    private func runningTime(_ buffer: UnsafeMutablePointer<GstBuffer>) -> UInt64? {
        let none = UInt64(GstClockTime.max)
        var segment = baseSink.pointee.segment
        var time = UInt64(buffer.pointee.pts)
        guard segment.format == GST_FORMAT_TIME, time != none else { return nil }
        let duration = UInt64(buffer.pointee.duration)
        if segment.rate < 0, duration != none { time &+= duration }
        time = max(time, UInt64(segment.start))
        if UInt64(segment.stop) != none { time = min(time, UInt64(segment.stop)) }
        let running = UInt64(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, guint64(time)))
        return running == none ? nil : running
    }

    // MARK: As the display got it

    /// The offscreen display's picture; its caps have the size, the pixel format and the colour space. The caller owns
    /// the sample.
    func readFrame() -> OpaquePointer? {
        guard let presenter = screen.current.presenter as? OffscreenPresenter else {
            warning("read-frame needs presenter=offscreen; copy-frame gives frames as they came in")
            return nil
        }
        return presenter.withPicture { picture, views, serial -> OpaquePointer? in
            let description = picture.description
            let painter = ViewPainter(views, of: description)
            let (width, height) = (painter?.width ?? description.width, painter?.height ?? description.height)
            let row = width * description.format.bytesPerPixel
            guard let buffer = gst_buffer_new_allocate(nil, gsize(row * height), nil) else { return nil }
            defer { gst_buffer_unref(buffer) }
            var map = GstMapInfo()
            guard gst_buffer_map(buffer, &map, GST_MAP_WRITE) != 0, let data = map.data else { return nil }
            if let painter {
                memset(data, 0, row * height)
                painter.paint(picture, into: data)
            } else {
                for y in 0..<height {
                    UnsafeMutableRawPointer(data + y * row).copyMemory(
                        from: picture.memory + y * picture.stride, byteCount: row)
                }
            }
            gst_buffer_unmap(buffer, &map)
            buffer.pointee.pts = guint64(record.pts(serial))
            let text =
                "video/x-raw, format=(string)\(description.format.capsName), width=(int)\(width), "
                + "height=(int)\(height), colorimetry=(string)\(description.encoding.colorimetry), "
                + "color-space=(string)\(description.encoding.name), "
                + "white-value=(double)\(description.encoding.whiteValue)"
            guard let caps = gst_caps_from_string(text) else { return nil }
            defer { gst_caps_unref(caps) }
            return gst_sample_new(buffer, caps, nil, nil)
        } ?? nil
    }

    // MARK: Files

    /// Writes the frame that is shown: `.png` with 16 bits in its own signal, `.sdr.png` tone-mapped to 8-bit sRGB,
    /// `.exr` with half floats of linear light. The file's picture is upright, as on the display.
    /// - Returns: whether it was written; otherwise a warning says why not.
    func saveFrame(_ location: String) -> Bool {
        guard let sample = frames.shown() else {
            warning("No frame has been shown that could be saved; wait for the pipeline to be paused or to play")
            return false
        }
        defer { gst_sample_unref(sample) }
        do {
            var still = try Still(sample, painter.withLock { $0.orientation })
            still.detectsPeaks = settings.current.detectsPeaks
            still.light = shownLight(still.buffer)
            try still.write(location)
            return true
        } catch {
            warning("The frame is not saved: \(error)")
            return false
        }
    }
}
