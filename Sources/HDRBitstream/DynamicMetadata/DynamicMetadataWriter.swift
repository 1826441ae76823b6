import HDRMetadata

/// Writes dynamic metadata into HEVC access units. Everything else is kept byte for byte.
package struct DynamicMetadataWriter: Equatable, Sendable {
    package let framing: NALFraming

    package init(_ framing: NALFraming) { self.framing = framing }

    /// The access unit with these metadata; `nil` where it is like that already.
    ///
    /// An RPU becomes the access unit's last NAL unit, in place of those that are there; only an end of sequence or of
    /// bitstream may follow it (H.265 7.4.2.4.4, ETSI GS CCM 001). Messages of T.35 go in front of the picture, in place
    /// of those of the same kind. What is there of formats that are not given stays. The memory is not kept.
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

    /// The same for an array.
    package func writing(
        _ payloads: [DynamicMetadataPayload], into accessUnit: [UInt8]
    ) throws(BitstreamError) -> [UInt8]? {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in try writing(payloads, into: bytes) }
    }

    private func write(
        _ format: DynamicMetadataPayload.Format, _ bytes: [UInt8], into accessUnit: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> [UInt8]? {
        switch format {
        case .dolbyVision: try writing(rpu: bytes, into: accessUnit)
        case .hdr10Plus: try UserDataEditor(.hdr10Plus, in: .hevc(framing)).setting(bytes, in: accessUnit)
        case .st209450: try UserDataEditor(.adaptiveToneMap, in: .hevc(framing)).setting(bytes, in: accessUnit)
        }
    }

    private static let unitHeader: [UInt8] = [HEVCUnitType.dolbyVisionRPU << 1, 1]

    private func writing(rpu: [UInt8], into bytes: UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]? {
        let unit = Self.unitHeader + EmulationPrevention.inserted(into: rpu)
        var changes: [NALUnitChange] = []
        var end: Int?
        var isThere = false
        var hasPicture = false
        var reader = NALReader(bytes, framing: framing)
        while let old = try reader.next() {
            switch old.hevcType {
            case HEVCUnitType.dolbyVisionRPU?:
                if !isThere, bytes.part(old.content).elementsEqual(unit) {
                    isThere = true
                } else {
                    changes.append(NALUnitChange(range: old.framed, outcome: .remove))
                }
            case HEVCUnitType.endOfSequence?, HEVCUnitType.endOfBitstream?: end = end ?? old.framed.lowerBound
            case let type?: hasPicture = hasPicture || type <= HEVCUnitType.lastPicture
            case nil: break
            }
        }
        if isThere { return changes.isEmpty ? nil : try NALUnitChange.apply(changes, to: bytes, framing: framing) }
        guard hasPicture else { throw BitstreamError("access unit has no picture that an RPU could follow") }
        let place = end ?? bytes.count
        changes.append(NALUnitChange(range: place..<place, outcome: .insert([unit])))
        changes.sort { $0.range.lowerBound < $1.range.lowerBound }
        return try NALUnitChange.apply(changes, to: bytes, framing: framing)
    }
}
