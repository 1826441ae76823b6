import HDRMetadata

/// The header of a ProRes frame: SMPTE RDD 36, 5.1 and 6.1.1. The colour can be rewritten in place.
package struct ProResFrameHeader: Equatable, Sendable {
    package enum ChromaFormat: UInt8, Equatable, Sendable {
        case yuv422 = 2
        case yuv444 = 3
    }

    package enum InterlaceMode: UInt8, Equatable, Sendable {
        case progressive = 0
        case topFieldFirst = 1
        case bottomFieldFirst = 2
    }

    /// Bytes of the frame, from the start of the buffer.
    package let frameSize: Int
    /// Luma samples.
    package let width: Int
    package let height: Int
    package let chromaFormat: ChromaFormat
    package let interlaceMode: InterlaceMode
    /// alpha_channel_type: 0 none, 1 of 8 bits, 2 of 16 bits.
    package let alphaType: UInt8
    /// Code points of H.273. ProRes has limited range.
    package let color: ColorDescription

    private static let identifier: [UInt8] = Array("icpf".utf8)
    private static let primariesOffset = 22
    /// frame_size and frame_identifier, and the smallest frame header.
    private static let prefixSize = 8
    private static let headerSize = 20

    /// Reads the header at the start of a frame. Throws where the bytes are not a complete ProRes frame.
    package init(_ frame: UnsafeRawBufferPointer) throws(BitstreamError) {
        guard frame.count >= Self.prefixSize + Self.headerSize else {
            throw BitstreamError("ProRes frame of \(frame.count) bytes is shorter than its header", at: 0)
        }
        func half(_ offset: Int) -> Int { Int(frame[offset]) << 8 | Int(frame[offset + 1]) }
        guard frame.part(4..<8).elementsEqual(Self.identifier) else {
            throw BitstreamError("ProRes frame lacks its identifier 'icpf'", at: 4)
        }
        frameSize = half(0) << 16 | half(2)
        let header = half(8)
        guard header >= Self.headerSize else {
            throw BitstreamError("ProRes frame header of \(header) bytes is shorter than \(Self.headerSize)", at: 8)
        }
        guard frameSize >= Self.prefixSize + header, frameSize <= frame.count else {
            throw BitstreamError(
                "ProRes frame says that it has \(frameSize) bytes, and its buffer has \(frame.count)", at: 0)
        }
        guard frame[11] <= 1 else {
            throw BitstreamError("ProRes frame has version \(frame[11]), and 0 and 1 are known", at: 11)
        }
        width = half(16)
        height = half(18)
        guard width > 0, height > 0 else { throw BitstreamError("ProRes frame of \(width)x\(height)", at: 16) }
        guard let chroma = ChromaFormat(rawValue: frame[20] >> 6) else {
            throw BitstreamError("ProRes frame has chroma format \(frame[20] >> 6), and 2 and 3 are known", at: 20)
        }
        chromaFormat = chroma
        guard let mode = InterlaceMode(rawValue: frame[20] >> 2 & 3) else {
            throw BitstreamError("ProRes frame has interlace mode 3, which is reserved", at: 20)
        }
        interlaceMode = mode
        alphaType = frame[25] & 0xF
        color = ColorDescription(
            primaries: frame[Self.primariesOffset], transfer: frame[Self.primariesOffset + 1],
            matrix: frame[Self.primariesOffset + 2], isFullRange: false)
    }

    package init(_ frame: [UInt8]) throws(BitstreamError) {
        self = try frame.withRawBytes { (bytes) throws(BitstreamError) in try Self(bytes) }
    }

    /// Writes primaries, transfer and matrix into a frame. Throws, and writes nothing, where it is not a ProRes frame.
    /// - Returns: whether a byte has changed.
    @discardableResult
    package static func setColor(
        _ color: ColorDescription, in frame: UnsafeMutableRawBufferPointer
    ) throws(BitstreamError) -> Bool {
        let present = try Self(UnsafeRawBufferPointer(frame)).color
        let isSame =
            (present.primaries, present.transfer, present.matrix)
            == (color.primaries, color.transfer, color.matrix)
        if isSame { return false }
        frame[primariesOffset] = color.primaries
        frame[primariesOffset + 1] = color.transfer
        frame[primariesOffset + 2] = color.matrix
        return true
    }

    @discardableResult
    package static func setColor(
        _ color: ColorDescription, in frame: inout [UInt8]
    ) throws(BitstreamError) -> Bool {
        try frame.withUnsafeMutableBufferPointer { (bytes) throws(BitstreamError) in
            try setColor(color, in: UnsafeMutableRawBufferPointer(bytes))
        }
    }

    /// ProRes 4444 has 12 bits and ProRes 422 10.
    package var bitDepth: UInt8 { chromaFormat == .yuv444 ? 12 : 10 }

    /// The family: a frame does not distinguish 422 from 422 HQ.
    package var profileName: String { chromaFormat == .yuv444 ? "ProRes 4444" : "ProRes 422" }
}
