import CGStreamer
import GstBridge
import HDRBitstream
import HDRExport
import HDRMetadata

/// A coded picture whose encoder has passed dynamic metadata on in the buffer without writing them into the bitstream.
enum CodedPicture {
    /// The picture's bytes with the metadata of its buffer inserted.
    /// - Parameter structure: the structure of the stream's caps.
    /// - Returns: `nil` where the bytes already contain all of them, for codecs other than HEVC, and where they cannot
    ///   be written.
    static func completed(_ buffer: UnsafeMutablePointer<GstBuffer>, _ structure: Caps.Structure) -> [UInt8]? {
        guard VideoCodec(structure) == .hevc, let framing = NALFraming(hevc: structure) else { return nil }
        let carried = DynamicMetadataPayload.Format.allCases.compactMap { format in
            buffer.metadata(format).flatMap { $0.isStale ? nil : $0.payload }
        }
        guard !carried.isEmpty else { return nil }
        return buffer.withBytes { bytes in
            var reader = DynamicMetadataReader(.hevc(framing))
            let there = Set(reader.read(bytes).payloads.map(\.format))
            guard carried.contains(where: { !there.contains($0.format) }) else { return nil }
            return (try? DynamicMetadataWriter(framing).writing(carried, into: bytes)) ?? nil
        } ?? nil
    }
}
