import HDRMetadata

/// Reads the picture descriptors in the header metadata of an MXF file: SMPTE ST 377-1. The metadata are KLV packets
/// (ST 336): a primer that gives each local tag its universal label, and sets of tagged items.
enum MXFInspection {
    /// The size of the largest set that is read: descriptors have a few hundred bytes.
    private static let largestSet: UInt64 = 1 << 20
    private static let maximumPackets = 100_000
    /// The maximum size of what may precede the first partition: ST 377-1 section 6.5.
    private static let largestRunIn = 65536

    private static let partition: [UInt8] = [
        0x06, 0x0e, 0x2b, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0d, 0x01, 0x02, 0x01, 0x01,
    ]

    /// The position of the header partition; `nil` where the source is not an MXF file.
    static func start(_ source: some ByteSource) throws -> UInt64? {
        let head = try ContainerInspection.read(source, at: 0, count: 16)
        if isHeaderPartition(head[...]) { return 0 }
        // A run-in must not begin like a partition, and is rare: it is searched for where no other format is
        // recognised.
        let bytes = try ContainerInspection.read(source, at: 0, count: largestRunIn + 16)
        guard bytes.count > 16 else { return nil }
        for index in 1..<bytes.count - 15 where bytes[index] == 0x06 && isHeaderPartition(bytes[index...]) {
            return UInt64(index)
        }
        return nil
    }

    private static func isHeaderPartition(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: partition) && bytes.dropFirst(13).first == 2
    }

    /// - Returns: the picture tracks, and the duration of the longest one in ns.
    static func read(
        _ source: some ByteSource, at start: UInt64, limit: UInt64
    ) throws -> (tracks: [VideoTrack], duration: UInt64?) {
        let pack = try MXFPartition(source, at: start)
        var sets = try metadata(source, behind: pack, limit: limit)
        // A file that was written in one go has its durations only at its end.
        if !pack.isClosed || sets.isEmpty, pack.footer > 0,
            let footer = try? MXFPartition(source, at: start.addingReportingOverflow(pack.footer).partialValue),
            let later = try? metadata(source, behind: footer, limit: limit), later.contains(where: \.isPicture)
        {
            sets = later
        }
        var tracks: [VideoTrack] = []
        var duration: UInt64?
        for set in sets where set.isPicture {
            tracks.append(set.track(index: tracks.count))
            duration = [duration, set.duration].compactMap { $0 }.max()
        }
        return (tracks, duration)
    }

    /// The sets of a partition's header metadata.
    private static func metadata(
        _ source: some ByteSource, behind pack: MXFPartition, limit: UInt64
    ) throws -> [MXFDescriptor] {
        var position = pack.end
        var labels: [UInt16: [UInt8]] = [:]
        var sets: [MXFDescriptor] = []
        var taken: UInt64 = 0
        for _ in 0..<maximumPackets {
            let bytes = try ContainerInspection.read(source, at: position, count: 25)
            guard let packet = MXFPacket(bytes, at: position) else { break }
            let (next, overflow) = packet.data.addingReportingOverflow(packet.size)
            guard !overflow else { break }
            defer { position = next }
            switch packet.kind {
            case .other: continue
            case .end: return sets
            case .primer, .set:
                guard packet.size <= largestSet else { continue }
                taken += packet.size
                guard taken <= limit, let count = Int(exactly: packet.size) else { return sets }
                let value = try ContainerInspection.read(source, at: packet.data, count: count)
                guard value.count == count else {
                    throw ContainerError.truncated(what: "the header metadata", offset: packet.data)
                }
                if packet.kind == .primer { labels = primer(value) } else { sets.append(.init(value, labels)) }
            }
        }
        return sets
    }

    /// A batch of local tags and their labels: ST 377-1 section 9.2.
    private static func primer(_ value: [UInt8]) -> [UInt16: [UInt8]] {
        guard let count = BigEndian.u32(value, 0), BigEndian.u32(value, 4) == 18 else { return [:] }
        var labels: [UInt16: [UInt8]] = [:]
        for index in 0..<min(Int(count), max(0, value.count - 8) / 18) {
            guard let tag = BigEndian.u16(value, 8 + 18 * index) else { break }
            labels[tag] = BigEndian.slice(value, 10 + 18 * index..<26 + 18 * index)
        }
        return labels
    }
}

/// The first bytes of a KLV packet.
private struct MXFPacket {
    enum Kind {
        case primer, set
        /// A fill item, or a private set.
        case other
        /// The end of the header metadata: an index, essence or another partition follows.
        case end
    }

    let kind: Kind
    let data: UInt64
    let size: UInt64

    /// - Parameter bytes: 25 bytes, or fewer at the end of the file.
    init?(_ bytes: [UInt8], at position: UInt64) {
        guard bytes.starts(with: [0x06, 0x0e, 0x2b, 0x34]), let first = BigEndian.u8(bytes, 16) else { return nil }
        // A BER length: the length itself, or the number of bytes that it takes.
        let length = first < 0x80 ? 0 : Int(first & 0x7f)
        guard length <= 8, let size = length == 0 ? UInt64(first) : BigEndian.number(bytes, at: 17, count: length),
            first != 0x80
        else { return nil }
        self.size = size
        data = position + 17 + UInt64(length)
        // The eighth byte is a version.
        let (registry, item) = (bytes[4...5], bytes[8...14])
        if item.starts(with: [13, 1, 2, 1, 1]) {
            kind = item.dropFirst(5).first == 5 ? .primer : .end
        } else if item.starts(with: [13, 1, 3]) || registry.elementsEqual([1, 2]) {
            kind = .end
        } else {
            kind = registry.elementsEqual([2, 0x53]) && item.starts(with: [13, 1, 1, 1, 1]) ? .set : .other
        }
    }
}

/// A partition pack: ST 377-1 section 7.
private struct MXFPartition {
    /// Whether its metadata are final.
    let isClosed: Bool
    /// The offset of the footer partition from the header partition; 0 where it is unknown.
    let footer: UInt64
    /// The offset behind the pack.
    let end: UInt64

    init(_ source: some ByteSource, at position: UInt64) throws {
        let bytes = try ContainerInspection.read(source, at: position, count: 25 + 88)
        guard let packet = MXFPacket(bytes, at: position), bytes.starts(with: [6, 14, 43, 52, 2, 5, 1, 1, 13, 1, 2]),
            packet.size >= 64, packet.size < 1 << 20,
            let footer = BigEndian.u64(bytes, Int(packet.data - position) + 24)
        else { throw ContainerError.truncated(what: "a partition pack", offset: position) }
        isClosed = bytes[14] == 2 || bytes[14] == 4
        self.footer = footer
        end = packet.data + packet.size
    }
}
