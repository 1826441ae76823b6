import HDRBitstream
import HDRMetadata
import HDRPipeline

/// The metadata of each picture of a file's main video, as its bitstream carries them. Nothing is decoded.
struct MetadataTrack: Sendable {
    /// The kind of metadata to gather.
    enum Kind: CaseIterable, Sendable {
        case dolbyVision, hdr10Plus

        /// Why there is nothing to work on.
        func isMissing(in input: FileName) -> Failure {
            let name = self == .dolbyVision ? "Dolby Vision" : "HDR10+"
            return Failure("\(input.shown) has no \(name) metadata: hdr inspect says what it has")
        }
    }

    struct Picture: Sendable {
        /// The presentation timestamp, in ns of the stream.
        var time: UInt64?
        /// The RPU as in files of RPUs: with emulation prevention, starting with the prefix byte.
        var rpu: [UInt8]?
        /// A message of ITU-T T.35, from its country code on.
        var hdr10Plus: [UInt8]?

        func has(_ kind: Kind) -> Bool { kind == .dolbyVision ? rpu != nil : hdr10Plus != nil }
    }

    /// The pictures in decoding order.
    let pictures: [Picture]
    /// The place of each picture in the order of presentation.
    let ranks: [Int]
    let codec: BitstreamInspection.Codec
    let base: BaseLayer
    let frameRate: HDRMetadata.Fraction?
    /// The time of the stream at which the file begins, in ns.
    private let start: UInt64

    /// The pictures in the order of presentation.
    var shown: [Picture] {
        var result = pictures
        for (picture, rank) in zip(pictures, ranks) where result.indices.contains(rank) { result[rank] = picture }
        return result
    }

    /// The time of each picture in the order of presentation, in ns of the file: its own, or by the frame rate; 25
    /// pictures a second where that is unknown.
    var times: [UInt64] {
        let shown = shown
        if shown.allSatisfy({ $0.time != nil }) { return shown.compactMap { $0.time.map { $0 - min(start, $0) } } }
        let rate = frameRate.map { Double($0.numerator) / Double($0.denominator) } ?? 25
        return shown.indices.map { UInt64(min(Double($0) * 1e9 / max(rate, 0.001), 1e18)) }
    }

    /// The number of pictures that have metadata of a kind.
    func count(_ kind: Kind) -> Int { pictures.count { $0.has(kind) } }

    /// Checks whether a file has metadata of a kind, or pictures that can hold metadata where no kind is named. Reads
    /// up to the first one.
    /// - Returns: the first picture that has them.
    /// - Throws: the errors of the actual work, as far as the beginning shows them.
    @discardableResult static func look(at input: FileName, for kind: Kind?) async throws -> Picture? {
        let kinds = kind.map { [$0] } ?? []
        let gathering = try await MetadataGathering.run(input, kinds, ProgressLine(quiet: true)) { gathering in
            gathering.isOther || gathering.failure != nil || gathering.picture(with: kind) != nil
        }
        _ = try gathering.checked(input)
        let found = gathering.picture(with: kind)
        if let kind, found == nil { throw kind.isMissing(in: input) }
        return found
    }

    /// The pictures into which metadata would be written. Reads up to the first one.
    static func base(of input: FileName) async throws -> BaseLayer {
        let gathering = try await MetadataGathering.run(input, [], ProgressLine(quiet: true)) { gathering in
            gathering.isOther || gathering.failure != nil || !gathering.pictures.isEmpty
        }
        _ = try gathering.checked(input)
        return gathering.base
    }

    /// Reads a whole file.
    /// - Throws: what keeps it from being read, in a line that names the file.
    init(_ input: FileName, _ kinds: [Kind], _ progress: ProgressLine) async throws {
        let gathering = try await MetadataGathering.run(input, kinds, progress)
        codec = try gathering.checked(input)
        pictures = gathering.pictures
        ranks = try gathering.ranks(input)
        base = gathering.base
        frameRate = gathering.frameRate
        start = gathering.start ?? 0
    }
}
