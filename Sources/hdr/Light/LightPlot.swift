import HDRColor
import HDRPipeline

/// A picture of a video's light over time, on the scale of PQ, which is about as people see it.
struct LightPlot {
    private static let (width, height) = (1280, 640)
    /// Around the plot, in pixels: left, top, right, bottom.
    private static let margin = (left: 70, top: 40, right: 20, bottom: 36)
    private static let marks: [Double] = [0.1, 1, 10, 50, 100, 203, 500, 1000, 2000, 4000, 10000]

    let title: String
    let points: [LightTrack.Point]

    private var inner: (width: Int, height: Int) {
        (Self.width - Self.margin.left - Self.margin.right, Self.height - Self.margin.top - Self.margin.bottom)
    }

    /// The row of a luminance in cd/m².
    private func row(_ light: Double) -> Int {
        let share = PQ.inverseEOTF(min(max(light, 0), 10000))
        return Self.margin.top + Int((Double(inner.height - 1) * (1 - share)).rounded())
    }

    private var span: (start: UInt64, length: Double) {
        let start = points.first?.time ?? 0
        let end = points.last?.time ?? 0
        return (start, max(Double(end - min(start, end)), 1))
    }

    private func column(_ time: UInt64) -> Int {
        let share = Double(time - min(span.start, time)) / span.length
        return Self.margin.left + Int((Double(inner.width - 1) * min(share, 1)).rounded())
    }

    // MARK: Pixels

    private struct Canvas {
        var bytes: [UInt8]

        init() { bytes = (0..<(width * height)).flatMap { _ in [16, 18, 22, 255] as [UInt8] } }

        mutating func fill(_ x: Int, _ rows: ClosedRange<Int>, _ color: [UInt8]) {
            guard (0..<width).contains(x) else { return }
            for y in rows.clamped(to: 0...(height - 1)) {
                let place = 4 * (y * width + x)
                bytes.replaceSubrange(place..<place + 3, with: color)
            }
        }
    }

    private func draw() -> [UInt8] {
        var canvas = Canvas()
        for mark in Self.marks {
            let y = row(mark)
            let color: [UInt8] = mark == 203 ? [110, 110, 60] : [48, 52, 60]
            for x in Self.margin.left..<(Self.width - Self.margin.right) { canvas.fill(x, y...y, color) }
        }
        let bottom = Self.height - Self.margin.bottom
        var last = Self.margin.left
        for (index, point) in points.enumerated() {
            // A frame lasts until the next one.
            let end = index + 1 < points.count ? column(points[index + 1].time) : column(point.time)
            for x in last...max(end, last) {
                canvas.fill(x, row(point.average)...bottom, [46, 92, 140])
                canvas.fill(x, row(point.high)...(row(point.high) + 1), [240, 200, 90])
                canvas.fill(x, row(point.maximum)...(row(point.maximum) + 1), [235, 90, 70])
            }
            last = max(end, last)
        }
        return canvas.bytes
    }

    // MARK: The file

    /// Writes a PNG file.
    func write(_ path: FileName) async throws {
        var texts: [(text: String, x: Int, y: Int)] = [(title, 10, 8)]
        for mark in Self.marks { texts.append((Self.name(mark), 8, row(mark) - 9)) }
        for step in 0...4 {
            let time = span.start + UInt64(span.length * Double(step) / 4)
            texts.append((String(Time.exact(time).dropLast(2)), min(column(time), Self.width - 60), Self.height - 28))
        }
        var line = "appsrc name=plot format=time"
        for index in texts.indices {
            line +=
                " ! textoverlay name=text\(index) font-desc=\"DejaVu Sans 14px\" halignment=left valignment=top "
                + "draw-outline=false draw-shadow=false auto-resize=false wrap-mode=none xpad=\(texts[index].x) "
                + "ypad=\(max(texts[index].y, 0))"
        }
        let pipeline = try Pipeline(line + " ! imagefreeze num-buffers=1 ! pngenc ! filesink name=file")
        for (index, text) in texts.enumerated() { try pipeline["text\(index)"].set("text", to: text.text) }
        try pipeline["file"].set("location", to: path)
        let source = try pipeline["plot"]
        try source.set(
            "caps",
            to: "video/x-raw,format=RGBA,colorimetry=sRGB,width=\(Self.width),height=\(Self.height),framerate=0/1")
        let pixels = draw()
        let buffer = try Buffer(count: pixels.count, time: 0) { $0.copyBytes(from: pixels) }
        try source.emit("push-buffer", buffer, as: String.self)
        try source.emit("end-of-stream", as: String.self)
        try await Run.play(pipeline)
    }

    private static func name(_ light: Double) -> String { light < 1 ? light.fixed(1) : light.fixed(0) }
}
