import HDRMetadata

/// Reads the video tracks of a `moov` box.
enum MovieInspection {
    /// The boxes between a track and its sample entries, outermost first; the sample description is the last one.
    struct TrackBoxes {
        var path: [Box]
        var samples: Box? { path.last }
    }

    /// The movie box, which is all of `bytes`.
    static func movie(_ reader: BoxReader) throws(ContainerError) -> Box {
        var boxes = reader.boxes()
        guard let moov = try boxes.next(), moov.type == .moov else { throw .missingBox(path: "moov") }
        return moov
    }

    /// The track's boxes down to `stsd`; `nil` where it is no video track.
    static func video(_ reader: BoxReader, _ track: Box) throws(ContainerError) -> TrackBoxes? {
        try media(.vide, reader, track)
    }

    /// The track's boxes down to `stsd`; `nil` where its media have another handler.
    static func media(_ handlerType: FourCC, _ reader: BoxReader, _ track: Box) throws(ContainerError) -> TrackBoxes? {
        guard let media = try reader.first(.mdia, in: reader.children(of: track)),
            let handler = try reader.first(.hdlr, in: reader.children(of: media)),
            BigEndian.u32(reader.bytes, handler.payload.lowerBound + 8) == handlerType.value
        else { return nil }
        var path = [track, media]
        for type in [FourCC.minf, .stbl, .stsd] {
            guard let last = path.last, let next = try reader.first(type, in: reader.children(of: last)) else {
                throw .missingBox(path: "moov/trak/mdia/minf/stbl/stsd")
            }
            path.append(next)
        }
        return TrackBoxes(path: path)
    }

    /// Whether a track has the handler of timecodes: "Timecode Media" in the QuickTime File Format Specification.
    static func hasTimecode(_ reader: BoxReader, _ moov: Box) -> Bool {
        var boxes = reader.boxes(in: moov.payload)
        while let box = try? boxes.next() {
            guard box.type == .trak, let handler = try? reader.first([.mdia, .hdlr], below: box) else { continue }
            if BigEndian.u32(reader.bytes, handler.payload.lowerBound + 8) == FourCC("tmcd").value { return true }
        }
        return false
    }

    static func tracks(_ bytes: [UInt8]) throws(ContainerError) -> [VideoTrack] {
        let reader = BoxReader(bytes)
        let moov = try movie(reader)
        var result: [VideoTrack] = []
        var boxes = reader.boxes(in: moov.payload)
        while result.count < ContainerInspection.maximumTracks, let box = try boxes.next() {
            guard box.type == .trak, let video = try video(reader, box), let samples = video.samples else { continue }
            var entries = reader.boxes(in: reader.children(of: samples))
            guard let first = try entries.next() else { continue }
            let entry = try VideoSampleEntry(reader, first)
            var track = try track(reader, box, entry, index: result.count)
            let sampleDuration = MovieTiming.sampleDuration(reader, moov, track: track.identifier)
            let timing = MovieTiming(reader, box)
            track.frameRate = timing?.frameRate(sampleDuration: sampleDuration)
            track.duration = timing?.duration
            track.timescale = timing.flatMap { UInt32(exactly: $0.timescale) }
            result.append(track)
        }
        return result
    }

    private static func track(
        _ reader: BoxReader, _ box: Box, _ entry: VideoSampleEntry, index: Int
    ) throws(ContainerError) -> VideoTrack {
        var track = VideoTrack(
            index: index, identifier: 0, codec: entry.box.type.description, width: UInt64(entry.width),
            height: UInt64(entry.height))
        if let header = try reader.first(.tkhd, in: box.payload) { readHeader(reader, header, into: &track) }
        if let references = try? reader.first("tref", in: box.payload),
            let base = try? reader.first("vdep", in: references.payload)
        {
            track.baseTrack = BigEndian.u32(reader.bytes, base.payload.lowerBound).map(UInt64.init)
        }
        for child in entry.children {
            let payload = child.payload
            switch child.type {
            case .colr:
                guard let type = BigEndian.u32(reader.bytes, payload.lowerBound) else { continue }
                track.colorTypes.append(FourCC(type).description)
                let head = payload.lowerBound..<min(payload.upperBound, payload.lowerBound + 11)
                track.color = track.color ?? ColorBox.color(BigEndian.slice(reader.bytes, head))
            case .pasp:
                if let across = BigEndian.u32(reader.bytes, payload.lowerBound),
                    let down = BigEndian.u32(reader.bytes, payload.lowerBound + 4), payload.count >= 8
                {
                    track.pixelAspect = .init(horizontal: across, vertical: down)
                }
            case "sinf":
                if let format = try reader.first("frma", in: payload) {
                    track.originalFormat = BigEndian.u32(reader.bytes, format.payload.lowerBound).map {
                        FourCC($0).description
                    }
                }
            default:
                if let box = HDRBox.box(of: child.type) {
                    box.read(reader.payload(of: child), child.type, &track.hdr)
                } else if track.configuration == nil, VideoSampleEntry.configurations.contains(child.type) {
                    track.configuration = .init(
                        type: child.type.description, bytes: reader.payload(of: child))
                }
            }
        }
        if track.color == nil, let configuration = track.configuration, configuration.type == "vpcC" {
            track.color = ColorBox.vp9Color(configuration.bytes)
        }
        return track
    }

    /// Reads `tkhd`: ISO/IEC 14496-12 section 8.3.2.
    private static func readHeader(_ reader: BoxReader, _ header: Box, into track: inout VideoTrack) {
        guard let flags = BigEndian.u32(reader.bytes, header.payload.lowerBound) else { return }
        track.isEnabled = flags & 1 != 0
        let isLong = flags >> 24 == 1
        let identifier = header.payload.lowerBound + (isLong ? 20 : 12)
        let matrix = header.payload.lowerBound + (isLong ? 52 : 40)
        guard header.end >= matrix + 36 else { return }
        track.identifier = UInt64(BigEndian.u32(reader.bytes, identifier) ?? 0)
        track.matrix = (0..<9).map { Int32(bitPattern: BigEndian.u32(reader.bytes, matrix + 4 * $0) ?? 0) }
        track.orientation = PictureOrientation(matrix: track.matrix)
    }
}
