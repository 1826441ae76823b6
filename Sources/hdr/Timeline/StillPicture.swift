import HDRExport
import HDRPipeline

/// A still picture in a timeline: from a file, of one colour, or text.
struct StillPicture: Sendable {
    let sample: Sample
    let width: Int
    let height: Int

    var hasAlpha: Bool { PixelFormat.hasAlpha(sample.format?["format"] ?? "") }

    /// Whether a file is a PNG or JPEG picture by its first bytes.
    static func isOne(_ file: FileName) -> Bool {
        StillInput.isPicture(file) || file.start(3) == [0xFF, 0xD8, 0xFF]
    }

    private init(_ sample: Sample) throws(Failure) {
        guard let format = sample.format, let width: Int = format["width"], let height: Int = format["height"] else {
            throw Failure("a picture has no size")
        }
        (self.sample, self.width, self.height) = (sample, width, height)
    }

    /// A PNG or JPEG picture: HDR where it is tagged as such, otherwise sRGB.
    /// - Parameter assumed: pq or hlg, for an untagged 16-bit PNG.
    init(_ file: FileName, assumed: String?) async throws {
        if StillInput.isPicture(file) {
            let isHDR = StillInput.transfer(file).map { [16, 18].contains($0) } ?? false
            try self.init(try await StillInput(file, assumed: isHDR ? assumed : nil, takesSDR: true).sample)
            return
        }
        let found = try await Self.first(
            "filesrc name=file ! jpegdec ! appsink name=sink sync=false", file: file, name: file.shown)
        try self.init(found)
    }

    /// Black or reference white, to be spread over a canvas.
    init(white: Bool) throws {
        let side = 16
        let buffer = try Buffer(count: side * side * 4) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: white ? 255 : 0)
        }
        try self.init(
            Sample(
                buffer,
                format: "video/x-raw,format=BGRx,width=\(side),height=\(side),framerate=0/1,pixel-aspect-ratio=1/1,"
                    + "interlace-mode=progressive,colorimetry=sRGB"))
    }

    /// White text with a dark outline on nothing, as large as a canvas.
    init(_ title: EditTitle, width: Int, height: Int) async throws {
        guard Element.exists("textoverlay") else {
            throw Failure("titles need the element textoverlay: \(DebianPackage.advice(forElement: "textoverlay"))")
        }
        let pixels = max(Int((title.size / 100 * Double(height)).rounded()), 1)
        let (vertical, shift) =
            switch title.position {
            case .center: ("center", 0)
            case .lower: ("bottom", height / 12)
            case .upper: ("top", height / 12)
            }
        let line =
            "videotestsrc num-buffers=1 pattern=solid-color foreground-color=0 ! "
            + "video/x-raw,format=BGRA,width=\(width),height=\(height),framerate=1/1 ! textoverlay name=text "
            + "auto-resize=false halignment=center line-alignment=center valignment=\(vertical) ypad=\(shift) "
            + "draw-shadow=false wrap-mode=word ! appsink name=sink sync=false"
        let found = try await Self.first(line, text: (title.text, "Sans Bold \(pixels)px"), name: "a title")
        guard let buffer = found.buffer else { throw Failure("the title \"\(title.text)\" cannot be drawn") }
        try self.init(
            Sample(
                buffer,
                format: "video/x-raw,format=BGRA,width=\(width),height=\(height),framerate=0/1,pixel-aspect-ratio=1/1,"
                    + "interlace-mode=progressive,colorimetry=sRGB"))
    }

    /// The first picture that a pipeline makes.
    private static func first(
        _ line: String, file: FileName? = nil, text: (content: String, font: String)? = nil, name: String
    ) async throws -> Sample {
        let pipeline = try Pipeline(line)
        if let file { try pipeline["file"].set("location", to: file) }
        if let text {
            try pipeline["text"].setOverlayText(text.content)
            try pipeline["text"].set("font-desc", to: text.font)
        }
        let sink = try pipeline["sink"]
        do {
            try await pipeline.set(.paused)
        } catch {
            throw Explanation(source: name, deed: "read").failure(error)
        }
        guard let frame = try sink.emit("pull-preroll", as: Sample.self) else {
            throw Failure("\(name) has no picture")
        }
        return frame
    }
}
