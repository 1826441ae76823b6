/// Works metadata into the video tracks of a Tracks element, and where sound begins into the others.
struct MatroskaTracksPatcher {
    let metadata: ContainerMetadata
    let tracks: VideoTrackSelection

    init(metadata: ContainerMetadata, tracks: VideoTrackSelection = .all) {
        self.metadata = metadata.effective
        self.tracks = tracks
    }

    /// - Parameter bytes: the complete element, with its header.
    /// - Returns: the complete element; the same bytes where nothing is asked for.
    func patch(_ bytes: [UInt8]) throws(ContainerError) -> [UInt8] {
        if metadata.asksForNothing { return bytes }
        var elements = EBML.elements(bytes, in: 0..<bytes.count)
        guard let element = try elements.next(), element.id == MatroskaID.tracks,
            element.data.upperBound == bytes.count
        else { throw .missingElement("Tracks") }
        var video = metadata
        video.audioPriming = []
        video.writesUndeterminedLanguage = false
        let isAboutVideo = !video.asksForNothing
        var videoTracks = 0
        var soundTracks = 0
        var found = 0
        let data = try EBML.rebuild(bytes, element) { (child, output) throws(ContainerError) in
            let type = child.id == MatroskaID.trackEntry ? try Self.trackType(bytes, child) : nil
            if type == 2 {
                soundTracks += 1
                if soundTracks <= metadata.audioPriming.count, let priming = metadata.audioPriming[soundTracks - 1] {
                    let entry = try sound(bytes, child, priming)
                    EBML.append(MatroskaID.trackEntry, entry, sizeLength: child.sizeLength, to: &output)
                    return
                }
            }
            if type == 1, isAboutVideo {
                videoTracks += 1
                if tracks.contains(videoTracks - 1) {
                    found += 1
                    let entry = try entry(bytes, child)
                    EBML.append(MatroskaID.trackEntry, entry, sizeLength: child.sizeLength, to: &output)
                    return
                }
            }
            output += bytes[child.start..<child.data.upperBound]
        }
        if isAboutVideo, found == 0 {
            if case .index(let index) = tracks { throw .noVideoTrack(index: index) }
            throw .noVideoTrack(index: nil)
        }
        var result: [UInt8] = []
        EBML.append(MatroskaID.tracks, data, sizeLength: element.sizeLength, to: &result)
        return metadata.writesUndeterminedLanguage ? try Self.tellLanguages(result) : result
    }

    /// Writes the language "und" into each track that has none, whose language would be English: RFC 9559 section
    /// 5.1.4.1.19.
    private static func tellLanguages(_ bytes: [UInt8]) throws(ContainerError) -> [UInt8] {
        var elements = EBML.elements(bytes, in: 0..<bytes.count)
        guard let element = try elements.next() else { return bytes }
        let data = try EBML.rebuild(bytes, element) { (child, output) throws(ContainerError) in
            guard child.id == MatroskaID.trackEntry,
                try EBML.first(MatroskaID.language, bytes, in: child.data) == nil,
                try EBML.first(MatroskaID.languageBCP47, bytes, in: child.data) == nil
            else {
                output += bytes[child.start..<child.data.upperBound]
                return
            }
            var entry = try EBML.rebuild(bytes, child) { (field, output) throws(ContainerError) in
                output += bytes[field.start..<field.data.upperBound]
            }
            EBML.append(MatroskaID.language, Array("und".utf8), to: &entry)
            EBML.renewChecksum(&entry)
            EBML.append(child.id, entry, sizeLength: child.sizeLength, to: &output)
        }
        var result: [UInt8] = []
        EBML.append(MatroskaID.tracks, data, sizeLength: element.sizeLength, to: &result)
        return result
    }

    static func isVideo(_ bytes: [UInt8], _ entry: EBMLElement) throws(ContainerError) -> Bool {
        try trackType(bytes, entry) == 1
    }

    private static func trackType(_ bytes: [UInt8], _ entry: EBMLElement) throws(ContainerError) -> UInt64? {
        try EBML.first(MatroskaID.trackType, bytes, in: entry.data).flatMap { EBML.unsigned(bytes, $0) }
    }

