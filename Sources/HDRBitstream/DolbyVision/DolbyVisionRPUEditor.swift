/// Finds the Dolby Vision RPU of access units, and puts others in its place. Everything else is kept byte for byte.
///
/// An RPU is bytes here as a file of RPUs has them, see ``DolbyVisionRPUFile``: with emulation prevention, from its
/// prefix byte on, without the NAL unit's header.
package struct DolbyVisionRPUEditor: Equatable, Sendable {
    package typealias Stream = UserDataEditor.Stream

    private static let unitHeader: [UInt8] = [HEVCUnitType.dolbyVisionRPU << 1, 1]

    package let stream: Stream

    package init(_ stream: Stream) { self.stream = stream }

    /// The RPU of an access unit or temporal unit; `nil` where it has none. The memory is not kept.
    ///
    /// Throws where NAL units or OBUs are cut off, and where a message of AV1 has no RPU in it.
    package func rpu(in accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]? {
        switch stream {
        case .hevc(let framing):
            var reader = NALReader(accessUnit, framing: framing)
            var found: [UInt8]?
            while let unit = try reader.next() {
                guard unit.hevcType == HEVCUnitType.dolbyVisionRPU else { continue }
                found = found ?? Self.trimmed(accessUnit.part(unit.content.dropFirst(2)))
            }
            return found
        case .av1:
            guard let message = try messages.payloads(in: accessUnit).first else { return nil }
            return EmulationPrevention.inserted(into: try DolbyVisionRPU.core(ofT35: message))
        }
    }

    /// The access unit with this RPU, or with none; `nil` where it is like that already.
    ///
    /// An RPU that is there is replaced at its place, and further ones are removed. Where there is none, it becomes the
    /// last NAL unit of the picture; in AV1, an OBU before the first frame that is shown. The memory is not kept.
    ///
    /// - Parameter keepsLayer: whether the NAL units of an enhancement layer stay, which profile 7 alone has.
    package func setting(
        _ rpu: [UInt8]?, keepsLayer: Bool = true, in accessUnit: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> [UInt8]? {
        switch stream {
        case .hevc(let framing): try setting(rpu, keepsLayer: keepsLayer, inHEVC: accessUnit, framing)
        case .av1:
            try messages.setting(
                rpu.map { DolbyVisionRPU.t35Message(core: Self.core(of: $0)) }, in: accessUnit)
        }
    }

    /// Reads the RPU in an access unit that is given as an array.
    package func rpu(in accessUnit: [UInt8]) throws(BitstreamError) -> [UInt8]? {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in try rpu(in: bytes) }
    }

    /// Sets the RPU in an access unit that is given as an array.
    package func setting(
        _ rpu: [UInt8]?, keepsLayer: Bool = true, in accessUnit: [UInt8]
    ) throws(BitstreamError) -> [UInt8]? {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in
            try setting(rpu, keepsLayer: keepsLayer, in: bytes)
        }
    }

    private var messages: UserDataEditor { UserDataEditor(.dolbyVision, in: stream) }

    /// The bytes of an RPU from prefix to terminator, without emulation prevention.
    private static func core(of rpu: [UInt8]) -> [UInt8] {
        let core = rpu.withRawBytes { EmulationPrevention.removed(from: $0) }
        return Array(core.prefix((core.lastIndex { $0 != 0 } ?? -1) + 1))
    }

    /// A NAL unit must not end in zeros: H.265 7.4.2.
    private static func trimmed(_ unit: UnsafeRawBufferPointer) -> [UInt8] {
        Array(unit.prefix((unit.lastIndex { $0 != 0 } ?? -1) + 1))
    }

    private func setting(
        _ rpu: [UInt8]?, keepsLayer: Bool, inHEVC bytes: UnsafeRawBufferPointer, _ framing: NALFraming
    ) throws(BitstreamError) -> [UInt8]? {
        var changes: [NALUnitChange] = []
        // The unit that has not been written yet, and the end of the picture.
        var waiting = rpu.map { Self.unitHeader + $0.withRawBytes(Self.trimmed) }
        var end: Int?
        var hasPicture = false
        var reader = NALReader(bytes, framing: framing)
        while let unit = try reader.next() {
            switch unit.hevcType {
            case HEVCUnitType.dolbyVisionRPU?:
                if let new = waiting {
                    if !bytes.part(unit.content).elementsEqual(new) {
                        changes.append(NALUnitChange(range: unit.framed, outcome: .replace(new)))
                    }
                } else {
                    changes.append(NALUnitChange(range: unit.framed, outcome: .remove))
                }
                waiting = nil
            case HEVCUnitType.dolbyVisionLayer? where !keepsLayer:
                changes.append(NALUnitChange(range: unit.framed, outcome: .remove))
            case HEVCUnitType.endOfSequence?, HEVCUnitType.endOfBitstream?: break
            case let type?:
                if HEVCUnitType.slices.contains(type) { hasPicture = true }
                end = unit.framed.upperBound
            case nil: break
            }
        }
        if let waiting {
            guard hasPicture, let end else {
                throw BitstreamError("access unit has no picture that an RPU could follow")
            }
            changes.append(NALUnitChange(range: end..<end, outcome: .insert([waiting])))
            changes.sort { $0.range.lowerBound < $1.range.lowerBound }
        }
        return changes.isEmpty ? nil : try NALUnitChange.apply(changes, to: bytes, framing: framing)
    }
}
