import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRPresenter

/// Frames for applications: by time, as files, and as the display got them.
extension EDRSink {
    // MARK: By time

    /// Makes a prepared frame available to applications.
    func offer(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let pad = baseSink.pointee.sinkpad, let caps = gst_pad_get_current_caps(pad) else { return }
        defer { gst_caps_unref(caps) }
        // Its own segment has the times of the pipeline, which frame steps and changes of the rate move.
        let segment = clock.segment ?? baseSink.pointee.segment
        let times = ShownTimes(buffer, segment)
        guard let sample = times.sample(buffer, caps, segment) else { return }
        frames.prepare(sample, times)
    }

    // MARK: As the display got it

    /// The offscreen display's picture; its caps have the size, the pixel format and the colour space. The caller owns
    /// the sample.
    func readFrame() -> OpaquePointer? {
        let shown = screen.current.presenter
        guard let presenter = shown as? OffscreenPresenter else {
            warning(
                shown == nil
                    ? "read-frame gives pictures once the sink has shown one: set the pipeline to PAUSED or PLAYING"
                    : "read-frame needs presenter=offscreen; copy-frame gives frames as they came in")
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
            var still = try Still(
                sample, painter.withLock { $0.orientation }, usesMetadata: settings.current.usesMetadata)
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
