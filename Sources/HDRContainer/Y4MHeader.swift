import HDRMetadata

/// The first line of a YUV4MPEG2 file: yuv4mpeg(5) of mjpegtools, with FFmpeg's names of formats of more than 8 bits
/// (`C444p10`), whose samples have two bytes in little-endian order, and with FFmpeg's range (`XCOLORRANGE=FULL`).
package struct Y4MHeader: Equatable, Sendable {
    /// The layout of samples in a frame: planes of luma, then of both colour differences, without padding.
    package struct Sampling: Equatable, Sendable {
        /// The name in the header, without the `C`.
        package let name: String
        package let bitDepth: UInt8
        /// The value of chroma_format_idc: 0 grey, 1 4:2:0, 2 4:2:2, 3 4:4:4; `nil` for 4:1:1.
        package let chromaFormat: UInt8?
        /// The subsampling of the chroma planes, as powers of two; `nil` where there are none.
        package let chromaShift: (horizontal: Int, vertical: Int)?
        package let hasAlpha: Bool
        /// The value of chroma_sample_loc_type (ITU-T H.265 figure E.1); `nil` where the name does not state it.
        package let chromaLocation: UInt8?

        package static func == (one: Self, other: Self) -> Bool { one.name == other.name }

        init?(_ name: String) {
            let deep = name.split(separator: "p", maxSplits: 1)
            let depth = deep.count == 2 ? UInt8(deep[1]) : nil
            switch (deep.first ?? "", depth) {
            case ("420", let depth?), ("422", let depth?), ("444", let depth?):
                guard (9...16).contains(depth) else { return nil }
                bitDepth = depth
            default:
                let digits = name.hasPrefix("mono") ? name.dropFirst(4) : ""
                guard let depth = digits.isEmpty ? 8 : UInt8(digits), (8...16).contains(depth) else { return nil }
                bitDepth = depth
            }
            switch depth == nil ? name[...] : deep[0] {
            case "420jpeg", "420mpeg2", "420paldv", "420": (chromaFormat, chromaShift) = (1, (1, 1))
            case "422": (chromaFormat, chromaShift) = (2, (1, 0))
            case "444", "444alpha": (chromaFormat, chromaShift) = (3, (0, 0))
            case "411": (chromaFormat, chromaShift) = (nil, (2, 0))
            case let grey where grey.hasPrefix("mono"): (chromaFormat, chromaShift) = (0, nil)
            default: return nil
            }
            hasAlpha = name == "444alpha"
            chromaLocation = name == "420jpeg" || name == "420" ? 1 : name == "420mpeg2" ? 0 : nil
            self.name = name
        }

        package var hasFewerChroma: Bool { chromaShift.map { $0 != (0, 0) } ?? false }
        package var bytesPerSample: Int { bitDepth > 8 ? 2 : 1 }
    }

    package enum Interlacing: Equatable, Sendable { case progressive, topFieldFirst, bottomFieldFirst, mixed }

    /// The number of luma samples, 1...65535.
    package private(set) var width = 0
    package private(set) var height = 0
    /// The frame rate; `nil` where the header does not state it.
    package private(set) var frameRate: FrameRate?
    package private(set) var pixelAspect: VideoTrack.PixelAspect?
    package private(set) var interlacing = Interlacing.progressive
    /// Whether the range is full; `nil` where the header does not state it, which readers take for limited range.
    package private(set) var isFullRange: Bool?
    package private(set) var sampling: Sampling
    /// The size of the header in bytes, including the line's end.
    package let size: Int

    private static let signature = Array("YUV4MPEG2".utf8)
    /// The length of the longest header. Writers keep to 80 bytes; comments may be longer.
    private static let longest = 4096
    private static let largestSide = 65535

    package static func begins(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

    /// - Returns: `nil` where the source is no such file.
    /// - Throws: `ContainerError`, and the source's errors.
    package init?(_ source: some ByteSource) throws {
        let start = try ContainerInspection.read(source, at: 0, count: Self.longest)
        guard Self.begins(start) else { return nil }
        guard let end = start.firstIndex(of: UInt8(ascii: "\n")) else {
            throw ContainerError.truncated(what: "the Y4M header", offset: 0)
        }
        size = end + 1
        sampling = Sampling("420jpeg")!
        let words = start[Self.signature.count..<end].split(separator: UInt8(ascii: " "))
        for word in words {
            guard let letter = word.first else { continue }
            let value = String(decoding: word.dropFirst(), as: UTF8.self)
            func refused() -> ContainerError { .badField(String(decoding: word, as: UTF8.self), of: "Y4M header") }
            switch UnicodeScalar(letter) {
            case "W":
                guard let side = Self.side(value) else { throw refused() }
                width = side
            case "H":
                guard let side = Self.side(value) else { throw refused() }
                height = side
            case "F":
                guard let rate = Self.ratio(value) else { throw refused() }
                frameRate = FrameRate(rate.0, rate.1)
            case "A":
                guard let aspect = Self.ratio(value) else { throw refused() }
                if aspect.0 > 0, aspect.1 > 0 {
                    pixelAspect = .init(horizontal: UInt32(aspect.0), vertical: UInt32(aspect.1))
                }
            case "I":
                switch value {
                case "p", "?": interlacing = .progressive
                case "t": interlacing = .topFieldFirst
                case "b": interlacing = .bottomFieldFirst
                case "m": interlacing = .mixed
                default: throw refused()
                }
            case "C":
                guard let found = Sampling(value) else { throw refused() }
                sampling = found
            case "X" where value == "COLORRANGE=FULL": isFullRange = true
            case "X" where value == "COLORRANGE=LIMITED": isFullRange = false
            default: break
            }
        }
        guard width > 0, height > 0 else { throw ContainerError.badField("no W or no H", of: "Y4M header") }
    }

    private static func side(_ text: String) -> Int? {
        Int(text).flatMap { (1...largestSide).contains($0) ? $0 : nil }
    }

    /// Two numbers that GStreamer's fractions can hold, either of which may be 0 for "unknown".
    private static func ratio(_ text: String) -> (UInt64, UInt64)? {
        let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) }
        guard numbers.count == 2, let first = numbers[0], let second = numbers[1], first >= 0, second >= 0 else {
            return nil
        }
        return (UInt64(first), UInt64(second))
    }

    // MARK: Frames

    /// The start of each frame's line; parameters and the line's end follow.
    package static let frameMark = Array("FRAME".utf8)

    /// The bytes of a row, and the number of rows, of each plane.
    package var planes: [(stride: Int, rows: Int)] {
        let luma = (width * sampling.bytesPerSample, height)
        let chroma = sampling.chromaShift.map { shift in
            (
                ((width - 1) >> shift.horizontal + 1) * sampling.bytesPerSample, (height - 1) >> shift.vertical + 1
            )
        }
        return [luma] + (chroma.map { [$0, $0] } ?? []) + (sampling.hasAlpha ? [luma] : [])
    }

    /// The size of a frame in bytes, without its line.
    package var frameSize: Int { planes.reduce(0) { $0 + $1.stride * $1.rows } }

    /// The size of a frame in bytes, including a line without parameters, as most writers write it.
    package var frameStride: Int { Self.frameMark.count + 1 + frameSize }

    /// The start time of a frame in ns, which is the end of the previous one; `nil` where the frame rate is unknown.
    package func time(ofFrame index: UInt64) -> UInt64? {
        guard let frameRate else { return nil }
        let ticks = index.multipliedReportingOverflow(by: frameRate.denominator)
        return ticks.overflow ? nil : FrameRate.nanoseconds(ticks.partialValue, timescale: frameRate.numerator)
    }

    /// The colour description in the header; `nil` where it has none.
    package var color: ColorDescription? {
        guard isFullRange != nil || sampling.chromaLocation != nil else { return nil }
        return ColorDescription(isFullRange: isFullRange, chromaLocation: sampling.chromaLocation)
    }

    /// Whether the end of the file is missing: the rest behind the last whole frame begins like a frame.
    func isTruncated(_ source: some ByteSource) throws -> Bool {
        let total = try ContainerInspection.total(source)
        let data = total - min(UInt64(size), total)
        let rest = data % UInt64(frameStride)
        guard rest > 0 else { return false }
        let start = try ContainerInspection.read(source, at: total - rest, count: Int(min(rest, 5)))
        return Self.frameMark.starts(with: start)
    }
}

extension ContainerInspection {
    /// - Parameter total: the size of the file in bytes.
    init(_ header: Y4MHeader, total: UInt64) {
        var track = VideoTrack(
            index: 0, identifier: 1, codec: "uncompressed C\(header.sampling.name)", width: UInt64(header.width),
            height: UInt64(header.height))
        track.color = header.color
        track.frameRate = header.frameRate
        track.pixelAspect = header.pixelAspect
        track.bitDepth = header.sampling.bitDepth
        track.chromaFormat = header.sampling.chromaFormat
        let frames = (total - min(UInt64(header.size), total)) / UInt64(header.frameStride)
        self.init(format: .y4m, tracks: [track], duration: header.time(ofFrame: frames), headerPosition: 0)
    }
}
