import Glibc
import HDRContainer
import HDRInspection
import HDRPipeline

/// Inspects one file: its header as bytes, and its streams with GStreamer.
struct Inspector {
    /// The time limit in s for damaged files.
    private static let limitWhereDamaged = 5

    private let path: InputPath
    private let options: InspectOptions

    init(_ path: InputPath, _ options: InspectOptions) {
        self.path = path
        self.options = options
    }

    func run() async -> FileOutcome {
        do throws(Failure) {
            return FileOutcome(name: path.name, result: .success(try await report()))
        } catch {
            return FileOutcome(name: path.name, result: .failure(error))
        }
    }

    private func report() async throws(Failure) -> MediaReport {
        let file = try InputFile(path)
        let (header, headerError) = Self.header(of: file)
        // parsebin of GStreamer 1.22 may drop a demuxer's error about a damaged header, and then posts no other
        // message.
        let isDamaged = headerError.map { $0 != .notRecognized } ?? false
        let limit = isDamaged ? min(options.limit, Self.limitWhereDamaged) : options.limit
        // The header describes uncoded frames completely, and better than GStreamer's reader of them.
        let read =
            header?.format == .y4m
            ? StreamReader.Outcome()
            : try await streams(
                of: file, limit: limit, isKnown: header != nil || headerError != .notRecognized,
                patches: Self.patches(of: file, header))
        var report = MediaReport(
            name: path.name, container: Self.name(header?.format) ?? read.container ?? "raw stream", size: file.size,
            duration: header?.duration)
        var tracks = header?.tracks ?? []
        var videos: [(track: VideoTrack?, stream: StreamFacts)] = []
        for stream in read.streams {
            guard let format = stream.format else { continue }
            if stream.isVideo {
                let match =
                    tracks.firstIndex {
                        $0.identifier
                            == (header?.format == .transportStream ? stream.packetIdentifier : stream.track)
                    }
                    ?? (tracks.isEmpty ? nil : tracks.startIndex)
                videos.append((match.map { tracks.remove(at: $0) }, stream))
            } else if format.name.hasPrefix("audio/") {
                report.audios.append(Self.audio(stream, format, index: report.audios.count))
            }
            if let failure = stream.failure {
                report.findings.append(
                    .init(.defect, "bitstream-damaged", "a part of the bitstream cannot be read: \(failure)"))
            }
        }
        // The header also describes streams that GStreamer does not show. Demuxers show pads in any order, so that the
        // header's order counts.
        videos += tracks.map { ($0, StreamFacts()) }
        videos.sort { ($0.track?.index ?? .max) < ($1.track?.index ?? .max) }
        for (index, video) in videos.enumerated() {
            report.videos.append(
                VideoBuilder(
                    index: index, track: video.track, header: header, stream: video.stream, video.stream.format,
                    file: file
                ).video)
        }
        if report.duration == nil { report.duration = Self.duration(read, header, report.videos) }
        guard !report.videos.isEmpty else {
            if let failure = read.failure { throw Self.explained(failure, headerError) }
            throw Failure("has no video: name a video file")
        }
        report.findings += Self.selection(report.videos)
        for (index, video) in videos.enumerated() where video.stream.hasEnded && video.stream.frames.read == 0 {
            report.findings.append(.init(.defect, "no-frames", "video \(index + 1) has no frame"))
        }
        for video in report.videos {
            guard let finding = cut(video, report.duration) else { continue }
            report.findings.append(finding)
        }
        if header?.format == .y4m, (try? FileDefect.find(in: file)) == .truncated {
            report.findings.append(.init(.defect, "cut-off", "the file ends inside a frame: copy it again"))
        }
        if let failure = read.failure {
            report.findings.append(
                .init(.defect, "streams-unread", "the streams could not be read to the end: \(failure)"))
        }
        if let headerError, header == nil, headerError != .notRecognized {
            report.findings.append(
                .init(.defect, "header-unread", "the container's header: \(Self.reason(headerError))"))
        }
        if options.wantsDynamicMetadata { try await addDynamicMetadata(to: &report) }
        return report
    }

    private func addDynamicMetadata(to report: inout MediaReport) async throws(Failure) {
        do {
            let name = path.fileName
            let found = try await Run.interruptibly(
                within: options.limit,
                late: Failure("reading its metadata took more than \(options.limit) s: give it more with --timeout")
            ) { try await DynamicMetadataReport(name, ProgressLine(quiet: true)) }
            report.dynamicMetadata = found
            guard let plot = options.plot, let place = options.plotPlace else { return }
            guard !found.isEmpty else { throw Failure("has no dynamic metadata that could be drawn") }
            try await found.plot(title: path.fileName.last.shown)
                .write(to: OutputFile(plot, at: place), of: path.fileName)
        } catch {
            guard options.plot == nil else { throw Failure("\(error)") }
            report.findings.append(.init(.note, "dynamic-metadata-unread", "\(error)"))
        }
    }

    /// Reads the streams. FFmpeg's type finders take longer to load than a file to read, so they are only used where
    /// they may recognize more than GStreamer's own.
    /// - Parameter isKnown: whether the header identifies the file.
    private func streams(
        of file: InputFile, limit: Int, isKnown: Bool, patches: [MovieEdits.Patch]
    ) async throws(Failure) -> StreamReader.Outcome {
        let start = ContinuousClock.now
        if isKnown || Self.isBareStream(file) {
            var hidden: HiddenTypeFinders? = HiddenTypeFinders(ofPlugin: "libav")
            let reader = try StreamReader(path, frames: options.frames, patches: patches)
            let found = await reader.read(limit: limit, from: start)
            hidden = nil
            if isKnown || found.isLate || found.streams.contains(where: \.isVideo) { return found }
        }
        return try await StreamReader(path, frames: options.frames).read(limit: limit, from: start)
    }

