import HDRMetadata

/// Inserts metadata into the video tracks of a Tracks element, encoder delays into the audio tracks, and languages into
/// all tracks.
struct MatroskaTracksPatcher {
    let metadata: ContainerMetadata

    /// - Parameter bytes: the complete element, including its header.
    /// - Returns: the complete element; the same bytes where nothing is to be edited.
    func patch(_ bytes: [UInt8]) throws(ContainerError) -> [UInt8] {
        if metadata.asksForNothing { return bytes }
        var elements = EBML.elements(bytes, in: 0..<bytes.count)
        guard let element = try elements.next(), element.id == MatroskaID.tracks,
            element.data.upperBound == bytes.count
        else { throw .missingElement("Tracks") }
        var tracks = 0
        var videoTracks = 0
        var soundTracks = 0
        let data = try EBML.rebuild(bytes, element) { (child, output) throws(ContainerError) in
            guard child.id == MatroskaID.trackEntry else {
                output += bytes[child.start..<child.data.upperBound]
                return
            }
            var fields: [UInt8]?
            switch try Self.trackType(bytes, child) {
            case 1:
                videoTracks += 1
                if let metadata = metadata.video(videoTracks - 1) { fields = try Self.video(bytes, child, metadata) }
            case 2:
                soundTracks += 1
                if soundTracks <= metadata.audio.count, let priming = metadata.audio[soundTracks - 1].priming {
                    fields = try Self.sound(bytes, child, priming)
                }
            default: break
            }
            tracks += 1
            if metadata.undeterminedLanguages.contains(tracks - 1) { try Self.tellLanguage(bytes, child, &fields) }
            guard let fields else {
                output += bytes[child.start..<child.data.upperBound]
                return
            }
            EBML.append(MatroskaID.trackEntry, fields, sizeLength: child.sizeLength, to: &output)
        }
        try metadata.check(found: videoTracks)
        var result: [UInt8] = []
        EBML.append(MatroskaID.tracks, data, sizeLength: element.sizeLength, to: &result)
        return result
    }

    /// Writes the language "und" into a track without one.
    /// - Parameter fields: the data of the track where they already differ from those in `bytes`.
    private static func tellLanguage(
        _ bytes: [UInt8], _ entry: EBMLElement, _ fields: inout [UInt8]?
    ) throws(ContainerError) {
        guard try EBML.first(MatroskaID.language, bytes, in: entry.data) == nil,
            try EBML.first(MatroskaID.languageBCP47, bytes, in: entry.data) == nil
        else { return }
        var new: [UInt8]
        if let fields {
            new = fields
        } else {
            new = try EBML.rebuild(bytes, entry) { (field, output) throws(ContainerError) in
                output += bytes[field.start..<field.data.upperBound]
            }
        }
        EBML.append(MatroskaID.language, Array("und".utf8), to: &new)
        EBML.renewChecksum(&new)
        fields = new
    }

    static func isVideo(_ bytes: [UInt8], _ entry: EBMLElement) throws(ContainerError) -> Bool {
        try trackType(bytes, entry) == 1
    }

    private static func trackType(_ bytes: [UInt8], _ entry: EBMLElement) throws(ContainerError) -> UInt64? {
        try EBML.first(MatroskaID.trackType, bytes, in: entry.data).flatMap { EBML.unsigned(bytes, $0) }
    }

    /// The entry of an audio track with its CodecDelay.
    private static func sound(
        _ bytes: [UInt8], _ entry: EBMLElement, _ priming: AudioPriming
    ) throws(ContainerError) -> [UInt8] {
        var output = try EBML.rebuild(bytes, entry) { (child, output) throws(ContainerError) in
            if child.id != MatroskaID.codecDelay { output += bytes[child.start..<child.data.upperBound] }
        }
        EBML.append(MatroskaID.codecDelay, number: priming.nanoseconds, to: &output)
        EBML.renewChecksum(&output)
        return output
    }

    private static func video(
        _ bytes: [UInt8], _ entry: EBMLElement, _ metadata: VideoTrackMetadata
    ) throws(ContainerError) -> [UInt8] {
        var hasVideo = false
        var hasConfiguration = false
        var codec = ""
        var output = try EBML.rebuild(bytes, entry) { (child, output) throws(ContainerError) in
            switch child.id {
            case MatroskaID.video where !hasVideo:
                hasVideo = true
                EBML.append(child.id, try picture(bytes, child, metadata), sizeLength: child.sizeLength, to: &output)
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

    private static func picture(
        _ bytes: [UInt8], _ video: EBMLElement, _ metadata: VideoTrackMetadata
    ) throws(ContainerError) -> [UInt8] {
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
        return DolbyVisionRecord(payload: BigEndian.slice(bytes, data.data), boxType: FourCC(code))
    }
}
