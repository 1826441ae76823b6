/// The reason why the headers of a file cannot be read or completed. Offsets count from the start of the bytes in
/// question.
package enum ContainerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes end inside of `what`.
    case truncated(what: String, offset: UInt64)
    /// A box is smaller than its header or larger than the box or file that contains it.
    case badBoxSize(type: FourCC, size: UInt64, offset: UInt64)
    case missingBox(path: String)
    case badElement(what: String, offset: UInt64)
    case missingElement(String)
    /// A field of a header, described in words, has an invalid value.
    case badField(String, of: String)
    /// The beginning is neither that of a QuickTime or ISO file nor that of a Matroska file.
    case notRecognized
    case headerTooLarge(what: String, size: UInt64, limit: UInt64)
    case tooManyBoxes(limit: Int)
    case noVideoTrack(index: Int?)
    /// The sample entry or track has no codec configuration to replace.
    case noCodecConfiguration(codec: String)
    /// A size or a position does not fit its field.
    case sizeOverflow(what: String, offset: UInt64)
    case readFailed(offset: UInt64, count: Int, reason: String)

    package var description: String {
        switch self {
        case .truncated(let what, let offset):
            return "the bytes end inside of \(what) at offset \(offset); write the complete header"
        case .badBoxSize(let type, let size, let offset):
            return "box '\(type)' at offset \(offset) says it is \(size) bytes, which does not fit where it lies"
        case .missingBox(let path): return "there is no box \(path)"
        case .badElement(let what, let offset): return "\(what) at offset \(offset) is no valid EBML"
        case .missingElement(let name): return "there is no element \(name)"
        case .badField(let field, let header): return "the \(header) has \(field), which is not valid there"
        case .notRecognized: return "this is neither a QuickTime or MP4 file nor a Matroska or WebM file"
        case .headerTooLarge(let what, let size, let limit):
            return "\(what) is \(size) bytes; at most \(limit) are read: raise the limit"
        case .tooManyBoxes(let limit): return "no movie header among the first \(limit) boxes"
        case .noVideoTrack(let index):
            return index.map { "there is no video track number \($0), counted from 0" } ?? "there is no video track"
        case .noCodecConfiguration(let codec):
            return "the track of codec \(codec) has no codec configuration that could be replaced"
        case .sizeOverflow(let what, let offset):
            return "\(what) at offset \(offset) does not fit its field; write a file with 64-bit sizes"
        case .readFailed(let offset, let count, let reason):
            return "reading \(count) bytes at offset \(offset) failed: \(reason)"
        }
    }
}
