import CGStreamer
import GstBridge
import HDRBitstream
import HDRContainer
import HDRExport
import HDRMetadata

/// The contents of a file's header, read before GStreamer opens the file. It never changes.
struct SourceFile: Sendable {
    enum Container: String, Sendable { case mov, matroska, other }

    /// The path in the system's bytes.
    let path: [UInt8]
    let name: ShownName
    let container: Container
    /// Whether the file is an MPEG transport stream.
    let isTransportStream: Bool
    /// The duration in ns; `nil` where the header does not state it.
    let duration: UInt64?
    /// The time of the earliest packet of all tracks, in ns; `nil` where the header does not state it, or it is not
    /// needed.
    let firstTime: UInt64?
    /// The video tracks; the first one is played.
    let videos: [VideoTrack]
    let edits: MovieEdits
    /// The numbers of video tracks whose blocks have HDR10+ metadata beside them.
    let hdr10PlusTracks: Set<UInt64>
    /// Whether the file's index has the times of all frames, so that gaps between them are intended.
    let hasIndexOfTimes: Bool

    /// Whether a file without a container has a stream that cannot be shown without its Dolby Vision metadata.
    let hasOwnColorsAlone: Bool
    /// The numbers of video tracks whose bitstream, but no record in the header, shows that they need Dolby Vision
    /// metadata.
    let ownColorTracks: Set<UInt64>

    /// Whether a track of timecodes is in the file, which no pad shows.
    let hasTimecode: Bool

    /// The header of a YUV4MPEG2 file; `nil` for other files.
    let y4m: Y4MHeader?

    /// The size in bytes up to which headers are read.
    private static let limit: UInt64 = 64 << 20
    /// The number of blocks that are searched for metadata.
    private static let searchedBlocks = 24
    /// The number of video tracks that are searched for metadata, the first ones by rank.
    private static let searchedTracks = 4

    /// Opens a file and reads its header.
    init(path: [UInt8]) throws(SourceFailure) {
        self.path = path
        name = ShownName(path)
        let file: LocalFile
        do throws(LocalFile.Refusal) { file = try LocalFile(path: path) } catch {
            throw .refused(ShownName(path), error)
        }
        switch Result(catching: { try FileDefect.find(in: file) }) {
        case .success(.truncated?): throw .truncated(name)
        case .success(.headless?): throw .headless(name)
        case .success(nil): break
        case .failure(let problem): throw .unreadable(name, "\(problem)")
        }
        // A header that contradicts itself is judged by the demuxer.
        let header = (try? ContainerInspection(file, limit: Self.limit)) ?? (try? TransportStreamInspection.read(file))
        isTransportStream = header?.format == .transportStream
        switch header?.format {
        case .quickTime, .iso: container = .mov
        case .matroska, .webm: container = .matroska
        case .mxf, .y4m, .transportStream, nil: container = .other
        }
        do { y4m = try Y4MHeader(file) } catch let problem as ContainerError {
            throw .unreadable(name, "\(problem)")
        } catch { throw .unreadable(name, "\(error)") }
        duration = header?.duration
        firstTime = header?.firstTime
        hasTimecode = header?.hasTimecode ?? false
        videos = header?.tracksByRank ?? []
        edits = header.flatMap { try? MovieEdits(file, $0, limit: Self.limit) } ?? MovieEdits()
        hasIndexOfTimes = container == .mov && header?.isFragmented == false
        hasOwnColorsAlone = header == nil && BitstreamInspection(rawStream: file)?.needsDolbyVision == true
        ownColorTracks = Set(
            videos.filter { track in
                guard track.dolbyVision == nil, track.videoCodec == .hevc, let header else { return false }
                return BitstreamInspection(track, header, file)?.needsDolbyVision == true
            }.map(\.identifier))
        hdr10PlusTracks =
            container == .matroska
            ? Set(
                videos.prefix(Self.searchedTracks).filter {
                    MatroskaBlocks(file, track: $0, limit: Self.searchedBlocks).hdr10Plus > 0
                        || !$0.registeredDataIDs.isEmpty
                }.map(\.identifier)) : []
    }

    /// Whether gaps in the file are intended: screen recordings, for example, have no picture while nothing changes.
    var isUnbroken: Bool {
        guard container == .matroska, let file = try? LocalFile(path: path) else { return false }
        return FileDefect.isUnbrokenMatroska(file)
    }

    /// The header's description of a track.
    func video(_ number: UInt64?) -> VideoTrack? { videos.first { $0.identifier == number } }

    /// A video track's place among those to be played.
    func rank(_ number: UInt64?) -> Int { videos.firstIndex { $0.identifier == number } ?? videos.count }
}