    /// A sound's entry with its CodecDelay.
    private func sound(
        _ bytes: [UInt8], _ entry: EBMLElement, _ priming: AudioPriming
    ) throws(ContainerError) -> [UInt8] {
        var output = try EBML.rebuild(bytes, entry) { (child, output) throws(ContainerError) in
            if child.id != MatroskaID.codecDelay { output += bytes[child.start..<child.data.upperBound] }
        }
        EBML.append(MatroskaID.codecDelay, number: priming.nanoseconds, to: &output)
        EBML.renewChecksum(&output)
        return output
    }

    private func entry(_ bytes: [UInt8], _ entry: EBMLElement) throws(ContainerError) -> [UInt8] {
        var hasVideo = false
        var hasConfiguration = false
        var codec = ""
        var output = try EBML.rebuild(bytes, entry) { (child, output) throws(ContainerError) in
            switch child.id {
            case MatroskaID.video where !hasVideo:
                hasVideo = true
                EBML.append(child.id, try video(bytes, child), sizeLength: child.sizeLength, to: &output)
            case MatroskaID.codecPrivate where metadata.codecConfiguration != nil:
                hasConfiguration = true
                EBML.append(
                    child.id, metadata.codecConfiguration ?? [], sizeLength: child.sizeLength, to: &output)
            case MatroskaID.blockAdditionMapping where metadata.dolbyVision != .keep:
                if try Self.dolbyVision(bytes, child) == nil { fallthrough }
            default:
                if child.id == MatroskaID.codecID { codec = MatroskaInspection.text(bytes, child) }
                output += bytes[child.start..<child.data.upperBound]
            }
        }
        if metadata.codecConfiguration != nil, !hasConfiguration { throw .noCodecConfiguration(codec: codec) }
        if !hasVideo { throw .missingElement("Tracks/TrackEntry/Video") }
        if case .set(let record) = metadata.dolbyVision {
            var mapping: [UInt8] = []
            EBML.append(MatroskaID.blockAddIDName, Array("Dolby Vision configuration".utf8), to: &mapping)
            EBML.append(MatroskaID.blockAddIDType, number: UInt64(record.boxType.value), to: &mapping)
            EBML.append(MatroskaID.blockAddIDExtraData, record.payload, to: &mapping)
            EBML.append(MatroskaID.blockAdditionMapping, mapping, to: &output)
        }
        EBML.renewChecksum(&output)
        return output
    }

    private func video(_ bytes: [UInt8], _ video: EBMLElement) throws(ContainerError) -> [UInt8] {
        var hasColour = false
        var output = try EBML.rebuild(bytes, video) { (child, output) throws(ContainerError) in
            guard child.id == MatroskaID.colour, !hasColour else {
                output += bytes[child.start..<child.data.upperBound]
                return
            }
            hasColour = true
            let data = try MatroskaColor.data(bytes, child, metadata)
            if !data.isEmpty { EBML.append(child.id, data, sizeLength: child.sizeLength, to: &output) }
        }
        if !hasColour {
            let data = try MatroskaColor.data(bytes, nil, metadata)
            if !data.isEmpty { EBML.append(MatroskaID.colour, data, to: &output) }
        }
        EBML.renewChecksum(&output)
        return output
    }

    /// The record of a BlockAdditionMapping; `nil` where the mapping is about something else.
    static func dolbyVision(_ bytes: [UInt8], _ mapping: EBMLElement) throws(ContainerError) -> DolbyVisionRecord? {
        guard let type = try EBML.first(MatroskaID.blockAddIDType, bytes, in: mapping.data),
            let code = EBML.unsigned(bytes, type).flatMap({ UInt32(exactly: $0) }),
            DolbyVisionRecord.boxTypes.contains(FourCC(code)),
            let data = try EBML.first(MatroskaID.blockAddIDExtraData, bytes, in: mapping.data)
        else { return nil }
        return DolbyVisionRecord(payload: ContainerBytes.slice(bytes, data.data))
    }
}
