import HDRMetadata

/// Raw sound in QuickTime files: what the demuxer does not read of its description, and patches of what it misreads.
///
/// qtdemux of GStreamer gives each buffer of a sound description of version 2 the time 0 where the sound is cut into
/// small chunks. The same sound in version 1 has its times; but that has 16 bits for the sample rate, so that the rate
/// has to be corrected behind the demuxer. It reads no channel layout, and takes integers and floats of 32 bits and
/// floats of 64 for big-endian, whose byte order is in a box in the box `wave`.
///
/// "Sound Sample Description (Version 1)", "(Version 2)" and "Channel layout" in the QuickTime File Format
/// Specification.
extension MovieEdits {
    /// What a header says of raw sound, and the demuxer does not.
    package struct Sound: Equatable, Sendable {
        package var channels: Int
        /// The sample rate in Hz; `nil` where the demuxer knows it.
        package var sampleRate: Int32?
        /// A bit for each channel's GstAudioChannelPosition; 0 where positions are not known.
        package var channelMask: UInt64 = 0
        /// GStreamer's name of the format; `nil` where the demuxer knows it.
        package var format: String?
    }

    /// The sizes of the fields in front of the boxes of an entry, with the header of a box, in versions 0 to 2.
    private static let sizes = [36, 52, 72]

    /// Reads what describes a track of sound, where that is one sample entry.
    mutating func readSound(_ reader: BoxReader, _ track: Box, _ number: UInt64, _ position: UInt64) {
        guard let table = try? reader.first([.mdia, .minf, .stbl], below: track),
            let samples = try? reader.first(.stsd, in: table.payload)
        else { return }
        var entries = reader.boxes(in: reader.children(of: samples))
        guard let entry = try? entries.next(), (try? entries.next()) == nil, entry.headerSize == 8,
            let version = BigEndian.u16(reader.bytes, entry.start + 16), Self.sizes.indices.contains(Int(version)),
            entry.count >= Self.sizes[Int(version)]
        else { return }
        let fast = version == 2 ? LinearPCM(reader.bytes, entry) : nil
        // The channels are in another place in version 2, whose other kinds of sound are not known.
        if version == 2, fast == nil { return }
        let channels = fast.map { UInt32($0.channels) } ?? UInt32(BigEndian.u16(reader.bytes, entry.start + 24) ?? 0)
        var sound = Sound(channels: Int(channels))
        let children = entry.start + Self.sizes[Int(version)]..<entry.end
        if let layout = try? reader.first("chan", in: children) {
            let mask = ChannelLayout(reader.bytes, layout)?.channelMask ?? 0
            if mask.nonzeroBitCount == sound.channels { sound.channelMask = mask }
        }
        if let fast, let bytes = fast.version1 {
            if fast.sampleRate > Int32(UInt16.max) { sound.sampleRate = fast.sampleRate }
            sound.format = fast.floatFormat
            patch(entry.start + 4, bytes, position)
        } else if version < 2, let name = Self.ordered[entry.type], Self.isLittleEndian(reader, children) {
            sound.format = name
        }
        if sound.sampleRate != nil || sound.channelMask != 0 || sound.format != nil { sounds[number] = sound }
    }

    /// The little-endian formats of the types whose byte order the demuxer does not read.
    private static let ordered: [FourCC: String] = ["in32": "S32LE", "fl32": "F32LE", "fl64": "F64LE"]

    /// Whether the box `enda` says so, in the box `wave` or beside it: "Sound Sample Description Extensions".
    private static func isLittleEndian(_ reader: BoxReader, _ children: Range<Int>) -> Bool {
        let wave = try? reader.first("wave", in: children)
        let box =
            wave.flatMap { try? reader.first("enda", in: $0.payload) } ?? (try? reader.first("enda", in: children))
        return box.flatMap { BigEndian.u16(reader.bytes, $0.payload.lowerBound) } == 1
    }
}

/// A sound description of version 2 with linear PCM.
private struct LinearPCM {
    let channels: UInt16
    let sampleRate: Int32
    private let bits: UInt32
    private let flags: UInt32
    private let reference: UInt16

