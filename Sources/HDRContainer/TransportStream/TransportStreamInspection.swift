import HDRMetadata

/// Reads the video streams that an MPEG transport stream (ITU-T H.222.0) describes in its first program map.
package enum TransportStreamInspection {
    /// The packet sizes: plain, with four bytes of time in front as in M2TS, and with sixteen of error correction
    /// behind.
    private static let packetSizes = [188, 192, 204]
    /// The number of packets that must begin with a sync byte for a file to count as a transport stream.
    private static let recognized = 5
    private static let pieceSize = 256 << 10
    /// The number of bytes that are searched; multiplexers repeat the map several times per second.
    private static let searched: UInt64 = 8 << 20

    /// - Returns: `nil` where this is no transport stream, or has no program map near its beginning.
    /// - Throws: the source's errors.
    package static func read(_ source: some ByteSource) throws -> ContainerInspection? {
        var reader = ProgramReader()
        var found: ContainerInspection?
        try eachPacket(source) { packet, position in
            guard let map = reader.read(packet) else { return true }
            found = ContainerInspection(format: .transportStream, tracks: map.tracks, headerPosition: position)
            return false
        }
        return found
    }

    /// The first whole PES packet of a stream, which is a picture in the output of multiplexers.
    /// - Returns: `nil` where there is none near the beginning.
    static func firstSample(of track: VideoTrack, in source: some ByteSource) throws -> [UInt8]? {
        var sample: [UInt8]?
        var isWhole = false
        try eachPacket(source) { packet, _ in
            guard UInt64(packet[1] & 0x1f) << 8 | UInt64(packet[2]) == track.identifier,
                let start = TransportStreamRewriter.payload(packet)
            else { return true }
            let begins = packet[1] & 0x40 != 0
            if begins, sample != nil {
                isWhole = true
                return false
            }
            if begins {
                // The header's length follows nine bytes (ITU-T H.222.0 section 2.4.3.6).
                guard start + 9 <= packet.count else { return true }
                sample = Array(packet.dropFirst(start + 9 + Int(packet[start + 8])))
            } else {
                sample?.append(contentsOf: packet[start...])
            }
            return (sample?.count ?? 0) < largestSample
        }
        return isWhole ? sample : nil
    }

    private static let largestSample = 4 << 20

    /// Calls `body` with each packet near the beginning, and its position, until it returns `false`.
    private static func eachPacket(
        _ source: some ByteSource, _ body: (_ packet: [UInt8], _ position: UInt64) -> Bool
    ) throws {
        let start = try ContainerInspection.read(source, at: 0, count: 2 * packetSizes[2] + pieceSize)
        guard let (first, size) = packets(start) else { return }
        let end = min(try ContainerInspection.total(source), searched)
        var position = UInt64(first)
        while position < end {
            let piece = try ContainerInspection.read(source, at: position, count: pieceSize / size * size)
            for offset in stride(from: 0, through: piece.count - TransportStreamRewriter.packetSize, by: size) {
                let packet = Array(piece[offset..<offset + TransportStreamRewriter.packetSize])
                guard packet[0] == TransportStreamRewriter.syncByte else { continue }
                guard body(packet, position + UInt64(offset)) else { return }
            }
            guard piece.count >= size else { return }
            position += UInt64(piece.count)
        }
    }

    /// The position of the first packet, and the distance between packets in bytes.
    private static func packets(_ bytes: [UInt8]) -> (first: Int, size: Int)? {
        for size in packetSizes {
            let first = (0..<min(size, bytes.count)).first { first in
                first + (recognized - 1) * size < bytes.count
                    && (0..<recognized).allSatisfy { bytes[first + $0 * size] == TransportStreamRewriter.syncByte }
            }
            if let first { return (first, size) }
        }
        return nil
    }
}

/// Finds the first program's map among the packets of a transport stream.
private struct ProgramReader {
    private var mapIdentifier: UInt16?
    /// The incomplete sections, by PID.
    private var sections: [UInt16: [UInt8]] = [:]
    /// The size of the longest section of program-specific information: section 2.4.4.
    private static let longest = 3 + 1021

    /// - Returns: the program map that this packet completes.
    mutating func read(_ packet: [UInt8]) -> ProgramMap? {
        let identifier = UInt16(packet[1] & 0x1f) << 8 | UInt16(packet[2])
        guard identifier == 0 || identifier == mapIdentifier,
            let payload = TransportStreamRewriter.payload(packet)
        else { return nil }
        if packet[1] & 0x40 != 0 {
            sections[identifier] = TransportStreamRewriter.section(packet).map(Array.init)
        } else {
            sections[identifier]?.append(contentsOf: packet[payload...])
        }
        guard let section = sections[identifier], section.count >= 3 else { return nil }
        if section.count > Self.longest + TransportStreamRewriter.packetSize { sections[identifier] = nil }
        if identifier == 0 {
            mapIdentifier = TransportStreamRewriter.firstMap(section) ?? mapIdentifier
            return nil
        }
        return ProgramMap(section)
    }
}

extension ProgramMap {
    fileprivate var tracks: [VideoTrack] {
        streams.filter { $0.kind == .video }.enumerated().map { index, stream in
            var track = VideoTrack(
                index: index, identifier: UInt64(stream.packetIdentifier), codec: stream.name, width: 0, height: 0)
            for descriptor in stream.descriptors { descriptor.describe(&track) }
            return track
        }
    }
}

extension ProgramMap.Stream {
    /// The name of the stream's type, such as `0x24`.
    fileprivate var name: String { "0x" + (type < 16 ? "0" : "") + String(type, radix: 16) }
}

extension ProgramMap.Descriptor {
    fileprivate func describe(_ track: inout VideoTrack) {
        switch tag {
        case Self.dolbyVisionTag: track.dolbyVision = dolbyVision
        // HDR_WCG_idc states HDR, with or without wide colour; 3 leaves it unspecified.
        case Self.hevcTag where payload.count > 12 && payload[12] & 3 != 3: track.declaresHDR = payload[12] & 3 == 2
        default: break
        }
    }

    /// The Dolby Vision record. Without a base layer, `dependency_PID` precedes the last byte.
    private var dolbyVision: DolbyVisionRecord? {
        guard payload.count >= 5, payload[3] & 1 == 0 else { return DolbyVisionRecord(payload: payload) }
        return DolbyVisionRecord(payload: Array(payload[..<4] + payload.dropFirst(6).prefix(1)))
    }
}
