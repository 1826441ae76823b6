import HDRBitstream
import HDRConcurrency
import HDRMetadata
import HDRPipeline

/// The data gathered from a video's access units while they pass.
struct MetadataGathering: Sendable {
    let kinds: [MetadataTrack.Kind]
    private(set) var pictures: [MetadataTrack.Picture] = []
    /// The codec, where its metadata can be read; `nil` otherwise.
    private(set) var codec: BitstreamInspection.Codec?
    /// The name of the format.
    private(set) var format: String?
    private(set) var frameRate: HDRMetadata.Fraction?
    /// The colorimetry in GStreamer's text.
    private(set) var colorimetry: String?
    /// The metadata in the first access units.
    private(set) var inspection: BitstreamInspection?
    private(set) var failure: BitstreamError?
    private var stream = UserDataEditor.Stream.av1
    private var order: PictureOrder?
    /// Places by the order of pictures in the bitstream; `nil` where that cannot be followed.
    private var places: [PictureOrder.Place]? = []
    private(set) var hasEnded = false
    /// The time of buffers at which the file begins, in ns.
    private(set) var start: UInt64?

    init(_ kinds: [MetadataTrack.Kind]) { self.kinds = kinds }

    /// Reads a file from its beginning to its end, or until it is enough.
    static func run(
        _ input: FileName, _ kinds: [MetadataTrack.Kind], _ progress: ProgressLine,
        until isEnough: @escaping @Sendable (Self) -> Bool = { _ in false }
    ) async throws -> Self {
        let pipeline = Pipeline()
        let source = try FileSource.make(input, assumed: nil, isDecoded: false)
        try pipeline.add(source)
        let state = Locked(Self(kinds))
        let count = Locked(ProgressLine.Count())
        let hasVideo = Locked<Bool?>(nil)
        let pads = Locked<[Pad]>([])
        let done = "all is read"
        let connections = [
            try source.on("pad-added") { [weak pipeline] arguments in
                guard let pad: Pad = arguments[0] else { return }
                let isVideo = pad.name == "video_0"
                if isVideo { hasVideo.withLock { $0 = true } }
                // The closure lives as long as the pad, and must not keep it.
                pads.withLock { $0.append(pad) }
                pad.take { [weak pipeline, weak pad] arrival in
                    guard isVideo, let pad else { return false }
                    state.withLock { $0.take(arrival, of: pad) }
                    switch arrival {
                    case .buffer(let buffer): count.withLock { $0.note(buffer.time ?? 0) }
                    case .end: pipeline?.post(done)
                    default: break
                    }
                    return true
                }
            },
            try source.on("no-more-pads") { _ in hasVideo.withLock { $0 = $0 ?? false } },
        ]
        defer {
            withExtendedLifetime((connections, pads)) {}
            progress.clear()
        }
        do {
            try await Run.play(
                pipeline,
                tick: {
                    if hasVideo.current == false {
                        throw Failure("\(input.shown) has no video track: give a file with HDR video")
                    }
                    if progress.duration == nil, hasVideo.current != nil {
                        progress.duration = try FileSource.info(source).duration
                    }
                    try progress.show(count.current, of: input.shown)
                    return !state.withLock { $0.hasEnded || isEnough($0) }
                },
                hear: { message in
                    if case .application(done) = message.kind { return false }
                    return true
                })
        } catch {
            throw Explanation(source: input.shown, deed: "read").failure(error)
        }
        return state.current
    }

    /// The first picture with metadata of a kind, or of all where none is named.
    func picture(with kind: MetadataTrack.Kind?) -> MetadataTrack.Picture? {
        guard let kind else { return pictures.first }
        return pictures.first { $0.has(kind) }
    }

    /// Whether no metadata can come, because the video is of another codec.
    var isOther: Bool { format != nil && codec == nil }

    /// Throws what keeps a file's metadata from being read, in a line that names the file.
    /// - Returns: what the video is.
    func checked(_ input: FileName) throws(Failure) -> BitstreamInspection.Codec {
        if let failure { throw Failure("\(input.shown) is damaged: \(failure)") }
        guard let codec else {
            throw Failure("\(input.shown) has \(format ?? "no video"): dynamic metadata are in HEVC and AV1")
        }
        return codec
    }

    // MARK: Streaming

    private mutating func take(_ arrival: Arrival, of pad: Pad) {
        switch arrival {
        case .format(let format): adopt(format)
        case .buffer(let buffer):
            let time = buffer.time
            if start == nil, let time, let shown = pad.streamTime(of: buffer) { start = time - min(shown, time) }
            _ = buffer.withBytes { read($0, time: time) }
        case .end: hasEnded = true
        case .tags: break
        }
    }

    private mutating func adopt(_ structure: Structure) {
        format = structure.title
        colorimetry = structure["colorimetry"] ?? colorimetry
        frameRate = structure.fraction("framerate").flatMap { $0.numerator > 0 ? $0 : nil } ?? frameRate
        guard let found = StreamFacts.codec(structure.name), found == .hevc || found == .av1 else { return }
        codec = found
        let configuration = structure.bytes("codec_data")
        var reader = inspection ?? BitstreamInspection(codec: found)
        if let configuration { try? reader.read(configuration: configuration) }
        inspection = reader
        guard found == .hevc else { return }
        var order = self.order ?? PictureOrder(codec: .hevc)
        if let configuration {
            do { try order.read(configuration: configuration) } catch { failure = failure ?? error }
        }
        self.order = order
        stream = .hevc(order.framing)
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer, time: UInt64?) {
        guard let codec, failure == nil else { return }
        var picture = MetadataTrack.Picture(time: time)
        do {
            if kinds.contains(.dolbyVision) { picture.rpu = try DolbyVisionRPUEditor(stream).rpu(in: bytes) }
            if kinds.contains(.hdr10Plus) {
                picture.hdr10Plus = try UserDataEditor(.hdr10Plus, in: stream).payloads(in: bytes).first
            }
        } catch {
            failure = BitstreamError("picture \(pictures.count + 1): \(error.message)", at: error.offset)
        }
        if pictures.count < 2 { try? inspection?.read(accessUnit: bytes) }
        pictures.append(picture)
        guard codec == .hevc, places != nil else { return }
        if let found = try? order?.read(accessUnit: bytes) {
            places?.append(contentsOf: found)
        } else {
            places = nil
        }
    }

    // MARK: Order

    /// The place of each picture in the order of presentation: by its time where the file has times, and by the order
    /// of pictures in the bitstream where it has none.
    func ranks(_ input: FileName) throws(Failure) -> [Int] {
        let times = pictures.compactMap(\.time)
        if times.count == pictures.count, Set(times).count == times.count {
            return Self.ranks(of: times)
        }
        guard codec == .hevc else {
            // A temporal unit of AV1 shows one frame: they come in the order of presentation.
            return Array(pictures.indices)
        }
        var last = order
        let rest = last?.finish() ?? []
        guard let places, places.count + rest.count == pictures.count else {
            throw Failure("\(input.shown) does not say in which order its pictures are shown: put it into a container")
        }
        var ranks = Array(repeating: 0, count: pictures.count)
        for place in places + rest where ranks.indices.contains(place.picture) { ranks[place.picture] = place.rank }
        return ranks
    }

    private static func ranks(of times: [UInt64]) -> [Int] {
        var ranks = Array(repeating: 0, count: times.count)
        for (rank, index) in times.indices.sorted(by: { times[$0] < times[$1] }).enumerated() { ranks[index] = rank }
        return ranks
    }
}
