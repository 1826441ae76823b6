import HDRPipeline

/// A PNG picture with HDR, which is shown for a few seconds.
struct StillInput {
    /// The duration in seconds, and the rate in frames per second.
    static let seconds = 3
    static let rate = 25

    let sample: Sample

    /// Whether a file is a PNG picture by its first bytes.
    static func isPicture(_ file: FileName) -> Bool {
        file.start(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    }

    /// The transfer function of the chunk cICP (PNG third edition, section 11.3.2.6) by its number in ITU-T H.273;
    /// `nil` where the picture has none in its first chunks.
    static func transfer(_ file: FileName) -> UInt8? {
        let bytes = file.start(1 << 16)
        var place = 8
        while place + 12 <= bytes.count {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            let kind = bytes[place + 4..<place + 8]
            if kind.elementsEqual("cICP".utf8), place + 12 <= bytes.count { return bytes[place + 9] }
            if kind.elementsEqual("IDAT".utf8) { return nil }
            place += 12 + length
        }
        return nil
    }

    /// - Parameters:
    ///   - assumed: pq or hlg, which overrides the picture's own tags.
    ///   - takesSDR: whether an untagged picture is taken for sRGB instead of being an error.
    init(_ file: FileName, assumed: String?, takesSDR: Bool = false) async throws {
        let said = Self.transfer(file).flatMap { [16: "pq", 18: "hlg"][$0] }
        guard let transfer = assumed ?? said ?? (takesSDR ? "sdr" : nil) else {
            throw Failure(
                "\(file.shown) is a still picture that does not say that it is HDR: if you know that it is PQ "
                    + "or HLG of BT.2020, add --assume pq or --assume hlg")
        }
        let pipeline = try Pipeline("filesrc name=file ! pngdec ! appsink name=sink sync=false")
        try pipeline["file"].set("location", to: file)
        let sink = try pipeline["sink"]
        do {
            try await pipeline.set(.paused)
        } catch {
            throw Explanation(source: file.shown, deed: "read").failure(error)
        }
        guard let frame = try sink.emit("pull-preroll", as: Sample.self), let buffer = frame.buffer,
            let format = frame.format, let width: Int = format["width"], let height: Int = format["height"]
        else { throw Failure("\(file.shown) is damaged: copy it again from its origin") }
        let kind: String = format["format"] ?? ""
        let pixels =
            kind.hasPrefix("ARGB64") ? try Self.inPlace(buffer) : try buffer.retimed(time: 0, duration: nil)
        #if _endian(little)
            let order = "LE"
        #else
            let order = "BE"
        #endif
        let name = kind.hasPrefix("ARGB64") ? "ARGB64_\(order)" : kind
        // GStreamer's numbers: full range, RGB, the transfer function, and the primaries of BT.2020 or BT.709.
        let color = ["pq": "1:1:14:7", "hlg": "1:1:15:7"][transfer] ?? "1:1:7:1"
        sample = try Sample(
            pixels,
            format: "video/x-raw,format=\(name),width=\(width),height=\(height),framerate=0/1,pixel-aspect-ratio=1/1,"
                + "interlace-mode=progressive,colorimetry=\(color)")
    }

    /// Undoes a fault of GStreamer 1.22's pngdec, which writes 16-bit RGB one component too late: what should be opaque
    /// alpha is where red belongs, and the last blue is lost.
    private static func inPlace(_ buffer: Buffer) throws -> Buffer {
        let moved: [UInt8]? =
            buffer.withBytes { bytes in
                guard bytes.count >= 8, bytes[0] != 0xFF || bytes[1] != 0xFF, bytes[2] == 0xFF, bytes[3] == 0xFF else {
                    return nil
                }
                return Array(bytes[2...]) + bytes[(bytes.count - 8)..<(bytes.count - 6)]
            } ?? nil
        guard let moved else { return try buffer.retimed(time: 0, duration: nil) }
        return try Buffer(count: moved.count, time: 0) { $0.copyBytes(from: moved) }
    }
}
