import HDRMetadata

/// Writes dynamic metadata into HEVC access units. Everything else is kept byte for byte.
package struct DynamicMetadataWriter: Equatable, Sendable {
    package let framing: NALFraming

    package init(_ framing: NALFraming) { self.framing = framing }

    /// The access unit with these metadata; `nil` where it is like that already.
    ///
    /// An RPU becomes the picture's last NAL unit, messages of T.35 go in front of the picture; or each goes to the
    /// place of the one of its format that is there. What is there of formats that are not given stays. The memory is
    /// not kept.
    ///
    /// Throws where NAL units are cut off, and where there is no picture.
    package func writing(
        _ payloads: [DynamicMetadataPayload], into accessUnit: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> [UInt8]? {
        var result: [UInt8]?
        for payload in payloads {
            let bytes = payload.bytes
            let format = payload.format
            let next: [UInt8]?
            if let current = result {
                next = try current.withRawBytes { (unit) throws(BitstreamError) in try write(format, bytes, into: unit)
                }
            } else {
                next = try write(format, bytes, into: accessUnit)
            }
            result = next ?? result
        }
        return result
    }

    /// Writes into an access unit that is given as an array.
    package func writing(
        _ payloads: [DynamicMetadataPayload], into accessUnit: [UInt8]
    ) throws(BitstreamError) -> [UInt8]? {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in try writing(payloads, into: bytes) }
    }

    private func write(
        _ format: DynamicMetadataPayload.Format, _ bytes: [UInt8], into accessUnit: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> [UInt8]? {
        switch format {
        case .dolbyVision:
            try DolbyVisionRPUEditor(.hevc(framing)).setting(EmulationPrevention.inserted(into: bytes), in: accessUnit)
        case .hdr10Plus: try UserDataEditor(.hdr10Plus, in: .hevc(framing)).setting(bytes, in: accessUnit)
        case .st209450: try UserDataEditor(.adaptiveToneMap, in: .hevc(framing)).setting(bytes, in: accessUnit)
        }
    }
}
