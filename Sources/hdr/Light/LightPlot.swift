import HDRColor
import HDRPipeline

/// A picture of a video's light over time, on the scale of PQ, which is about as people see it.
struct LightPlot {
    private static let (width, height) = (1280, 640)
    /// Around the plot, in pixels: left, top, right, bottom.
    private static let margin = (left: 70, top: 40, right: 20, bottom: 36)
    private static let marks: [Double] = [0.1, 1, 10, 50, 100, 203, 500, 1000, 2000, 4000, 10000]

    /// A value of each picture.
    struct Series {
        /// The name of the series; empty where the plot shows none.
        var name = ""
        /// Red, green and blue of sRGB.
        let color: [UInt8]
        /// Whether all below the line has the colour.
        var isFilled = false
        /// The values in cd/m²; `nil` where a picture has none.
        let values: [Double?]
    }

    let title: String
    /// When each picture is shown, in ns.
    let times: [UInt64]
    /// The last is drawn over the others.
    let series: [Series]
    /// When shots begin, in ns.
    var cuts: [UInt64] = []
    /// Whether the right side has the codes of PQ, 0...4095.
    var showsCodes = false

    private var right: Int { Self.margin.right + (showsCodes ? 40 : 0) }

    private var inner: (width: Int, height: Int) {
        (Self.width - Self.margin.left - right, Self.height - Self.margin.top - Self.margin.bottom)
    }

    /// The row of a luminance in cd/m².
    private func row(_ light: Double) -> Int {
        let share = PQ.inverseEOTF(min(max(light, 0), 10000))
        return Self.margin.top + Int((Double(inner.height - 1) * (1 - share)).rounded())
    }

    /// When the last picture ends: it lasts as long as the one before.
    private var end: UInt64 {
        guard let last = times.last, let before = times.dropLast().last else { return times.last ?? 0 }
        return last.addingReportingOverflow(last - min(before, last)).partialValue
    }

    private var span: (start: UInt64, length: Double) {
        let start = times.first ?? 0
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
            for x in Self.margin.left..<(Self.width - right) { canvas.fill(x, y...y, color) }
        }
        let bottom = Self.height - Self.margin.bottom
        for line in series {
            for (x, range) in columns(of: line) {
                let (top, low) = (row(range.upperBound), row(range.lowerBound))
                canvas.fill(x, top...max(line.isFilled ? bottom : low + 1, top), line.color)
            }
        }
        for cut in cuts {
            for y in stride(from: Self.margin.top, to: bottom, by: 6) {
                canvas.fill(column(cut), y...(y + 1), [120, 124, 132])
            }
        }
        return canvas.bytes
    }

    /// The range of a series in each column that it has values for, in cd/m².
    private func columns(of line: Series) -> [(x: Int, range: ClosedRange<Double>)] {
        var found: [Int: ClosedRange<Double>] = [:]
        var last = Self.margin.left
        for index in times.indices where line.values.indices.contains(index) {
            // A frame lasts until the next one.
            let end = max(column(index + 1 < times.count ? times[index + 1] : self.end), last)
            defer { last = end }
            guard let value = line.values[index], value.isFinite else { continue }
            for x in last...end {
                let old = found[x] ?? value...value
                found[x] = min(old.lowerBound, value)...max(old.upperBound, value)
            }
        }
        return found.map { ($0.key, $0.value) }
    }

    // MARK: The file

    /// Writes a PNG file.
    /// - Parameter source: the file whose light it is.
    func write(to file: OutputFile, of source: FileName) async throws {
        var texts: [(text: String, x: Int, y: Int, color: [UInt8])] = [
            (title, showsCodes ? Self.margin.left : 10, 8, Self.white)
        ]
        for mark in Self.marks { texts.append((Self.name(mark), 8, row(mark) - 9, Self.white)) }
        if showsCodes {
            texts += [("cd/m²", 8, 10, Self.white), ("PQ", Self.width - 52, 10, Self.white)]
            for code in stride(from: 0, through: 4095, by: 585) {
                let light = PQ.eotf(Double(code) / 4095)
                texts.append(("\(code)", Self.width - 52, row(light) - 9, Self.white))
            }
        }
        let named = series.filter { !$0.name.isEmpty }
        for (index, line) in named.enumerated() {
            texts.append((line.name, Self.width - 60 - 140 * (named.count - index), 8, Self.light(line.color)))
        }
        for step in 0...4 {
            let time = span.start + UInt64(span.length * Double(step) / 4)
            texts.append(
                (String(Time.exact(time).dropLast(2)), min(column(time), Self.width - 60), Self.height - 28, Self.white)
            )
        }
        var line = "appsrc name=plot format=time"
        for index in texts.indices {
            line +=
                " ! textoverlay name=text\(index) font-desc=\"DejaVu Sans 14px\" halignment=left valignment=top "
                + "draw-outline=false draw-shadow=false auto-resize=false wrap-mode=none xpad=\(texts[index].x) "
                + "ypad=\(max(texts[index].y, 0)) color=\(Self.word(texts[index].color))"
        }
        let pipeline = try Pipeline(line + " ! imagefreeze num-buffers=1 ! pngenc ! filesink name=file")
        for (index, text) in texts.enumerated() { try pipeline["text\(index)"].setOverlayText(text.text) }
        try pipeline["file"].set("location", to: file.path)
        let canvas = try pipeline["plot"]
        try canvas.set(
            "caps",
            to: "video/x-raw,format=RGBA,colorimetry=sRGB,width=\(Self.width),height=\(Self.height),framerate=0/1")
        let pixels = draw()
        let buffer = try Buffer(count: pixels.count, time: 0) { $0.copyBytes(from: pixels) }
        try canvas.emit("push-buffer", buffer, as: String.self)
        try canvas.emit("end-of-stream", as: String.self)
        do {
            try await Run.play(pipeline)
        } catch {
            throw Explanation(source: source.shown, target: file.name, deed: "drawn").failure(error)
        }
    }

    private static let white: [UInt8] = [255, 255, 255]

    /// Half way to white, for letters on black.
    private static func light(_ color: [UInt8]) -> [UInt8] { color.map { $0 / 2 + 127 } }

    /// A colour as `textoverlay` takes it: opaque, 0xAARRGGBB.
    private static func word(_ color: [UInt8]) -> UInt32 { color.reduce(0xFF) { $0 << 8 | UInt32($1) } }

    private static func name(_ light: Double) -> String { light < 1 ? light.fixed(1) : light.fixed(0) }
}