    /// - Parameter entry: has the fields of version 2.
    /// - Returns: `nil` for other sound, and where fields contradict each other.
    init?(_ bytes: [UInt8], _ entry: Box) {
        func field(_ offset: Int) -> UInt32? { BigEndian.u32(bytes, entry.start + offset) }
        guard entry.type == "lpcm", let reference = BigEndian.u16(bytes, entry.start + 14), field(36) == 72,
            let rate = BigEndian.u64(bytes, entry.start + 40).map({ Double(bitPattern: $0) }),
            (1...768_000).contains(rate), let sampleRate = Int32(exactly: rate.rounded()),
            let channels = field(48).flatMap({ UInt16(exactly: $0) }), (1...64).contains(channels),
            let bits = field(56), let flags = field(60),
            (flags & 1 != 0 ? [32, 64] : [8, 16, 24, 32]).contains(bits),
            field(64) == UInt32(channels) * bits / 8, field(68) == 1
        else { return nil }
        (self.channels, self.sampleRate, self.bits, self.flags, self.reference) = (
            channels, sampleRate, bits, flags, reference
        )
    }

    private var isFloat: Bool { flags & 1 != 0 }
    private var isBigEndian: Bool { flags & 2 != 0 }

    /// GStreamer's name of the format of floats, whose byte order their type in version 1 does not say.
    var floatFormat: String? { isFloat ? "F\(bits)\(isBigEndian ? "BE" : "LE")" : nil }

    /// The type that says in version 1 how the samples are stored; `nil` where none does.
    private var type: FourCC? {
        if isFloat { return bits == 64 ? "fl64" : "fl32" }
        let isSigned = flags & 4 != 0
        if bits == 8 { return isSigned ? nil : "raw " }
        return isSigned ? (isBigEndian ? "twos" : "sowt") : nil
    }

    /// The bytes of the entry in version 1 from its type on, as many as before: a box without meaning fills the rest.
    var version1: [UInt8]? {
        guard let type else { return nil }
        let rate = UInt16(exactly: sampleRate) ?? 48000
        let bytesPerFrame = UInt64(channels) * UInt64(bits) / 8
        var bytes: [UInt8] = []
        BigEndian.append(type.value, to: &bytes)
        for (value, count) in [
            (0, 6), (UInt64(reference), 2), (1, 2), (0, 2), (0, 4), (UInt64(channels), 2), (UInt64(bits), 2), (0, 4),
            (UInt64(rate), 2), (0, 2),
            // Samples in a packet, bytes of a channel's packet, of a frame and of a sample.
            (1, 4), (UInt64(bits / 8), 4), (bytesPerFrame, 4), (UInt64(bits / 8), 4),
        ] {
            BigEndian.append(value, count: count, to: &bytes)
        }
        return bytes + Box.bytes(.free, [UInt8](repeating: 0, count: 12))
    }
}

/// The box `chan`.
private struct ChannelLayout {
    let channelMask: UInt64

    /// Masks of `AudioChannelLayoutTag`s whose channels are in GStreamer's order: L R Ls Rs as quadraphonic and as
    /// ITU 2.2, MPEG 3.0 A, 4.0 A, 5.0 A, 5.1 A and 6.1 A, ITU 2.1, and DVD 4, 5, 6, 10 and 11. Surround channels are
    /// those at the rear.
    private static let tags: [UInt32: UInt64] = [
        108: 0x33, 132: 0x33, 113: 0x7, 115: 0x107, 117: 0x37, 121: 0x3f, 125: 0x13f, 131: 0x103, 133: 0xb,
        134: 0x10b, 135: 0x3b, 136: 0xf, 137: 0x10f,
    ]

    init?(_ bytes: [UInt8], _ box: Box) {
        let start = box.payload.lowerBound
        guard box.payload.count >= 16, let tag = BigEndian.u32(bytes, start + 4),
            let bitmap = BigEndian.u32(bytes, start + 8), let count = BigEndian.u32(bytes, start + 12)
        else { return nil }
        switch tag {
        case 0:
            guard Int(count) <= (box.payload.count - 16) / 20 else { return nil }
            // Labels count from 1 what a bitmap counts from 0.
            let labels = (0..<Int(count)).map { BigEndian.u32(bytes, start + 16 + 20 * $0) ?? 0 }
            guard let mask = PCMDescription.channelMask(labels.map { $0 &- 1 }) else { return nil }
            channelMask = mask
        case 1 << 16:
            guard let mask = PCMDescription.channelMask((0..<32).filter { bitmap >> $0 & 1 == 1 }) else { return nil }
            channelMask = mask
        default:
            guard let mask = Self.tags[tag >> 16], mask.nonzeroBitCount == Int(tag & 0xffff) else { return nil }
            channelMask = mask
        }
    }
}
