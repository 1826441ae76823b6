import HDRMetadata

/// Writes the colour description into the SPS of an H.264 stream, one access unit at a time: H.264 annex E. Hardware
/// encoders may leave it out, or guess it where it is unspecified. Everything else is kept byte for byte.
package struct AVCMetadataRewriter: Sendable {
    private let edit: VUIColorEdit
    package let framing: NALFraming

    /// - Parameters:
    ///   - color: colour and range of the VUI, which replace what is there. Its chroma location is ignored.
    ///   - chromaLocation: chroma_sample_loc_type, 0...5; `nil` keeps what is there. Only 4:2:0 has one.
    package init(color: ColorDescription, chromaLocation: UInt8? = nil, framing: NALFraming) throws(BitstreamError) {
        if let chromaLocation, chromaLocation > 5 {
            throw BitstreamError(
                "chroma location \(chromaLocation) does not exist: use 0 (left) to 5 (bottom), or none")
        }
        edit = VUIColorEdit(color: color, replaces: true, chromaLocation: chromaLocation)
        self.framing = framing
    }

    /// The rewritten access unit; `nil` where nothing changes.
    ///
    /// Throws where NAL units are truncated, and where an SPS that must change cannot be parsed. The memory is not
    /// kept.
    package func rewrite(_ accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]? {
        var changes: [NALUnitChange] = []
        var reader = NALReader(accessUnit, framing: framing)
        while let unit = try reader.next() {
            guard unit.avcType == AVCUnitType.sps,
                let changed = try edit.applied(toAVC: accessUnit.part(unit.content))
            else { continue }
            changes.append(NALUnitChange(range: unit.framed, outcome: .replace(changed)))
        }
        return changes.isEmpty ? nil : try NALUnitChange.apply(changes, to: accessUnit, framing: framing)
    }

    /// Rewrites an access unit that is given as an array.
    package func rewrite(_ accessUnit: [UInt8]) throws(BitstreamError) -> [UInt8]? {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in try rewrite(bytes) }
    }
}
