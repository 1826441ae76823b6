import CGStreamer
import GstBridge
import HDRBitstream
import HDRContainer
import HDRExport
import HDRMetadata

/// What a file's header says before GStreamer looks at it. It never changes.
struct SourceFile: Sendable {
    enum Container: String, Sendable { case mov, matroska, other }

    /// As the system has it.
    let path: [UInt8]
    let name: ShownName
    let container: Container
    /// In ns; `nil` where the header does not say.
    let duration: UInt64?
    /// Of the earliest packet of all tracks, in ns; `nil` where the header does not say, or does not have to.
    let firstTime: UInt64?
    /// The video tracks, the one to be played first.
    let videos: [VideoTrack]
    let edits: MovieEdits
    /// The numbers of video tracks whose blocks have HDR10+ metadata beside them.
    let hdr10PlusTracks: Set<UInt64>
    /// Whether the file's index has the times of all frames, so that gaps between them are meant.
    let hasIndexOfTimes: Bool

    /// Whether the stream of a file that is no container has colours that only Dolby Vision metadata explain.
    let hasOwnColorsAlone: Bool
    /// The numbers of video tracks whose streams say so, and no record beside them.
    let ownColorTracks: Set<UInt64>

    /// The header of a YUV4MPEG2 file.
    let y4m: Y4MHeader?

    /// Larger headers are not read, in bytes.
    private static let limit: UInt64 = 64 << 20
    /// Blocks that are searched for metadata.
    private static let searchedBlocks = 24

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
        let header = try? ContainerInspection(file, limit: Self.limit)
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
        videos = header?.tracksByRank ?? []
        edits = header.flatMap { try? MovieEdits(file, $0, limit: Self.limit) } ?? MovieEdits()
        hasIndexOfTimes = container == .mov && header?.isFragmented == false
        hasOwnColorsAlone = header == nil && BitstreamInspection(rawStream: file)?.dolbyVisionProfile == 5
        ownColorTracks = Set(
            videos.filter { track in
                guard track.dolbyVision == nil, track.videoCodec == .hevc, let header else { return false }
                return BitstreamInspection(track, header, file)?.dolbyVisionProfile == 5
            }.map(\.identifier))
        hdr10PlusTracks =
            container == .matroska
            ? Set(
                videos.filter {
                    MatroskaBlocks(file, track: $0, limit: Self.searchedBlocks).hdr10Plus > 0
                        || !$0.registeredDataIDs.isEmpty
                }.map(\.identifier)) : []
    }

    /// Whether nothing is missing inside of the file, as recordings of screens have no picture where none changes.
    var isUnbroken: Bool {
        guard container == .matroska, let file = try? LocalFile(path: path) else { return false }
        return FileDefect.isUnbrokenMatroska(file)
    }

    /// The header's description of a track.
    func video(_ number: UInt64?) -> VideoTrack? { videos.first { $0.identifier == number } }

    /// A video track's place among those to be played.
    func rank(_ number: UInt64?) -> Int { videos.firstIndex { $0.identifier == number } ?? videos.count }
}
