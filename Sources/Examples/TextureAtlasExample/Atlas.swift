import CGStreamer

/// A part of a picture, in pixels.
struct Rectangle: CustomStringConvertible {
    var x, y, width, height: Int

    var description: String { "\(width)x\(height)+\(x)+\(y)" }
}

/// Several clips as one video of which each is a tile.
///
/// Encoders filter, and players interpolate chroma, across the edges of tiles, as they see one picture. So every tile
/// begins at a multiple of 16 samples, where blocks of a codec begin, and has its own edges repeated around it: 16
/// samples to the left and above, at least 8 to the right and below. What runs over an edge is then of its own colour.
struct Atlas {
    static let block = 16
    static let leastMargin = 8
    /// Pictures of all tiles are of one kind, so that they can be copied sample by sample: HDR, into which SDR fits.
    static let format = "format=I420_10LE,colorimetry=bt2100-pq,chroma-site=mpeg2"

    let tiles: [Rectangle]
    /// Each tile with its margins; they cover the whole atlas.
    let cells: [Rectangle]
    let width: Int
    let height: Int

    /// Tiles in rows that are about as many as columns.
    init(_ sizes: [(width: Int, height: Int)]) {
        var columns = 1
        while columns * columns < sizes.count { columns += 1 }
        let rows = (sizes.count + columns - 1) / columns
        func padded(_ length: Int) -> Int {
            (length + Self.block + Self.leastMargin + Self.block - 1) / Self.block * Self.block
        }
        let widths = (0..<columns).map { column in
            stride(from: column, to: sizes.count, by: columns).map { padded(sizes[$0].width) }.max() ?? 0
        }
        let heights = (0..<rows).map { row in
            sizes[(row * columns)..<min((row + 1) * columns, sizes.count)].map { padded($0.height) }.max() ?? 0
        }
        cells = sizes.indices.map { index in
            let (row, column) = index.quotientAndRemainder(dividingBy: columns)
            // The last row's last tile reaches as far as the rows above.
            let span = index == sizes.count - 1 ? widths[column...].reduce(0, +) : widths[column]
            return Rectangle(
                x: widths[..<column].reduce(0, +), y: heights[..<row].reduce(0, +), width: span, height: heights[row])
        }
        tiles = zip(cells, sizes).map { cell, size in
            Rectangle(x: cell.x + Self.block, y: cell.y + Self.block, width: size.width, height: size.height)
        }
        width = widths.reduce(0, +)
        height = heights.reduce(0, +)
    }

    /// Copies a clip's picture into its cell of the atlas, and repeats its edges up to the cell's.
    func draw(_ source: inout GstVideoFrame, as index: Int, into atlas: inout GstVideoFrame) {
        let (cell, tile) = (cells[index], tiles[index])
        for plane in 0..<3 {
            guard let from = Plane(source, plane), let to = Plane(atlas, plane) else { continue }
            // Chroma has half as many samples.
            let shift = plane == 0 ? 0 : 1
            let margin = Self.block >> shift
            let (width, height) = ((tile.width + shift) >> shift, (tile.height + shift) >> shift)
            for y in 0..<cell.height >> shift {
                let row = from.row(min(max(y - margin, 0), height - 1))
                let target = to.row((cell.y >> shift) + y) + (cell.x >> shift)
                target.update(repeating: row[0], count: margin)
                (target + margin).update(from: row, count: width)
                (target + margin + width).update(
                    repeating: row[width - 1], count: (cell.width >> shift) - margin - width)
            }
        }
    }

    private struct Plane {
        let data: UnsafeMutableRawPointer
        let stride: Int

        init?(_ frame: GstVideoFrame, _ plane: Int) {
            let strides = [frame.info.stride.0, frame.info.stride.1, frame.info.stride.2]
            guard let data = [frame.data.0, frame.data.1, frame.data.2][plane] else { return nil }
            (self.data, stride) = (data, Int(strides[plane]))
        }

        func row(_ y: Int) -> UnsafeMutablePointer<UInt16> {
            (data + y * stride).assumingMemoryBound(to: UInt16.self)
        }
    }
}

/// Writes an atlas. All clips begin at its start, and it ends where the shortest of them does.
struct AtlasWriter {
    private let clips: Pipeline
    private let sinks: [Element]

