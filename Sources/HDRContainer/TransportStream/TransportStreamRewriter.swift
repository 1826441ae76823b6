import HDRMetadata

/// Completes a muxer's output in an MPEG transport stream (ITU-T H.222.0), packet by packet and in place: the program
/// map table then says whether HEVC is HDR, and describes Dolby Vision. All other HDR metadata of a stream are in its
/// pictures.
package struct TransportStreamRewriter: Sendable {
    package static let packetSize = 188
    static let syncByte: UInt8 = 0x47

    /// The edits that were not possible, each listed once.
    package private(set) var notices: [ContainerNotice] = []

    private var programMapIdentifier: UInt16?
    private var streams: [ProgramMap.Stream] = []
    /// The number of packets of the elementary streams that begin a PES packet, by PID.
    private var counts: [UInt16: UInt64] = [:]
    private var isLost = false

    package init() {}

    /// The number of samples of each stream, in the program map's order; `nil` where it is unknown. GStreamer's muxers
    /// write each picture and each audio packet into its own PES packet.
    package var samples: [TrackSamples]? {
        guard !streams.isEmpty, !isLost else { return nil }
        return streams.map {
            TrackSamples(
                kind: $0.kind, identifier: UInt64($0.packetIdentifier), count: counts[$0.packetIdentifier] ?? 0)
        }
    }

    /// Takes the packets of a write of the muxer.
    /// - Parameters:
    ///   - packets: whole packets of 188 bytes.
    ///   - metadata: returns the edits of the program map; called only where there is one in these packets.
    /// - Returns: the packets to write instead; `nil` where nothing changes.
    package mutating func rewrite(
        _ packets: UnsafeRawBufferPointer, _ metadata: () -> ContainerMetadata
    ) -> [UInt8]? {
        guard packets.count.isMultiple(of: Self.packetSize) else {
            giveUp(.notRecognized)
            return nil
        }
        var result: [UInt8]?
        for start in stride(from: 0, to: packets.count, by: Self.packetSize) {
            let packet = UnsafeRawBufferPointer(rebasing: packets[start..<start + Self.packetSize])
            guard packet[0] == Self.syncByte else {
                giveUp(.notRecognized)
                continue
            }
            // Only packets that begin a section or a PES packet are read.
            guard packet[1] & 0x40 != 0 else { continue }
            let identifier = UInt16(packet[1] & 0x1f) << 8 | UInt16(packet[2])
            if identifier == 0 {
                readPrograms(Array(packet))
            } else if identifier == programMapIdentifier {
                guard let changed = rewriteMap(Array(packet), metadata()) else { continue }
                if result == nil { result = Array(packets) }
                result?.replaceSubrange(start..<start + Self.packetSize, with: changed)
            } else {
                counts[identifier, default: 0] += 1
            }
        }
        return result
    }

    private mutating func giveUp(_ notice: ContainerNotice) {
        isLost = true
        if !notices.contains(notice) { notices.append(notice) }
    }

    /// The position of a packet's payload; `nil` where it has none.
    static func payload(_ packet: [UInt8]) -> Int? {
        guard packet[3] & 0x10 != 0 else { return nil }
        let start = packet[3] & 0x20 == 0 ? 4 : 5 + Int(packet[4])
        return start < packet.count ? start : nil
    }

    /// The section that begins in a packet, up to the packet's end.
    static func section(_ packet: [UInt8]) -> ArraySlice<UInt8>? {
        guard let payload = payload(packet) else { return nil }
        let start = payload + 1 + Int(packet[payload])
        return start < packet.count ? packet[start...] : nil
    }

    private mutating func readPrograms(_ packet: [UInt8]) {
        guard let section = Self.section(packet).map(Array.init), let found = Self.firstMap(section) else { return }
        programMapIdentifier = found
    }

    /// The PID of the first program's map, of a section of the program association table: section 2.4.4.4.
    static func firstMap(_ section: [UInt8]) -> UInt16? {
        guard section.first == 0, let length = BigEndian.u16(section, 1).map({ Int($0 & 0xfff) }) else { return nil }
        for entry in stride(from: 8, to: min(3 + length - 4, section.count - 3), by: 4) {
            guard let number = BigEndian.u16(section, entry), let identifier = BigEndian.u16(section, entry + 2)
            else { return nil }
            // Program 0 is the network information table.
            if number != 0 { return identifier & 0x1fff }
        }
        return nil
    }

    /// - Returns: the packet with the completed program map; `nil` where it does not change.
    private mutating func rewriteMap(_ packet: [UInt8], _ metadata: ContainerMetadata) -> [UInt8]? {
        guard let section = Self.section(packet).map(Array.init), section[0] == ProgramMap.tableIdentifier else {
            return nil
        }
        guard let map = ProgramMap(section) else {
            if !metadata.asksForNothing { giveUp(.headerMissing("program map in one packet")) }
            return nil
        }
        streams = map.streams
        let changed = map.completed(metadata)
        guard changed != map else { return nil }
        // The adaptation field of such packets is stuffing, which the section may grow into.
        guard let bytes = changed.bytes, bytes.count < Self.packetSize - 4, Self.hasOnlyStuffing(packet) else {
            let notice = ContainerNotice.unsupported(what: "the HDR metadata of all streams")
            if !notices.contains(notice) { notices.append(notice) }
            return nil
        }
        let whole = [packet[0], packet[1], packet[2], packet[3] & ~0x20, 0] + bytes
        return whole + [UInt8](repeating: 0xff, count: Self.packetSize - whole.count)
    }

    private static func hasOnlyStuffing(_ packet: [UInt8]) -> Bool {
        packet[3] & 0x20 == 0 || packet[4] == 0 || packet[5] == 0
    }
}

extension ProgramMap {
    /// The map with the metadata of its video streams, which are counted in the section's order.
    func completed(_ metadata: ContainerMetadata) -> ProgramMap {
        var result = self
        var video = 0
        for index in streams.indices where streams[index].kind == .video {
            if let track = metadata.video(video) { result.streams[index].complete(track) }
            video += 1
        }
        return result
    }
}

extension ProgramMap.Stream {
    fileprivate mutating func complete(_ track: VideoTrackMetadata) {
        guard type == Self.hevc else { return }
        if let configuration = track.codecConfiguration {
            var color: ColorDescription?
            if case .set(let known) = track.color { color = known }
            if let descriptor = ProgramMap.Descriptor(configuration: configuration, color: color) {
                descriptors.removeAll { $0.tag == descriptor.tag }
                descriptors.append(descriptor)
            }
        }
        switch track.dolbyVision {
        case .keep: break
        case .remove: removeDolbyVision()
        case .set(let record):
            removeDolbyVision()
            descriptors += [.dolbyVisionRegistration, ProgramMap.Descriptor(record)]
        }
    }

    private mutating func removeDolbyVision() {
        descriptors.removeAll { $0.tag == ProgramMap.Descriptor.dolbyVisionTag || $0 == .dolbyVisionRegistration }
    }
}

extension ProgramMap.Descriptor {
    fileprivate static let dolbyVisionRegistration = registration("DOVI")
}
