import HDRBitstream
import HDRContainer
import HDRMetadata
import HDRPipeline

/// The RPUs of a file, in the order of presentation.
struct RPUList: Sendable {
    /// Files of RPUs larger than this are not read, in bytes: those of a day of video are smaller.
    private static let limit: UInt64 = 4 << 30

    /// The RPUs as in files of RPUs: with emulation prevention, starting with the prefix byte.
    var pieces: [[UInt8]]
    /// The transfer function of the video's base layer, a code point of H.273; `nil` where there is no video.
    var transfer: UInt8?
    /// When each picture is shown, in ns; none where there is no video.
    var times: [UInt64] = []
    /// Notes for the user.
    var notes: [String] = []

    init(_ pieces: [[UInt8]]) { self.pieces = pieces }

    /// Whether a file has RPUs alone, as dovi_tool and this command write them.
    static func isFile(_ input: FileName) throws(Failure) -> Bool {
        DolbyVisionRPUFile.begins(try InputFile.bytes(input, limit: limit, first: 8))
    }

    /// Reads a file of RPUs, or those of a video.
    init(_ input: FileName, _ progress: @autoclosure () -> ProgressLine) async throws {
        if try Self.isFile(input) {
            self.init(try Self.pieces(of: input))
        } else {
            self = try Self.list(try await MetadataTrack(input, [.dolbyVision], progress()), of: input)
        }
    }

    /// Checks whether a file has RPUs, as far as its beginning shows.
    static func look(at input: FileName) async throws {
        if try isFile(input) {
            _ = try pieces(of: input)
        } else {
            try await MetadataTrack.look(at: input, for: .dolbyVision)
        }
    }

    /// The RPUs of a file that has them alone.
    static func pieces(of input: FileName) throws(Failure) -> [[UInt8]] {
        let bytes = try InputFile.bytes(input, limit: limit)
        guard DolbyVisionRPUFile.begins(bytes) else {
            throw Failure("\(input.shown) is no file of RPUs: hdr rpu extract makes one of a video")
        }
        do {
            return try DolbyVisionRPUFile.pieces(of: bytes)
        } catch {
            throw Failure("\(input.shown) is damaged: \(error)")
        }
    }

    /// The RPUs of a video. A picture without one gets that of the picture before, so that the others keep theirs.
    static func list(_ track: MetadataTrack, of input: FileName) throws(Failure) -> RPUList {
        let found = track.shown.map(\.rpu)
        guard var last = found.lazy.compactMap({ $0 }).first else {
            throw MetadataTrack.Kind.dolbyVision.isMissing(in: input)
        }
        var pieces: [[UInt8]] = []
        pieces.reserveCapacity(found.count)
        for rpu in found {
            last = rpu ?? last
            pieces.append(last)
        }
        var list = RPUList(pieces)
        list.transfer = track.base.transfer
        list.times = track.times
        let missing = found.count { $0 == nil }
        if missing > 0 {
            list.notes.append(
                "\(missing) of \(found.count) pictures have no RPU: they get that of the picture before")
        }
        return list
    }

    /// Reads one RPU after the other.
    /// - Parameter body: gets the number of the picture and the sequence that an RPU without one has from earlier ones.
    /// - Throws: what is wrong with an RPU, in a line that names the file, and ``Interruption``.
    func forEach(
        of input: FileName, _ body: (Int, DolbyVisionRPU, DolbyVisionRPU.SequenceInfo?) throws(BitstreamError) -> Void
    ) throws {
        var sequence: DolbyVisionRPU.SequenceInfo?
        for (index, piece) in pieces.enumerated() {
            try Interruption.check()
            do throws(BitstreamError) {
                let rpu = try DolbyVisionRPU(nalUnit: piece, sequence: sequence)
                try body(index, rpu, sequence)
                sequence = rpu.header.sequence ?? sequence
            } catch {
                throw Failure("\(input.shown): RPU \(index): \(error.message)")
            }
        }
    }
}

extension InputFile {
    /// The bytes of a file, or its first ones.
    static func bytes(_ name: FileName, limit: UInt64, first: Int? = nil) throws(Failure) -> [UInt8] {
        do {
            let file = try InputFile(name.withPointer { InputPath($0) })
            if let first { return try file.read(at: 0, count: first) }
            guard file.size <= limit else {
                throw Failure("is larger than \(limit >> 20) MB: name the right file")
            }
            return try file.read(at: 0, count: Int(file.size))
        } catch {
            throw Failure("\(name.shown) \(error)")
        }
    }
}
