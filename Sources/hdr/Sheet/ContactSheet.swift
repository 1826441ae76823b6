import HDRPipeline

/// A grid of frames with a line of text below each, drawn by GStreamer's compositor.
struct ContactSheet {
    struct Cell {
        let frame: Sample
        let text: String
    }

    /// The gap between and around cells, and the height of a line of text, in pixels.
    private static let (gap, line) = (8, 26)

    let title: String
    let cells: [Cell]
    let columns: Int

    /// Writes a PNG file.
    /// - Parameter path: where to.
    func write(_ path: FileName) async throws {
        let sizes = cells.compactMap { cell -> (Int, Int)? in
            guard let width: Int = cell.frame.format?["width"], let height: Int = cell.frame.format?["height"] else {
                return nil
            }
            return (width, height)
        }
        guard sizes.count == cells.count, let (width, height) = sizes.first else {
            throw Failure("there are no frames to show")
        }
        let rows = (cells.count + columns - 1) / columns
        let total = (
            width: columns * (width + Self.gap) + Self.gap,
            height: rows * (height + Self.line + Self.gap) + Self.gap + Self.line
        )
        var (inputs, places) = ("", "")
        for index in cells.indices {
            let x = Self.gap + index % columns * (width + Self.gap)
            let y = Self.gap + Self.line + index / columns * (height + Self.line + Self.gap)
            // The text is in a band below the picture, as wide as the picture.
            inputs +=
                "appsrc name=frame\(index) format=time ! videobox bottom=-\(Self.line) fill=black ! "
                + text("text\(index)", size: 14, vertical: "bottom") + " ! c.sink_\(index) "
            places += " sink_\(index)::xpos=\(x) sink_\(index)::ypos=\(y)"
        }
        let pipeline = try Pipeline(
            inputs + "compositor name=c background=black\(places) ! "
                + "video/x-raw,format=RGBA,width=\(total.width),height=\(total.height) ! "
                + text("title", size: 16, vertical: "top")
                + " ! imagefreeze num-buffers=1 ! pngenc ! filesink name=file")
        try pipeline["title"].setOverlayText(title)
        try pipeline["file"].set("location", to: path)
        for (index, cell) in cells.enumerated() {
            let source = try pipeline["frame\(index)"]
            try pipeline["text\(index)"].setOverlayText(cell.text)
            guard let format = cell.frame.format, let buffer = cell.frame.buffer else { continue }
            try source.set("caps", to: "\(format)")
            try source.emit("push-buffer", try buffer.retimed(time: 0, duration: Time.second), as: String.self)
            try source.emit("end-of-stream", as: String.self)
        }
        try await Run.play(pipeline)
    }

    private func text(_ name: String, size: Int, vertical: String) -> String {
        "textoverlay name=\(name) font-desc=\"DejaVu Sans \(size)px\" valignment=\(vertical) halignment=left "
            + "xpad=4 ypad=4 draw-outline=false draw-shadow=false auto-resize=false wrap-mode=none"
    }
}
