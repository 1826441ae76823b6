import HDRBitstream
import HDRContainer
import HDRExport
import HDRMetadata

extension BitstreamInspection {
    /// The metadata at the start of a file's track; `nil` for codecs whose bitstream is not read here.
    init?(_ track: VideoTrack, _ container: ContainerInspection, _ file: LocalFile) {
        guard let coded = track.videoCodec?.inspected else { return nil }
        self.init(codec: coded)
        if let configuration = track.configuration { try? read(configuration: configuration.bytes) }
        if let sample = try? container.firstSample(of: track, in: file) { try? read(accessUnit: sample) }
    }

    /// The metadata in the first bytes of an HEVC elementary stream; `nil` where the file is not one.
    init?(rawStream file: LocalFile) {
        guard let bytes = try? file.read(at: 0, count: Int(min(file.size, 1 << 20))),
            bytes.starts(with: [0, 0, 1]) || bytes.starts(with: [0, 0, 0, 1])
        else { return nil }
        self.init(codec: .hevc)
        try? read(accessUnit: bytes)
        guard color.isComplete || hasDolbyVisionRPU else { return nil }
    }
}

extension VideoCodec {
    /// The codec for the inspection of bitstreams; `nil` for codecs whose bitstream is not read here.
    var inspected: BitstreamInspection.Codec? {
        switch self {
        case .hevc: .hevc
        case .h264: .avc
        case .av1: .av1
        default: isProRes ? .proRes : nil
        }
    }
}