    /// - Parameter files: names or URIs of the clips; the atlas has the highest of their frame rates.
    init(_ files: [String]) {
        let rates = files.map(frameRate)
        let rate = rates.max { $0.numerator * $1.denominator < $1.numerator * $0.denominator } ?? (25, 1)
        let clips = Pipeline(
            files.enumerated().map { index, file in
                "uridecodebin uri=\(quoted(uri(file))) ! video/x-raw ! videorate skip-to-first=true ! "
                    + "video/x-raw,framerate=\(rate.numerator)/\(rate.denominator) ! hdrconvert ! "
                    + "video/x-raw,\(Atlas.format) ! appsink name=clip\(index) sync=false max-buffers=2"
            }.joined(separator: " "))
        self.clips = clips
        sinks = files.indices.map { clips.child("clip\($0)") }
    }

    /// - Returns: the layout, and how long the atlas is, in ns.
    func write(_ file: String) -> (atlas: Atlas, duration: GstClockTime) {
        clips.set(GST_STATE_PLAYING)
        var samples = pull()
        guard samples.count == sinks.count else { fail("clip \(samples.count + 1) has no pictures") }
        let infos = samples.map(videoInfo)
        let atlas = Atlas(infos.map { (Int($0.width), Int($0.height)) })
        let rate = (numerator: guint64(infos[0].fps_n), denominator: guint64(infos[0].fps_d))
        let caps =
            "video/x-raw,\(Atlas.format),width=\(atlas.width),height=\(atlas.height),"
            + "framerate=\(rate.numerator)/\(rate.denominator)"
        let writer = Pipeline(
            "appsrc name=atlas format=time block=true caps=\(quoted(caps)) ! m.video_0 "
                + "hdrmux-settings name=m preset=hevc-highest-quality content-light-level-info=auto ! "
                + "filesink location=\(quoted(file))")
        let source = writer.child("atlas")
        writer.set(GST_STATE_PLAYING)
        var (count, end): (guint64, GstClockTime) = (0, 0)
        // A clip that has ended has no sample.
        while samples.count == sinks.count {
            let buffer = draw(samples, atlas, videoInfo(caps))
            count += 1
            buffer.pointee.pts = end
            end = gst_util_uint64_scale(count, 1_000_000_000 * rate.denominator, rate.numerator)
            buffer.pointee.duration = end - buffer.pointee.pts
            emit(source, "push-buffer", buffer)
            gst_buffer_unref(buffer)
            samples.forEach { gst_sample_unref($0) }
            samples = pull()
        }
        samples.forEach { gst_sample_unref($0) }
        emit(source, "end-of-stream")
        writer.waitForEnd()
        clips.set(GST_STATE_NULL)
        return (atlas, end)
    }

    /// The next picture of each clip.
    private func pull() -> [OpaquePointer] {
        var samples: [OpaquePointer] = []
        for sink in sinks {
            guard let sample = emitForSample(sink, "pull-sample") else { break }
            samples.append(sample)
        }
        return samples
    }

    private func draw(
        _ samples: [OpaquePointer], _ atlas: Atlas, _ info: GstVideoInfo
    ) -> UnsafeMutablePointer<GstBuffer> {
        var (info, target) = (info, GstVideoFrame())
        guard let buffer = gst_buffer_new_allocate(nil, gsize(info.size), nil),
            gst_video_frame_map(&target, &info, buffer, GST_MAP_WRITE) != 0
        else { fail("there is no memory for an atlas of \(atlas.width)x\(atlas.height)") }
        for (index, sample) in samples.enumerated() {
            var (clip, source) = (videoInfo(sample), GstVideoFrame())
            guard gst_video_frame_map(&source, &clip, gst_sample_get_buffer(sample), GST_MAP_READ) != 0 else {
                fail("a picture of clip \(index + 1) cannot be read")
            }
            guard clip.width == atlas.tiles[index].width, clip.height == atlas.tiles[index].height else {
                fail("clip \(index + 1) changes its size; scale it to one size before")
            }
            atlas.draw(&source, as: index, into: &target)
            gst_video_frame_unmap(&source)
        }
        gst_video_frame_unmap(&target)
        return buffer
    }
}