    /// The changes of a header with which demuxers show all tracks. One that contradicts itself stays as it is.
    private static func patches(of file: InputFile, _ header: ContainerInspection?) -> [MovieEdits.Patch] {
        header.flatMap { try? MovieEdits(file, $0, limit: ContainerInspection.defaultLimit) }?.patches ?? []
    }

    /// Whether a file begins as bare streams do: with a start code (ITU-T H.265, Annex B).
    private static func isBareStream(_ file: InputFile) -> Bool {
        guard let first = try? file.read(at: 0, count: 9) else { return false }
        return [[0, 0, 1], [0, 0, 0, 1]].contains { first.starts(with: $0) }
    }

    /// The duration where the header has none. Parsers of bare streams and matroskademux only extrapolate it from the
    /// first frames.
    private static func duration(
        _ read: StreamReader.Outcome, _ header: ContainerInspection?, _ videos: [VideoReport]
    ) -> UInt64? {
        if let header, header.format != .transportStream {
            return header.format == .matroska || header.format == .webm ? nil : read.duration
        }
        if read.container != nil { return videos.contains { $0.frameRate == nil } ? nil : read.duration }
        guard let stream = read.streams.first(where: \.isVideo), stream.hasEnded, stream.frames.read > 0,
            let rate = videos.first?.frameRate, rate.numerator > 0
        else { return nil }
        let seconds = Double(stream.frames.read) * Double(rate.denominator) / Double(rate.numerator)
        return UInt64(exactly: (seconds * 1e9).rounded())
    }

    /// Selects the main video among several streams.
    private static func selection(_ videos: [VideoReport]) -> [SignalFinding] {
        guard videos.count > 1, let main = videos.first(where: \.isMain) else { return [] }
        let others = videos.filter { !$0.isMain }
        var findings: [SignalFinding] = []
        for layer in others where layer.isEnhancementLayer {
            findings.append(
                .init(
                    .note, "enhancement-layer",
                    """
                    video \(layer.index + 1) is a Dolby Vision enhancement layer: by itself a grey residual; its base \
                    is video \(main.index + 1)
                    """))
        }
        if others.contains(where: { !$0.isEnhancementLayer }) {
            let which = main.isEnabled == false ? "the first one, as none is enabled" : "the first enabled one"
            findings.append(
                .init(
                    .note, "several-video-streams",
                    "\(videos.count) video streams: video \(main.index + 1), \(which), is exported and played"))
        }
        return findings
    }

    /// Reports that much less could be read than the file announces.
    private func cut(_ video: VideoReport, _ duration: UInt64?) -> SignalFinding? {
        // Other tracks may be longer than the video.
        let known = [video.duration, duration].compactMap { $0 }.min()
        guard let duration = known, let rate = video.frameRate, rate.numerator > 0, video.signal.bitstream != nil else {
            return nil
        }
        let announced = Double(duration) / 1e9 * Double(rate.numerator) / Double(rate.denominator)
        let wanted = options.frames.map(Double.init) ?? min(Double(rate.numerator) / Double(rate.denominator), 240)
        let read = video.signal.frames.read
        guard Double(read) < min(announced, wanted) * 0.75 - 1 else { return nil }
        // Frames of a varying rate may be fewer, and last. GStreamer's matroskademux gives those of ProRes no times.
        let span = video.signal.frames.span
        guard Double(span) < 0.75 * Double(duration), span > 0 || video.tag != "V_PRORES" else { return nil }
        return .init(
            .defect, "cut-off",
            """
            video \(video.index + 1) ends after \(read) frames where about \(Int(min(announced, 1e9))) are announced: \
            the file looks cut off
            """)
    }

    private static func header(of file: InputFile) -> (ContainerInspection?, ContainerError?) {
        do {
            return (try ContainerInspection(file), nil)
        } catch ContainerError.notRecognized {
            return ((try? TransportStreamInspection.read(file)) ?? nil, .notRecognized)
        } catch {
            return (nil, error as? ContainerError ?? .notRecognized)
        }
    }

    /// Prefers the reason of the header's reader, which is more precise than a demuxer's.
    private static func explained(_ failure: Failure, _ header: ContainerError?) -> Failure {
        switch header {
        case nil, .notRecognized?: failure
        case .missingBox?, .truncated?, .missingElement?:
            Failure("is cut off or damaged: \(Self.reason(header)): copy or record it again")
        case .some: Failure("is damaged: \(Self.reason(header)): copy or record it again")
        }
    }

    /// The first part of the message; the rest is advice for whoever writes the file.
    private static func reason(_ error: ContainerError?) -> String {
        (error?.description.split(separator: ";").first).map(String.init) ?? ""
    }

    private static func name(_ format: ContainerInspection.Format?) -> String? {
        switch format {
        case .quickTime?: "QuickTime"
        case .iso?: "MP4"
        case .matroska?: "Matroska"
        case .webm?: "WebM"
        case .mxf?: "MXF"
        case .y4m?: "Y4M"
        case .transportStream?, nil: nil
        }
    }

    private static func audio(_ stream: StreamFacts, _ format: Structure, index: Int) -> AudioReport {
        AudioReport(
            index: index, codec: format.title, channels: format["channels"],
            sampleRate: format["rate"], bitRate: stream.bitRate, language: stream.language)
    }
}
