import HDRMetadata

/// The sample entry of PCM in a QuickTime file, with what qtmux cannot write: sample rates above 65 535 Hz, which
/// overflow the field of the versions 0 and 1 that it writes, floats, and the loudspeakers of the channels.
///
/// "Sound Sample Description (Version 2)" and "Channel layout" in the QuickTime File Format Specification.
struct SoundSampleEntryPatch {
    let pcm: PCMDescription

    /// The fields behind the header of a box, in versions 0 and 1.
    private static let (shortSize, longSize) = (28, 44)

    /// How samples are stored, by the types that qtmux writes.
    private static let kinds: [FourCC: Flags] = [
        "sowt": [.signed, .packed], "twos": [.signed, .packed, .bigEndian], "raw ": [.packed],
    ]

    /// `formatSpecificFlags` of linear PCM: `kAudioFormatFlagIsBigEndian` and so on.
    private struct Flags: OptionSet {
        let rawValue: UInt32
        static let float = Flags(rawValue: 1)
        static let bigEndian = Flags(rawValue: 1 << 1)
        static let signed = Flags(rawValue: 1 << 2)
        static let packed = Flags(rawValue: 1 << 3)
    }

    /// The whole entry; `nil` where it stays the same, or is none of qtmux's for PCM.
    func entry(_ reader: BoxReader, _ box: Box) -> [UInt8]? {
        let fields = box.payload.lowerBound
        guard var flags = Self.kinds[box.type], let version = BigEndian.u16(reader.bytes, fields + 8), version <= 1,
            var channels = BigEndian.u16(reader.bytes, fields + 16),
            var bits = BigEndian.u16(reader.bytes, fields + 18)
        else { return nil }
        let size = version == 0 ? Self.shortSize : Self.longSize
        guard box.payload.count >= size else { return nil }
        if let float = pcm.floatBits {
            guard bits == 32, float == 32 || float == 64 else { return nil }
            channels /= float / bits
            bits = float
            flags.remove(.signed)
            flags.insert(.float)
        }
        let isLong = pcm.sampleRate > UInt32(UInt16.max) || pcm.floatBits != nil
        let layout = pcm.speakers.nonzeroBitCount == Int(channels) ? Self.layout(pcm.speakers) : []
        guard isLong || !layout.isEmpty else { return nil }
        let children = Array(reader.bytes[fields + size..<box.end]) + layout
        guard isLong else {
            return Box.bytes(box.type, Array(reader.bytes[fields..<fields + size]) + children)
        }
        return Box.bytes(
            "lpcm", Array(reader.bytes[fields..<fields + 8]) + long(channels: channels, bits: bits, flags) + children)
    }

    /// The fields of version 2 from `version` on. Those of the older versions have the values that the specification
    /// prescribes.
    private func long(channels: UInt16, bits: UInt16, _ flags: Flags) -> [UInt8] {
        var bytes: [UInt8] = []
        for (value, count) in [(2, 2), (0, 2), (0, 4), (3, 2), (16, 2), (0xfffe, 2), (0, 2), (0x10000, 4)] {
            BigEndian.append(UInt64(value), count: count, to: &bytes)
        }
        let sizeOfFields: UInt64 = 72
        BigEndian.append(sizeOfFields, count: 4, to: &bytes)
        BigEndian.append(Double(pcm.sampleRate).bitPattern, count: 8, to: &bytes)
        let bytesPerFrame = UInt32(channels) * UInt32(bits) / 8
        for value in [UInt32(channels), 0x7f00_0000, UInt32(bits), flags.rawValue, bytesPerFrame, 1] {
            BigEndian.append(value, to: &bytes)
        }
        return bytes
    }

    /// The box `chan`: version and flags, `kAudioChannelLayoutTag_UseChannelBitmap`, the bitmap, no descriptions.
    private static func layout(_ speakers: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in [0, 1 << 16, speakers, 0] { BigEndian.append(value, to: &bytes) }
        return Box.bytes("chan", bytes)
    }
}

extension MovieBoxPatcher {
    /// Completes the sample entries of sound: PCM in QuickTime files, rates that overflow, and Opus.
    /// - Parameter tracks: the edits of the audio tracks, in their order.
    func describeSound(
        _ tracks: [AudioTrackMetadata], _ reader: BoxReader, _ moov: Box, _ edits: inout ByteEdits
    ) throws(ContainerError) {
        var found = 0
        var boxes = reader.boxes(in: moov.payload)
        while let track = try boxes.next() {
            // A track that cannot be read must not keep others from what they get.
            guard track.type == .trak, let media = try? MovieInspection.media("soun", reader, track) else { continue }
            defer { found += 1 }
            guard found < tracks.count, let samples = media.samples else { continue }
            let pcm = flavor == .quickTime ? tracks[found].pcm.map { SoundSampleEntryPatch(pcm: $0) } : nil
            let rate = tracks[found].sampleRate.map { SoundRatePatch(sampleRate: $0, flavor: flavor) }
            var entries = reader.boxes(in: reader.children(of: samples))
            while let box = try entries.next() {
                guard
                    let entry = pcm?.entry(reader, box) ?? rate?.entry(reader, box) ?? OpusBoxPatch().entry(reader, box)
                else { continue }
                edits.replace(box.start..<box.end, with: entry, inside: [moov] + media.path)
            }
        }
    }
}
