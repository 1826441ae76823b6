import HDRPipeline

/// Frames of two videos at the same times.
struct Comparison {
    private let first: FrameGrabber
    private let second: FrameGrabber
    private let width: Int
    private let height: Int
    private let files: (FileName, FileName)
    private let assumed: String?
    /// The length of the shorter one, in ns.
    let length: UInt64

    /// - Parameter assumed: the transfer of both, whatever their tags are.
    init(_ a: FileName, _ b: FileName, assumed: String?) async throws {
        self.assumed = assumed
        files = (a, b)
        let probe = try await FileProbe(a, assumed: assumed)
        let (width, height) = ClipReader(file: a, probe: probe).uprightSize
        guard width > 0, height > 0 else { throw Failure("\(a.shown) has no video track: give a file with video") }
        (self.width, self.height) = (width, height)
        let conversion = Self.signal(width, height)
        first = try await FrameGrabber(a, assumed: assumed, conversion: conversion)
        second = try await FrameGrabber(b, assumed: assumed, conversion: conversion)
        let lengths = [first.info.duration, second.info.duration].compactMap { $0 }
        guard let length = lengths.min(), lengths.count == 2, length > 0 else {
            throw Failure("the length of the videos is unknown: put them into MOV, MP4 or Matroska files")
        }
        self.length = length
    }

    /// PQ of BT.2020 in words of 16 bits, of which 12 are significant, upright, of one size.
    private static func signal(_ width: Int, _ height: Int) -> String {
        "hdrconvert look-ahead=0 peak-detection=off tone-mapping=none dither=none ! "
            + "video/x-raw,format=Y444_12LE,colorimetry=bt2100-pq ! videoflip video-direction=auto ! videoscale ! "
            + "videoconvert dither=none ! video/x-raw,format=ARGB64,colorimetry=1:1:14:7,width=\(width),"
            + "height=\(height),pixel-aspect-ratio=1/1"
    }

    /// - Returns: `nil` where one of them has no frame at the time, which is in ns.
    func difference(at time: UInt64) async throws -> (difference: Difference, time: UInt64)? {
        guard let a = try await first.frame(at: time), let b = try await second.frame(at: time) else { return nil }
        return (
            Difference(Self.codes(a.sample), Self.codes(b.sample), width: width, height: height), a.time
        )
    }

    /// R, G, B and alpha of each pixel of a picture, which has them behind its alpha.
    private static func codes(_ sample: Sample) -> [UInt16] {
        sample.buffer?.withBytes { bytes in
            var codes = [UInt16](repeating: 0, count: bytes.count / 2)
            for pixel in 0..<codes.count / 4 {
                for part in 0..<4 {
                    let place = (4 * pixel + (part + 1) % 4) * 2
                    codes[4 * pixel + part] = bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)
                }
            }
            return codes
        } ?? []
    }

    /// The error for a time, in ns, at which there is no picture.
    func nothing(at time: UInt64) -> Failure {
        Failure("the two have no frames at \(Time.exact(time)): the shorter is \(Time.exact(length)) long")
    }

    /// Writes the picture of a time, in ns.
    func picture(at time: UInt64, to target: OutputFile) async throws {
        let shown =
            "hdrconvert look-ahead=0 ! video/x-raw,colorimetry=bt709 ! videoconvert ! "
            + "videoflip video-direction=auto ! videoscale ! videoconvert ! "
            + "video/x-raw,format=RGBA,colorimetry=sRGB,width=\(width),height=\(height),pixel-aspect-ratio=1/1"
        guard let found = try await difference(at: time) else { throw nothing(at: time) }
        let (half, figures) = (width / 2, Self.text(found.difference.figures))
        let pipeline = try Pipeline(
            "appsrc name=a format=time ! videocrop right=\(width - half) ! "
                + label("A", "left", within: half) + " ! c.sink_0 "
                + "appsrc name=b format=time ! videocrop left=\(half) ! "
                + label("B", "right", within: width - half) + " ! c.sink_1 "
                + "appsrc name=map format=time ! \(label(figures, "left", within: width)) ! c.sink_2 "
                + "compositor name=c background=black sink_1::xpos=\(half) sink_2::ypos=\(height) ! "
                + "video/x-raw,format=RGBA,width=\(width),height=\(2 * height) ! imagefreeze num-buffers=1 ! pngenc ! "
                + "filesink name=file")
        try pipeline["file"].set("location", to: target.path)
        for (name, file) in [("a", files.0), ("b", files.1)] {
            let grabber = try await FrameGrabber(file, assumed: assumed, conversion: shown)
            guard let frame = try await grabber.frame(at: time), let buffer = frame.sample.buffer,
                let format = frame.sample.format
            else { throw Failure("\(file.shown) has no frame at \(Time.exact(time))") }
            try Self.feed(try pipeline[name], buffer, "\(format)")
        }
        let map = found.difference.heatMap
        let buffer = try Buffer(count: map.count) { $0.copyBytes(from: map) }
        try Self.feed(
            try pipeline["map"], buffer,
            "video/x-raw,format=RGBA,colorimetry=sRGB,width=\(width),height=\(height),framerate=25/1,"
                + "interlace-mode=progressive")
        do {
            try await Run.play(pipeline)
        } catch {
            throw Explanation(source: files.0.shown, target: target.name, deed: "compared").failure(error)
        }
    }

    private static func feed(_ source: Element, _ buffer: Buffer, _ format: String) throws {
        try source.set("caps", to: format)
        try source.emit("push-buffer", try buffer.retimed(time: 0, duration: Time.second), as: String.self)
        try source.emit("end-of-stream", as: String.self)
    }

    private static func text(_ figures: Difference.Figures) -> String {
        "delta E ITP: mean \(figures.mean.fixed(2)), 95 % \(figures.high.fixed(2)), maximum \(figures.maximum.fixed(1))"
    }

    /// Text in a corner; nothing where the picture is too small for it, which `textoverlay` refuses.
    private func label(_ text: String, _ side: String, within width: Int) -> String {
        guard width >= 14 * text.count + 60, height >= 60 else { return "identity" }
        return "textoverlay text=\"\(text)\" font-desc=\"DejaVu Sans 18px\" valignment=top halignment=\(side) "
            + "shaded-background=true"
    }
}
