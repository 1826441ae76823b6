import HDRBitstream
import HDRInspection
import HDRPipeline

/// The data read of one stream.
struct StreamFacts: Sendable {
    /// "hash/track" as demuxers name it.
    var identifier = ""
    private(set) var format: Structure?
    private(set) var bitstream: BitstreamInspection?
    private(set) var frames = SignalReport.FrameCounts()
    /// The first thing that could not be read of the bitstream.
    private(set) var failure: BitstreamError?
    private(set) var isVideo = false
    /// A buffer or the end of the stream has come.
    var hasData = false
    var isComplete = false
    /// Whether the stream has ended, so that the data are complete.
    var hasEnded = false
    /// The earliest time of an access unit, in ns.
    private var start: UInt64?
    private(set) var language: String?
    private(set) var bitRate: UInt32?

    /// The track's number in the file; `nil` where the demuxer does not report it.
    var track: UInt64? {
        guard let last = identifier.split(separator: "/").last else { return nil }
        return UInt64(last.prefix { ("0"..."9").contains($0) })
    }

    /// The PID of a transport stream's packets.
    var packetIdentifier: UInt64? { identifier.split(separator: "/").last.flatMap { UInt64($0, radix: 16) } }

    /// Access units of one second, 2 to 240; 60 where the rate is unknown, and 1 where the codec is not read.
    var framesOfASecond: Int {
        guard bitstream != nil else { return 1 }
        guard let rate = format?.fraction("framerate"), rate.numerator > 0 else { return 60 }
        return min(max((rate.numerator + rate.denominator - 1) / rate.denominator, 2), 240)
    }

    mutating func adopt(_ tags: Tags) {
        language = tags["language-code"] ?? language
        if let rate = (tags["bitrate"] ?? tags["nominal-bitrate"]).flatMap({ UInt32($0) }), rate > 0 { bitRate = rate }
    }

    mutating func adopt(_ format: Structure) {
        self.format = format
        // A bare still picture is no video; motion JPEG in a container is.
        isVideo = format.name.hasPrefix("video/") || (format.name.hasPrefix("image/") && track != nil)
        guard let codec = Self.codec(format.name) else { return }
        var inspection = bitstream ?? BitstreamInspection(codec: codec)
        if inspection.codec != codec { inspection = BitstreamInspection(codec: codec) }
        if let configuration = format.bytes("codec_data") {
            do { try inspection.read(configuration: configuration) } catch { failure = failure ?? error }
        } else if format["stream-format"] == "byte-stream" {
            inspection.framing = .byteStream
        }
        bitstream = inspection
    }

    static func codec(_ mediaType: String) -> BitstreamInspection.Codec? {
        switch mediaType {
        case "video/x-h265": .hevc
        case "video/x-h264": .avc
        case "video/x-prores": .proRes
        case "video/x-av1": .av1
        case "video/x-vp9": .vp9
        default: nil
        }
    }

    /// Reads one access unit.
    mutating func read(_ buffer: Buffer) {
        frames.read += 1
        if let time = buffer.time {
            let start = min(start ?? time, time)
            let (end, overflow) = time.addingReportingOverflow(buffer.duration ?? 0)
            if !overflow { frames.span = max(frames.span, end - start) }
            self.start = start
        }
        buffer.withBytes { count($0) }
    }

    private mutating func count(_ bytes: UnsafeRawBufferPointer) {
        guard var inspection = bitstream else { return }
        // This unit is inspected alone, to count the metadata in it.
        var alone = BitstreamInspection(codec: inspection.codec, framing: inspection.framing)
        try? alone.read(accessUnit: bytes)
        if alone.hasHDR10Plus { frames.hdr10Plus += 1 }
        if alone.hasDolbyVisionRPU { frames.dolbyVision += 1 }
        if alone.hasST209450 { frames.st209450 += 1 }
        let before = inspection.staticMetadata
        do { try inspection.read(accessUnit: bytes) } catch { failure = failure ?? error }
        let after = inspection.staticMetadata
        if frames.read > 1, before != .none, before != after { frames.hasChanges = true }
        bitstream = inspection
    }
}
