import HDRMetadata

/// A section of the program map table of a transport stream: the streams of a program (ITU-T H.222.0 section 2.4.4.9).
struct ProgramMap: Equatable {
    /// A descriptor: ITU-T H.222.0 section 2.6.
    struct Descriptor: Equatable {
        var tag: UInt8
        /// The payload of at most 255 bytes.
        var payload: [UInt8]
    }

    struct Stream: Equatable {
        /// The stream type: ITU-T H.222.0 table 2-34.
        var type: UInt8
        /// The PID of its packets, 13 bits.
        var packetIdentifier: UInt16
        var descriptors: [Descriptor]
    }

    static let tableIdentifier: UInt8 = 2
    /// The maximum of `section_length`.
    private static let maximumLength = 1021

    /// The seven bytes from `program_number` to `PCR_PID`.
    private var head: [UInt8]
    private var programDescriptors: [Descriptor]
    var streams: [Stream]

    /// - Parameter bytes: bytes that begin with the section; more may follow.
    /// - Returns: `nil` where they do not begin with a complete section, or its checksum is wrong.
    init?(_ bytes: [UInt8]) {
        guard BigEndian.u8(bytes, 0) == Self.tableIdentifier, let word = BigEndian.u16(bytes, 1), word >> 15 == 1
        else { return nil }
        let end = 3 + Int(word & 0xfff)
        guard end >= 16, end <= bytes.count, MPEGChecksum.of(bytes[..<end]) == 0 else { return nil }
        head = Array(bytes[3..<10])
        var position = 10
        guard let shared = Self.descriptors(bytes, &position, before: end - 4) else { return nil }
        programDescriptors = shared
        streams = []
        while position < end - 4 {
            guard position + 5 <= end - 4, let identifier = BigEndian.u16(bytes, position + 1) else { return nil }
            let type = bytes[position]
            position += 3
            guard let own = Self.descriptors(bytes, &position, before: end - 4) else { return nil }
            streams.append(Stream(type: type, packetIdentifier: identifier & 0x1fff, descriptors: own))
        }
    }

    /// Reads a length of 12 bits, and descriptors of that length in all.
    private static func descriptors(_ bytes: [UInt8], _ position: inout Int, before end: Int) -> [Descriptor]? {
        guard position + 2 <= end, let word = BigEndian.u16(bytes, position) else { return nil }
        position += 2
        let last = position + Int(word & 0xfff)
        guard last <= end else { return nil }
        var result: [Descriptor] = []
        while position < last {
            guard position + 2 <= last else { return nil }
            let start = position + 2
            let next = start + Int(bytes[position + 1])
            guard next <= last else { return nil }
            result.append(Descriptor(tag: bytes[position], payload: Array(bytes[start..<next])))
            position = next
        }
        return result
    }

    /// The section with its checksum; `nil` where it is longer than a section may be.
    var bytes: [UInt8]? {
        var body = head + Self.bytes(programDescriptors)
        for stream in streams {
            body += [stream.type] + Self.bytes(0xe000 | stream.packetIdentifier) + Self.bytes(stream.descriptors)
        }
        let length = body.count + 4
        guard length <= Self.maximumLength else { return nil }
        let section = [Self.tableIdentifier] + Self.bytes(0xb000 | UInt16(length)) + body
        let sum = MPEGChecksum.of(section[...])
        return section + Self.bytes(UInt16(sum >> 16)) + Self.bytes(UInt16(truncatingIfNeeded: sum))
    }

    private static func bytes(_ descriptors: [Descriptor]) -> [UInt8] {
        let body = descriptors.flatMap { [$0.tag, UInt8(clamping: $0.payload.count)] + $0.payload.prefix(255) }
        return bytes(0xf000 | UInt16(truncatingIfNeeded: body.count) & 0xfff) + body
    }

    private static func bytes(_ word: UInt16) -> [UInt8] { [UInt8(word >> 8), UInt8(truncatingIfNeeded: word)] }
}

extension ProgramMap.Stream {
    static let hevc: UInt8 = 0x24
    private static let videoTypes: Set<UInt8> = [0x01, 0x02, 0x10, 0x1b, hevc, 0x33, 0xea]
    private static let soundTypes: Set<UInt8> = [0x03, 0x04, 0x0f, 0x11, 0x81, 0x82, 0x87]

    var kind: TrackSamples.Kind {
        if Self.videoTypes.contains(type) { return .video }
        // Dolby Vision without a base layer that other decoders could show is private data, too.
        let isDolbyVision = type == 0x06 && descriptors.contains { $0.tag == ProgramMap.Descriptor.dolbyVisionTag }
        if isDolbyVision { return .video }
        // Opus is the only audio format that muxers carry as private data, and is known by its registration.
        let isOpus = type == 0x06 && descriptors.contains(.registration("Opus"))
        return isOpus || Self.soundTypes.contains(type) ? .sound : .other
    }
}

extension ProgramMap.Descriptor {
    static let dolbyVisionTag: UInt8 = 0xb0
    static let hevcTag: UInt8 = 56

    /// A registration descriptor: ITU-T H.222.0 section 2.6.8.
    static func registration(_ format: FourCC) -> Self {
        Self(tag: 5, payload: (0..<4).map { UInt8(truncatingIfNeeded: format.value >> (24 - 8 * $0)) })
    }

    /// DOVI_video_stream_descriptor ("Dolby Vision Streams Within the MPEG-2 Transport Stream Format" section 3.3) of a
    /// single-layer stream: the decoder configuration record's first five bytes.
    init(_ record: DolbyVisionRecord) {
        // Without a base layer a dependency_PID would precede the last byte, but no such streams are written here.
        self.init(tag: Self.dolbyVisionTag, payload: Array(record.payload.prefix(5)))
    }

    /// HEVC_video_descriptor (ITU-T H.222.0 section 2.6.95): profile and level, and whether the video is HDR.
    /// - Parameters:
    ///   - configuration: the HEVCDecoderConfigurationRecord; where it is too short, the result is `nil`.
    ///   - color: the colour description; `nil` where it is unknown.
    init?(configuration: [UInt8], color: ColorDescription?) {
        guard configuration.count >= 13 else { return nil }
        let range: UInt8
        switch color {
        case let color? where color.isHDR: range = 2
        case let color?: range = color.primaries == 9 ? 1 : color.primaries == 2 ? 3 : 0
        case nil: range = 3
        }
        // The bits declare no temporal subset, no still or 24-hour pictures, and no sub-picture parameters; two are
        // reserved.
        self.init(tag: Self.hevcTag, payload: Array(configuration[1..<13]) + [0x1c | range])
    }
}
