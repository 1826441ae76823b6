import HDRPipeline

/// The picture that shows what a conversion is for: before on the left, after on the right.
struct BeforeAfter {
    /// Neither half is larger than this, in pixels.
    private static let largestSide = 1280.0

    let before: Sample
    let after: Sample
    /// The rotation of the video, as a value of GStreamer's orientation tag.
    let orientation: String?

    /// Writes a PNG file, turned upright and with square pixels.
    ///
    /// Without gamma or primaries conversion, GStreamer's own converter does what a player does that does not know HDR:
    /// it decodes the matrix and shows the rest as it is.
    func write(_ path: FileName) async throws {
        let (width, height) = size
        func half(_ name: String, _ text: String) -> String {
            let turn = orientation.map {
                "taginject tags=image-orientation=\($0) ! videoconvert ! videoflip video-direction=auto ! "
            }
            return "appsrc name=\(name) format=time ! \(turn ?? "")videoconvert ! videoscale ! videoconvert ! "
                + "video/x-raw,format=RGBA,colorimetry=sRGB,width=\(width),height=\(height),pixel-aspect-ratio=1/1 ! "
                + "textoverlay text=\(text) valignment=top halignment=left shaded-background=true ! c.sink_\(name) "
        }
        let pipeline = try Pipeline(
            half("0", "BEFORE") + half("1", "AFTER")
                + "compositor name=c sink_1::xpos=\(width) ! "
                + "video/x-raw,format=RGBA,width=\(2 * width),height=\(height) ! imagefreeze num-buffers=1 ! "
                + "pngenc ! filesink name=file"
        )
        try pipeline["file"].set("location", to: path)
        for (name, sample) in [("0", before), ("1", after)] {
            guard let buffer = sample.buffer, let format = sample.format else { continue }
            let source = try pipeline[name]
            try source.set("caps", to: "\(format)")
            try source.emit("push-buffer", try buffer.retimed(time: 0, duration: 40_000_000), as: String.self)
            try source.emit("end-of-stream", as: String.self)
        }
        try await Run.play(pipeline)
    }

    private var size: (width: Int, height: Int) {
        let format = before.format
        let aspect = format?["pixel-aspect-ratio", as: Fraction.self] ?? Fraction(1, 1)
        var width =
            Double(format?["width", as: Int.self] ?? 4) * Double(max(aspect.numerator, 1))
            / Double(max(aspect.denominator, 1))
        var height = Double(format?["height", as: Int.self] ?? 2)
        if let orientation, orientation.hasSuffix("90") || orientation.hasSuffix("270") { swap(&width, &height) }
        let scale = min(1, Self.largestSide / max(width, height))
        return (max(4, Int(width * scale) / 4 * 4), max(2, Int((height * scale).rounded())))
    }
}
