import HDRPipeline
import HDRSpectrogram

/// Draws the labels of a picture with GStreamer's text overlay element.
///
/// Each is drawn in white on black: the brightness of a pixel is the share of it that the letters cover.
final class LabelWriter {
    private static let width = SpectrogramPicture.width, height = 64
    /// The left edge of the text, and the upper edge of its line, in pixels.
    private static let left = 16, top = 8
    /// The longest that a label is waited for, in ns.
    private static let patience: UInt64 = 30 * Time.second

    private struct Font: Hashable {
        let size: Int
        let isBold: Bool
    }

    /// Letters, and the columns that they begin and end at.
    private struct Drawing {
        let coverage: [UInt8]
        let length: Int
        /// The row below the last one that has a part of a letter.
        let bottom: Int
    }

    private let pipeline: Pipeline
    private let source: Element
    private let text: Element
    private let sink: Element
    private let black: Buffer
    private var baseLines: [Font: Int] = [:]

    /// Refuses to begin what could not be finished.
    static func check() throws(Failure) {
        guard (try? Element(make: "textoverlay")) != nil else {
            throw Failure(
                "the element textoverlay is missing, which writes what the picture says: apt-get install "
                    + "gstreamer1.0-x, or leave the picture out")
        }
    }

    init() throws {
        pipeline = try Pipeline(
            "appsrc name=in format=time caps=video/x-raw,format=RGBx,width=\(Self.width),height=\(Self.height),"
                + "framerate=0/1 ! textoverlay name=text wait-text=false draw-shadow=false draw-outline=false "
                + "auto-resize=false wrap-mode=none halignment=left valignment=top xpad=\(Self.left) ypad=\(Self.top) "
                + "! appsink name=out sync=false")
        (source, text, sink) = (try pipeline["in"], try pipeline["text"], try pipeline["out"])
        black = try Buffer(count: 4 * Self.width * Self.height, time: 0) { bytes in
            // The fourth byte counts as opacity.
            for index in bytes.indices { bytes[index] = index % 4 == 3 ? 0xFF : 0 }
        }
        try pipeline.begin(.playing)
    }

    deinit { _ = try? pipeline.begin(.null) }

    func write(_ labels: [SpectrogramPicture.Label], on picture: inout SpectrogramPicture) throws {
        for label in labels {
            let font = Font(size: label.size, isBold: label.isBold)
            let baseLine = try baseLine(of: font)
            let drawing = try fit(label, font)
            picture.write(
                label, coverage: drawing.coverage, width: Self.width, baseLine: baseLine, start: Self.left,
                length: drawing.length)
        }
    }

    /// Draws a label and leaves out its middle where it would be too long, since the end is more important.
    private func fit(_ label: SpectrogramPicture.Label, _ font: Font) throws -> Drawing {
        var text = label.text
        var drawing = try draw(text, font)
        while let room = label.room, drawing.length > room, text.count > 8 {
            let middle = text.count / 3
            let start = text.prefix(middle).reversed().drop { $0 == "\u{2026}" }.reversed()
            text = String(start) + "\u{2026}" + text.dropFirst(middle + 2)
            drawing = try draw(text, font)
        }
        return drawing
    }

    private func baseLine(of font: Font) throws -> Int {
        if let known = baseLines[font] { return known }
        // The letter H stands on the baseline.
        let found = try draw("H", font).bottom
        baseLines[font] = found
        return found
    }

    private func draw(_ words: String, _ font: Font) throws -> Drawing {
        try text.set("font-desc", to: "DejaVu Sans \(font.isBold ? "Bold " : "")\(font.size)px")
        try text.setOverlayText(words)
        try source.emit("push-buffer", black, as: String.self)
        guard let sample = try sink.emit("try-pull-sample", Self.patience, as: Sample.self),
            let coverage = sample.buffer?.withBytes({ bytes in stride(from: 0, to: bytes.count, by: 4).map { bytes[$0] }
            })
        else { throw Failure("the picture's labels cannot be drawn: install GStreamer's pango plugin and a font") }
        var (right, bottom) = (Self.left, 0)
        for (index, value) in coverage.enumerated() where value > 0x40 {
            right = max(right, index % Self.width + 1)
            bottom = max(bottom, index / Self.width + 1)
        }
        return Drawing(coverage: coverage, length: right - Self.left, bottom: bottom)
    }
}
